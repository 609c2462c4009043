import { attestSnyk } from '@waymark/contract';
import { attestSettings, withAttestFlags, withFailsAt } from '../../evidence/attest-flags.ts';
import { readReports } from '../../evidence/read-reports.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { given } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'The service reads the findings and judges them: critical and high severities (errors) fail, unless the org, the ' +
    'template, or --fails-at makes medium (warning) or low ones (note) fail too. Reads the JSON output of Snyk, ' +
    'Trivy, Grype, Gitleaks, and OSV-Scanner, and SARIF. A Gitleaks report contains the secrets it found: create it ' +
    'with --redact.',
  examples: [{ say: 'Scan results', run: 'waymark attest snyk snyk.json --name dependencies' }],
  settings: attestSettings,
  build: (command) =>
    withFailsAt(
      withAttestFlags(command.argument('<file...>', 'files, directories, or patterns, or - for standard input')),
    ),
  async run(session, [path], { failsAt, ...flags }) {
    const report = { files: await readReports(session, path, '**/*.json', 'Snyk result'), ending: '.json' };
    const body = given({ fails_at: failsAt });
    return attestOne(session, attestSnyk, { flags, body, report, kind: 'snyk' });
  },
});
