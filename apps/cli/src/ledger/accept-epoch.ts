import { type EpochLeaf, emptyRoot, type RegionLeaf, type TreeHead } from '@waymark/transparency';
import { counted } from '../run/counted.ts';
import type { Session } from '../run/session.ts';
import { oneLine } from '../run/table.ts';
import { forked } from './breaks.ts';
import { LedgerFault } from './ledger-fault.ts';
import { newestCheckpoint } from './newest-checkpoint.ts';
import { headOf, readNewLeaves } from './region-leaves.ts';
import { regionLog } from './remote-log.ts';
import type { StoredCheckpoint } from './stored-checkpoint.ts';
import { extendsTree } from './tree-reads.ts';
import type { Checked, Watch } from './watch.ts';
import { beginOrg, checkOrg } from './watch-org.ts';

/** Continues with an epoch that the user accepted, and says what it does not continue. */
export async function acceptEpoch(
  session: Session,
  watch: Watch,
  known: StoredCheckpoint,
  epoch: number,
): Promise<Checked> {
  const log = regionLog(session, epoch);
  const region = await newestCheckpoint(session, log, watch.policy, watch.patienceMs);
  const next = region.signed.checkpoint;
  const { org } = known.stored;
  const leaves: RegionLeaf[] = [];
  const heads: TreeHead[] = [];
  const isWhole = await readNewLeaves(log, { size: 0, root: emptyRoot() }, next, (leaf) => {
    if (leaves.length === 0) leaves.push(leaf);
    if (leaf.kind === 'org' && leaf.log === org?.log) heads.push(headOf(leaf));
  });
  if (!isWhole) throw forked(watch, region.signed, region);
  const [first] = leaves;
  if (first?.kind !== 'epoch') throw withoutPrevious(epoch, region.note);
  session.warn(`Epoch ${epoch} of the region log was accepted. The operator's reason: '${oneLine(first.reason)}'`);
  session.warn(await whatRegionLost(session, known, first.previous));
  const accepted = watch.org === undefined ? null : await orgInEpoch(session, watch, watch.org, { org, heads });
  const ended = {
    epoch: known.stored.region.epoch,
    checkpoint: known.stored.region.checkpoint,
    accepted_at: session.io.now().toISOString(),
  };
  return {
    stored: {
      v: 1,
      region: { epoch, checkpoint: region.note },
      org: accepted,
      ended: [...known.stored.ended, ended],
    },
    region,
    announced: heads.length,
  };
}

function withoutPrevious(epoch: number, note: string): LedgerFault {
  return new LedgerFault(`Epoch ${epoch} of the region log does not name the checkpoint before it`, {
    why: 'The first leaf of an epoch names the last checkpoint of the epoch before it, so that the break stays visible',
    fix: 'Do not accept it. Ask the operator of the service what happened',
    note,
  });
}

/** The leaf names the last checkpoint that the operator knows: it may be older than the one that was stored. */
async function whatRegionLost(
  session: Session,
  { stored, signed }: StoredCheckpoint,
  previous: EpochLeaf['previous'],
): Promise<string> {
  const { checkpoint } = signed;
  if (previous.origin !== checkpoint.origin)
    return `It follows ${oneLine(previous.origin)}, not ${checkpoint.origin}: epochs between them were not checked`;
  const missing = checkpoint.size - previous.size;
  if (missing > 0)
    return `LOST: ${counted(missing, 'leaf', 'leaves')} of the region log that you verified in epoch ${stored.region.epoch}`;
  const isContinued = await extendsTree(regionLog(session, stored.region.epoch), checkpoint, headOf(previous));
  return isContinued
    ? `The region log lost nothing that you verified in epoch ${stored.region.epoch}`
    : `REWRITTEN: the checkpoint that epoch ${stored.region.epoch} ended with does not contain the one that you stored`;
}

interface OrgBefore {
  readonly org: StoredCheckpoint['stored']['org'];
  readonly heads: readonly TreeHead[];
}

/** A log that lost entries begins from what is left: the user accepted the break. */
async function orgInEpoch(session: Session, watch: Watch, name: string, { org, heads }: OrgBefore) {
  if (org) {
    try {
      const checked = await checkOrg(session, watch, { org: name, known: org, heads });
      session.warn(
        `The log of ${name} lost nothing: it contains the ${counted(org.size, 'entry', 'entries')} that you verified`,
      );
      return checked;
    } catch (error) {
      if (!(error instanceof LedgerFault)) throw error;
      session.warn(`LOST: ${error.message}. ${error.why}`);
    }
  }
  return beginOrg(session, watch, name);
}
