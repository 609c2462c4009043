import { attestSnyk } from '@waymark/contract';
import { attestSettings, withAttestFlags, withFailsAt } from '../../evidence/attest-flags.ts';
import { readReports } from '../../evidence/read-reports.ts';
import { attestOne, SARIF_KIND } from '../../evidence/record-attestation.ts';
import { given } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'The service reads the findings and judges them: errors fail, unless the org, the template, or --fails-at makes ' +
    'warnings or notes fail too. Findings that the file suppresses do not count. Recorded as type snyk; use that ' +
    'type in templates and policies.',
  examples: [
    { say: 'Results of a scanner', run: 'waymark attest sarif results.sarif --name sast' },
    { say: 'Warnings fail too', run: 'waymark attest sarif results.sarif --name sast --fails-at warning' },
  ],
  settings: attestSettings,
  build: (command) =>
    withFailsAt(
      withAttestFlags(command.argument('<file...>', 'files, directories, or patterns, or - for standard input')),
    ),
  async run(session, [path], { failsAt, ...flags }) {
    const report = { files: await readReports(session, path, '**/*.sarif', 'SARIF file'), ending: '.sarif' };
    const body = given({ fails_at: failsAt });
    return attestOne(session, attestSnyk, { flags, body, report, kind: SARIF_KIND });
  },
});
