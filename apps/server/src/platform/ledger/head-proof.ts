import {
  buildConsistencyProof,
  buildInclusionProof,
  type Hash,
  type HeadProof,
  nodesOfTiles,
  orgLogOrigin,
  type ProofTimeStamp,
  parseRegionLeaf,
  parseSignedCheckpoint,
  tilesForConsistency,
  tilesForInclusion,
} from '@waymark/transparency';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import { type CosignedCheckpoint, findCosigned } from './cosigned-checkpoint.ts';
import type { OrgLog } from './org-tiles.ts';
import { readRegionTiles } from './region-tiles.ts';
import { findSealedHeads, type SealedHead } from './sealed-heads.ts';
import { nodeSha256 } from './tree.ts';
import type { WitnessPolicy } from './witness-policy.ts';

/** Thrown when the tables of the ledger do not agree with each other, which no proof can mend. */
export class LedgerDamaged extends Error {}

/**
 * Returns the proof of a signed head of the log of an org that covers the entry with this index, and so all before it.
 * Returns undefined while the entry is not sealed.
 */
export async function readHeadProof(
  db: Db,
  policy: WitnessPolicy,
  log: OrgLog,
  entry: number,
): Promise<HeadProof | undefined> {
  const head = (await findSealedHeads(db, log.log_id, [entry])).get(entry);
  if (!head) return undefined;
  const checkpoint = await findCosigned(db, policy, { epoch: head.epoch, above: head.leaf });
  if (!checkpoint) throw new LedgerDamaged(`checkpoint ${head.number} of epoch ${head.epoch} is missing`);
  const [hashes, timeStamp] = await Promise.all([
    readInclusion(db, head, checkpoint.size),
    readTimeStamp(db, head, checkpoint),
  ]);
  return {
    org: orgHeadOf(head),
    region: { index: head.leaf, hashes, signed: parseSignedCheckpoint(checkpoint.note) },
    timeStamp,
  };
}

function orgHeadOf({ data, origin }: SealedHead): HeadProof['org'] {
  const leaf = parseRegionLeaf(data);
  if (leaf.kind !== 'org') throw new LedgerDamaged(`a leaf with the head of a log is of kind ${leaf.kind}`);
  return {
    log: leaf.log,
    origin: orgLogOrigin(origin, leaf.log),
    size: leaf.size,
    root: Buffer.from(leaf.root, 'hex'),
  };
}

async function readInclusion(db: Db, { epoch, leaf }: SealedHead, size: number): Promise<Hash[]> {
  const tiles = await readRegionTiles(db, epoch, tilesForInclusion(leaf, size));
  return buildInclusionProof(leaf, size, nodesOfTiles(tiles, nodeSha256), nodeSha256);
}

/** The first time stamp over a checkpoint with the leaf: it proves the earliest time. */
const findTimeStamp = statement<
  { epoch: number; number: number },
  { readonly token: Buffer; readonly size: number; readonly note: string }
>(
  'find_time_stamp',
  `select stamp.token, checkpoint.size, checkpoint.note
   from time_stamp as stamp
   join region_checkpoint as checkpoint on checkpoint.epoch = stamp.epoch and checkpoint.number = stamp.number
   where stamp.epoch = :epoch and stamp.number >= :number
   order by stamp.number limit 1`,
);

async function readTimeStamp(
  db: Db,
  { epoch, number }: SealedHead,
  { size }: CosignedCheckpoint,
): Promise<ProofTimeStamp | null> {
  const [stamp] = await findTimeStamp(db, { epoch, number });
  if (!stamp) return null;
  const [small, large] = [Math.min(stamp.size, size), Math.max(stamp.size, size)];
  const tiles = await readRegionTiles(db, epoch, tilesForConsistency(small, large));
  const consistency = buildConsistencyProof(small, large, nodesOfTiles(tiles, nodeSha256), nodeSha256);
  return { signed: parseSignedCheckpoint(stamp.note), consistency, token: stamp.token };
}
