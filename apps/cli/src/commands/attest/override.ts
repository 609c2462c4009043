import { ApiError } from '@waymark/client';
import { attestOverride } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { compliantFlag, verdictOf } from '../../evidence/given-verdict.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { given } from '../../resources/options.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Overrides the verdict of the newest report with that name, type, and target, or of the attestation named by ' +
    '--attestation. Fails if a newer report has arrived. Both attestations stay visible, and a later report replaces ' +
    'the override.',
  examples: [
    {
      say: 'Accept a false positive',
      run: "waymark attest override --name sast --type snyk --compliant --reason 'False positive, see SEC-12'",
    },
    {
      say: 'Override exactly the report that you reviewed',
      run: "waymark attest override --name sast --type snyk --attestation 0199f0c2-5a7e-7c3b-9d1e-3f6a8b2c4d50 --compliant --reason 'See SEC-12'",
    },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command)
      .requiredOption('--type <type>', 'type of the attestation to override, such as junit or custom:NAME')
      .option('--attestation <id>', 'id of the attestation that you reviewed (default: the newest report)')
      .requiredOption('--reason <text>', 'reason for the verdict')
      .addOption(compliantFlag('the new verdict is compliant; false means non-compliant'))
      .option('--non-compliant', 'the new verdict is non-compliant'),
  async run(session, _, { type, attestation, reason, ...flags }) {
    const body = {
      original_attestation_type: type,
      reason,
      new_compliance_status: verdictOf(flags),
      ...given({ attestation_id: attestation }),
    };
    return attestOne(session, attestOverride, { flags, body, kind: 'override' }).catch(throwWithReview);
  },
});

function throwWithReview(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 409) throw error;
  throw new CliError('conflict', `${error.message} (409)`, {
    why: 'An override applies only to the report that its author reviewed',
    fix: "'waymark attestation get ID' shows the newer report; then run this again with --attestation ID",
    requestId: error.requestId,
    cause: error,
  });
}
