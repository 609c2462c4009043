import { attestSnyk } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { readReports } from '../../evidence/read-reports.ts';
import { attestOne, SARIF_KIND } from '../../evidence/record-attestation.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'The service reads the findings and judges: compliant without any. What is suppressed in the file does not count. ' +
    'It is recorded as type snyk: that is what a template or policy asks for.',
  examples: [{ say: 'What a scanner found', run: 'waymark attest sarif results.sarif --name sast' }],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command.argument('<file...>', 'files, directories or patterns; - is standard input')),
  async run(session, [path], flags) {
    const report = { files: await readReports(session, path, '**/*.sarif', 'SARIF file'), ending: '.sarif' };
    return attestOne(session, attestSnyk, { flags, report, kind: SARIF_KIND });
  },
});
