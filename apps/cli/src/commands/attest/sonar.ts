import { attestSonar } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { readInput } from '../../evidence/find-files.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { CliError, usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Reads the response of the SonarQube endpoint api/qualitygates/project_status, or the payload of its webhook. ' +
    'Compliant if the quality gate is OK.',
  examples: [
    {
      say: 'The quality gate of a project',
      run: 'waymark attest sonar project_status.json --project-key web --name quality-gate',
    },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command.argument('<file>', 'file with the response (JSON), or - for standard input')).option(
      '--project-key <key>',
      'key of the project, if the file does not contain it',
    ),
  async run(session, [path], { projectKey, ...flags }) {
    const { content } = await readInput(session, path);
    const body = { sonar_results: resultsOf(path, content, projectKey) };
    return attestOne(session, attestSonar, { flags, body, kind: 'sonar' });
  },
});

/** The API calls the gate `projectStatus`, and uses ERROR where the webhook does, too. */
function resultsOf(path: string, content: Uint8Array, projectKey: string | undefined): object {
  const read = parsed(path, content) as Record<string, unknown> | null;
  const gate = read?.['qualityGate'] ?? read?.['projectStatus'];
  if (typeof gate !== 'object' || gate === null || !('status' in gate)) {
    throw usageError(`${path} contains no quality gate`, 'Use the response of api/qualitygates/project_status');
  }
  const { projectStatus: _, ...rest } = read ?? {};
  return { ...rest, qualityGate: gate, ...(projectKey !== undefined && { project: { key: projectKey } }) };
}

function parsed(path: string, content: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(content).toString('utf8'));
  } catch (cause) {
    throw new CliError('usage', `${path} is not JSON`, { why: String((cause as Error).message), cause });
  }
}
