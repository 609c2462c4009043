import { attestGeneric } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { compliantFlag, verdictOf } from '../../evidence/given-verdict.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Records a verdict that you state. There is no default: without --compliant or --non-compliant, nothing is ' +
    'recorded.',
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
      .addOption(compliantFlag('the verdict is compliant; false means non-compliant'))
      .option('--non-compliant', 'the verdict is non-compliant')
      .option('--reason <text>', 'reason for the verdict'),
  async run(session, _, { reason, ...flags }) {
    const body = {
      is_compliant: verdictOf(flags),
      ...(reason !== undefined && { annotations: { reason } }),
    };
    return attestOne(session, attestGeneric, { flags, body, kind: 'generic' });
  },
});
