import { attestSnyk } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { readReports } from '../../evidence/read-reports.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'The service reads the findings and judges: compliant without any. It takes the JSON of Snyk, and SARIF.',
  examples: [{ say: 'What was found', run: 'waymark attest snyk snyk.json --name dependencies' }],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command.argument('<file...>', 'files, directories or patterns; - is standard input')),
  async run(session, [path], flags) {
    const report = { files: await readReports(session, path, '**/*.json', 'result of Snyk'), ending: '.json' };
    return attestOne(session, attestSnyk, { flags, report, kind: 'snyk' });
  },
});
