import { getRegionLogs, type RegionLogs } from '@waymark/contract';
import type { TreeHead } from '@waymark/transparency';
import { CliError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';
import { acceptEpoch } from './accept-epoch.ts';
import { forked, smaller, unacceptedEpoch, unknownEpoch } from './breaks.ts';
import { newestCheckpoint } from './newest-checkpoint.ts';
import { headOf, readNewLeaves } from './region-leaves.ts';
import { regionLog } from './remote-log.ts';
import type { StoredCheckpoint } from './stored-checkpoint.ts';
import { extendsTree } from './tree-reads.ts';
import type { Checked, Watch } from './watch.ts';
import { beginOrg, checkOrg } from './watch-org.ts';

/** Fetches the newest checkpoint, and verifies by the tiles that the log only grew since the one that was stored. */
export async function checkLedger(
  session: Session,
  watch: Watch,
  known: StoredCheckpoint | undefined,
): Promise<Checked> {
  const logs = await session.client().call(getRegionLogs, { signal: session.io.signal });
  const current = currentEpoch(logs);
  if (!known) return begin(session, watch, current);
  const { epoch } = known.stored.region;
  if (current < epoch) throw unknownEpoch(watch, epoch, current);
  if (current === epoch) return continueEpoch(session, watch, known);
  if (watch.accepted === current) return acceptEpoch(session, watch, known, current);
  throw unacceptedEpoch(watch, known, logs);
}

function currentEpoch({ current }: RegionLogs): number {
  if (current !== null) return current;
  throw new CliError('notFound', 'The service has not signed a checkpoint yet', {
    why: 'It signs one within seconds of the first entry, if it has a signing key',
    fix: 'Try again, or ask the operator of the service whether WAYMARK_LEDGER_KEY is set',
  });
}

/** Nothing is known yet, so the first checkpoint is believed as far as it is signed and cosigned. */
async function begin(session: Session, watch: Watch, epoch: number): Promise<Checked> {
  const org = watch.org === undefined ? null : await beginOrg(session, watch, watch.org);
  const region = await newestCheckpoint(session, regionLog(session, epoch), watch.policy, watch.patienceMs);
  return { stored: { v: 1, region: { epoch, checkpoint: region.note }, org, ended: [] }, region, announced: 0 };
}

async function continueEpoch(session: Session, watch: Watch, known: StoredCheckpoint): Promise<Checked> {
  const { epoch } = known.stored.region;
  const log = regionLog(session, epoch);
  const region = await newestCheckpoint(session, log, watch.policy, watch.patienceMs);
  const [old, next] = [known.signed.checkpoint, region.signed.checkpoint];
  if (next.origin !== old.origin) throw forked(watch, known.signed, region);
  if (next.size < old.size) throw smaller(watch, known.signed, region);
  const heads: TreeHead[] = [];
  const { org } = known.stored;
  const isExtended =
    org === null
      ? await extendsTree(log, old, next)
      : await readNewLeaves(log, old, next, (leaf) => {
          if (leaf.kind === 'org' && leaf.log === org.log) heads.push(headOf(leaf));
        });
  if (!isExtended) throw forked(watch, known.signed, region);
  const checkedOrg =
    watch.org === undefined
      ? org
      : org === null
        ? await beginOrg(session, watch, watch.org)
        : await checkOrg(session, watch, { org: watch.org, known: org, heads });
  return {
    stored: { ...known.stored, region: { epoch, checkpoint: region.note }, org: checkedOrg },
    region,
    announced: heads.length,
  };
}
