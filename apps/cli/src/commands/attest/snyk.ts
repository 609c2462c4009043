import { attestSnyk } from '@waymark/contract';
import { attestSettings, withAttestFlags, withFailsAt } from '../../evidence/attest-flags.ts';
import { readReports } from '../../evidence/read-reports.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { given } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'The service reads the findings and judges: critical and high severities (errors) fail, unless the org, the template ' +
    'or --fails-at says that medium (warning) or low ones (note) fail too. It takes the JSON of ' +
    'Snyk, Trivy, Grype, Gitleaks and OSV-Scanner, and SARIF. A report of Gitleaks holds the secrets: write it with --redact.',
  examples: [{ say: 'What was found', run: 'waymark attest snyk snyk.json --name dependencies' }],
  settings: attestSettings,
  build: (command) =>
    withFailsAt(withAttestFlags(command.argument('<file...>', 'files, directories or patterns; - is standard input'))),
  async run(session, [path], { failsAt, ...flags }) {
    const report = { files: await readReports(session, path, '**/*.json', 'result of Snyk'), ending: '.json' };
    const body = given({ fails_at: failsAt });
    return attestOne(session, attestSnyk, { flags, body, report, kind: 'snyk' });
  },
});
