import {
  type Checkpoint,
  FormatError,
  formatRegionLeaf,
  parseSignedCheckpoint,
  type RegionLeaf,
  regionOrigin,
  verifyNote,
} from '@waymark/transparency';
import { sql } from 'kysely';
import type { ObjectStore } from '../blobs/object-store.ts';
import type { Db } from '../db/db.ts';
import { conflict, invalid } from '../errors.ts';
import { type LogKey, verifierKeysOf } from './log-keys.ts';
import { checkpointPath, closingText } from './region-checkpoints.ts';
import { appendRegionLeaves } from './region-pass.ts';
import { loadSealer } from './sealer-state.ts';

interface EpochParts {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly name: string;
  readonly keys: readonly LogKey[];
}

export interface BegunEpoch {
  readonly epoch: number;
  readonly origin: string;
  readonly previous: { readonly origin: string; readonly root: string; readonly size: number };
}

/**
 * Begins a new region log, whose first leaf names the last checkpoint that was signed, in whatever epoch it was: the
 * object store knows it, also where PostgreSQL does not. The break stays visible.
 */
export async function beginEpoch(
  { db, objects, name, keys }: EpochParts,
  { reason, whileSigning }: { reason: string; whileSigning: boolean },
): Promise<BegunEpoch> {
  const { pass, epoch: current, stoppedBecause } = await loadSealer(db);
  if (stoppedBecause === null && !whileSigning)
    throw conflict(
      'Signing has not stopped, so the log can continue. To begin a new epoch all the same, add --while-signing',
    );
  const last = await newestSigned(objects, current);
  if (!last) throw conflict('No checkpoint has been signed yet, so there is nothing that a new epoch would break with');
  const epoch = last.epoch + 1;
  if (epoch <= current) throw conflict(`Epoch ${current} has begun and has no checkpoint yet: wait until it is signed`);
  const checkpoint = await newestValid(objects, keys, last);
  const { origin: from, size, root } = checkpoint;
  const previous = { origin: from, root: Buffer.from(root).toString('hex'), size };
  const leaf: RegionLeaf = { kind: 'epoch', epoch, previous, reason };
  requireLeaf(leaf);
  const origin = regionOrigin(name, epoch);
  await db.transaction().execute(async (db) => {
    const { rows } = await sql`
      update sealer set pass = pass + 1, epoch = ${epoch}, stopped_at = null, stopped_because = null
      where pass = ${pass} returning pass`.execute(db);
    if (rows.length === 0) throw conflict('The ledger was sealed meanwhile. Try again');
    await close(objects, last, epoch);
    await sql`
      insert into region_log (epoch, origin, began_at, previous_origin, previous_size, previous_root, reason)
      values (${epoch}, ${origin}, now(), ${from}, ${size}, ${Buffer.from(root)}, ${reason})`.execute(db);
    await appendRegionLeaves(db, epoch, { size: 0, roots: Buffer.alloc(0) }, [leaf]);
    // An org whose entries were missing is tried again.
    await sql`update org_log set stopped_because = null where stopped_because is not null returning org_id`.execute(db);
  });
  return { epoch, origin, previous };
}

/**
 * Takes the place of the next checkpoint. A sealer that has not noticed the new epoch cannot sign another one in the old
 * one then, which the new epoch would not name.
 */
async function close(objects: ObjectStore, last: Signed, epoch: number): Promise<void> {
  const path = checkpointPath(last.epoch, last.number + 1);
  if (!(await objects.create(path, Buffer.from(closingText(epoch)))))
    throw conflict('A checkpoint was signed meanwhile. Try again');
}

function requireLeaf(leaf: RegionLeaf): void {
  try {
    formatRegionLeaf(leaf);
  } catch (error) {
    throw error instanceof RangeError ? invalid(error.message) : error;
  }
}

interface Signed {
  readonly epoch: number;
  readonly number: number;
}

/** Epochs have a checkpoint before the next begins, and checkpoints have numbers without gaps. */
async function newestSigned(objects: ObjectStore, current: number): Promise<Signed | undefined> {
  const exists = async (epoch: number, number: number) =>
    (await objects.read(checkpointPath(epoch, number))) !== undefined;
  let epoch = current;
  while (epoch > 0 && !(await exists(epoch, 1))) epoch--;
  if (epoch === 0) return undefined;
  while (await exists(epoch + 1, 1)) epoch++;
  let [known, missing] = [1, 2];
  while (await exists(epoch, missing)) [known, missing] = [missing, missing * 2];
  while (missing - known > 1) {
    const middle = Math.floor((known + missing) / 2);
    if (await exists(epoch, middle)) known = middle;
    else missing = middle;
  }
  return { epoch, number: known };
}

/** The newest of them that this log signed: someone else may have written to the bucket. */
async function newestValid(objects: ObjectStore, keys: readonly LogKey[], last: Signed): Promise<Checkpoint> {
  for (let number = last.number; number > 0; number--) {
    const content = (await objects.read(checkpointPath(last.epoch, number))) ?? Buffer.alloc(0);
    const checkpoint = await verified(content, keys, last.epoch);
    if (checkpoint) return checkpoint;
  }
  throw conflict(
    `No checkpoint of epoch ${last.epoch} in the object store was signed with a key of WAYMARK_LEDGER_KEY`,
  );
}

async function verified(content: Buffer, keys: readonly LogKey[], epoch: number): Promise<Checkpoint | undefined> {
  try {
    const { checkpoint, note } = parseSignedCheckpoint(content);
    const { verified } = await verifyNote(note, verifierKeysOf(checkpoint.origin, keys));
    return verified.length > 0 && checkpoint.origin.endsWith(`/${epoch}`) ? checkpoint : undefined;
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
