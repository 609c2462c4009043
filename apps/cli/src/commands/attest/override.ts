import { attestOverride } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { compliantFlag, verdictOf } from '../../evidence/given-verdict.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Replaces the verdict of the newest attestation of that name, type and target. Both stay visible, and a newer report ' +
    'counts again.',
  examples: [
    {
      say: 'Let a finding pass',
      run: "waymark attest override --name sast --type snyk --compliant --reason 'False positive, see SEC-12'",
    },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command)
      .requiredOption(
        '--type <type>',
        'type of the attestation whose verdict is replaced, such as junit or custom:NAME',
      )
      .requiredOption('--reason <text>', 'why')
      .addOption(compliantFlag('the new verdict is yes; with false it is no'))
      .option('--non-compliant', 'the new verdict is no'),
  async run(session, _, { type, reason, ...flags }) {
    const body = { original_attestation_type: type, reason, new_compliance_status: verdictOf(flags) };
    return attestOne(session, attestOverride, { flags, body, kind: 'override' });
  },
});
