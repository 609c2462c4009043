import { attestVex } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { readReports } from '../../evidence/read-reports.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'The service reads OpenVEX, CycloneDX with analyses, and CSAF (JSON). Policies leave out findings that the document ' +
    'says are fixed, or do not affect the artifact for a stated reason, if they trust its origin. For a signed ' +
    'document, use attest in-toto.',
  examples: [{ say: 'About an artifact', run: 'waymark attest vex web.openvex.json --name vex --artifact web' }],
  settings: attestSettings,
  build: (command) => withAttestFlags(command.argument('<file>', 'VEX document (JSON), or - for standard input')),
  async run(session, [path], flags) {
    const report = { files: await readReports(session, [path], '*.json', 'VEX document'), ending: '.json' };
    return attestOne(session, attestVex, { flags, report, kind: 'vex' });
  },
});
