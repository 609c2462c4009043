import { attestCustom } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { readInput } from '../../evidence/find-files.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'The service validates the data against the schema of the type and refuses data that does not match. The rules ' +
    'of the type decide the verdict.',
  examples: [
    {
      say: 'Data from a file',
      run: 'waymark attest custom coverage --data coverage.json --name coverage --artifact web',
    },
    { say: 'Data from a program', run: 'make-data | waymark attest custom review --data - --name review' },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command.argument('<type>', 'name of the attestation type')).requiredOption(
      '--data <file>',
      'file with the data (JSON), or - for standard input',
    ),
  async run(session, [type], { data, ...flags }) {
    const { content } = await readInput(session, data);
    const body = { type_name: type, attestation_data: parsed(data, content) };
    return attestOne(session, attestCustom, { flags, body, kind: type });
  },
});

function parsed(path: string, content: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(content).toString('utf8'));
  } catch (cause) {
    throw new CliError('usage', `--data: ${path} is not JSON`, { why: String((cause as Error).message), cause });
  }
}
