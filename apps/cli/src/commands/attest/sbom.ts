import { attestSbom } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { readReports } from '../../evidence/read-reports.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'The service reads CycloneDX (JSON or XML) and SPDX (2 or 3, JSON). Search then finds its components.',
  examples: [{ say: 'About an artifact', run: 'waymark attest sbom bom.json --name sbom --artifact web' }],
  settings: attestSettings,
  build: (command) => withAttestFlags(command.argument('<file>', 'SBOM file (JSON or XML), or - for standard input')),
  async run(session, [path], flags) {
    const report = { files: await readReports(session, [path], '*.json', 'SBOM'), ending: '.json' };
    return attestOne(session, attestSbom, { flags, report, kind: 'sbom' });
  },
});
