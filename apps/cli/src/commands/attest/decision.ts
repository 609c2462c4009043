import { attestDecision } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { compliantFlag, verdictOf } from '../../evidence/given-verdict.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { currentControl } from '../../resources/put-control.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  description: 'Records, under your name, whether a control is satisfied.',
  examples: [
    {
      say: 'About the trail',
      run: "waymark attest decision SDLC-7 --compliant --reason 'Reviewed with the security team'",
    },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command.argument('<control>', 'identifier of the control'))
      .addOption(compliantFlag('the control is satisfied; false means it is not'))
      .option('--non-compliant', 'the control is not satisfied')
      .option('--reason <text>', 'reason for the verdict'),
  async run(session, [control], { reason, ...flags }) {
    const body = {
      control,
      attestation_data: { is_compliant: verdictOf(flags), ...(reason !== undefined && { reason }) },
    };
    const otherwise = control.replace(/[^A-Za-z0-9_-]/g, '-');
    const onRecorded = () => warnOfMissing(session, control);
    return attestOne(session, attestDecision, { flags, otherwise, body, kind: 'decision', onRecorded });
  },
});

/** The service accepts a decision before its control. A failed lookup is not an error: the decision is recorded. */
async function warnOfMissing(session: Session, control: string): Promise<void> {
  try {
    if (await currentControl(session, control)) return;
  } catch {
    session.detail(`Could not check whether control '${oneLine(control)}' exists`);
    return;
  }
  session.warn(
    `Control '${oneLine(control)}' does not exist yet. The decision is recorded under that identifier and counts once the ` +
      "control exists and a policy requires it; 'waymark control list' lists existing controls",
  );
}
