import { attestGeneric } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { compliantFlag, verdictOf } from '../../evidence/given-verdict.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'You say whether it is compliant. Nothing is taken for granted: without a verdict nothing is recorded.',
  examples: [
    { say: 'About the trail', run: 'waymark attest generic --name manual-check --compliant' },
    {
      say: 'About an artifact, with a reason and a file',
      run: "waymark attest generic --name web.load-test --non-compliant --reason 'p99 is 2 s' --attachment k6.json",
    },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command)
      .addOption(compliantFlag('the verdict is yes; with false it is no'))
      .option('--non-compliant', 'the verdict is no')
      .option('--reason <text>', 'why'),
  async run(session, _, { reason, ...flags }) {
    const body = {
      is_compliant: verdictOf(flags),
      ...(reason !== undefined && { annotations: { reason } }),
    };
    return attestOne(session, attestGeneric, { flags, body, kind: 'generic' });
  },
});
