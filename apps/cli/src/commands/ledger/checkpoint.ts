import { getLedger, getRegionLogs } from '@waymark/contract';
import type { TrustPolicy } from '@waymark/transparency';
import { newestCheckpoint, type VerifiedCheckpoint } from '../../ledger/newest-checkpoint.ts';
import { orgLog, regionLog } from '../../ledger/remote-log.ts';
import { requireSigned } from '../../ledger/require-signed.ts';
import { POLICY_HELP, policyOfOrgLog, readTrustPolicy } from '../../ledger/trust-policy.ts';
import { printOrSave } from '../../resources/print-or-save.ts';
import { defineCommand } from '../../run/command.ts';
import { counted } from '../../run/counted.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';

const PATIENCE_MS = 10_000;

export const command = defineCommand({
  description:
    'Verifies the newest signed checkpoint of the log of the org, or with --region of the region log and its witnesses, ' +
    'and prints it. Anyone who keeps a checkpoint can prove later that the log was changed.',
  examples: [
    { say: 'Keep a checkpoint', run: 'waymark ledger checkpoint --policy trust.txt --to november.checkpoint' },
    { say: 'Print that of the region log', run: 'waymark ledger checkpoint --region --policy trust.txt' },
  ],
  build: (command) =>
    command
      .requiredOption('--policy <file>', POLICY_HELP)
      .option('--region', 'checkpoint of the region log, which is public')
      .option('--to <file>', 'file to write (default: standard output)')
      .option('--force', 'overwrite an existing file'),
  async run(session, _, { policy, region, to, force }) {
    const trusted = readTrustPolicy(session, policy);
    const newest = region ? await newestOfRegion(session, trusted) : await newestOfOrg(session, trusted);
    const { origin, size, root } = newest.signed.checkpoint;
    const witnesses = newest.cosigned.map(({ witness, time }) => ({ name: witness, cosigned_at: time }));
    const by = witnesses.length === 0 ? '' : `, cosigned by ${witnesses.map(({ name }) => name).join(', ')}`;
    const about = `${oneLine(origin)}: ${counted(size, 'leaf', 'leaves')}, signed by the log${by}`;
    session.say(`${session.style.good('✓')} ${about}`);
    const data = { origin, size, root: Buffer.from(root).toString('hex'), witnesses, checkpoint: newest.note };
    return { data, text: printOrSave(session, newest.note, { to, force }) };
  },
});

async function newestOfRegion(session: Session, policy: TrustPolicy): Promise<VerifiedCheckpoint> {
  const logs = await session.client().call(getRegionLogs, { signal: session.io.signal });
  return newestCheckpoint(session, regionLog(session, requireSigned(logs.current)), policy, PATIENCE_MS);
}

async function newestOfOrg(session: Session, policy: TrustPolicy): Promise<VerifiedCheckpoint> {
  const org = session.need('org');
  const { origin } = await session.client().call(getLedger, { params: { org }, signal: session.io.signal });
  return newestCheckpoint(session, orgLog(session, org), policyOfOrgLog(policy, requireSigned(origin)), 0);
}
