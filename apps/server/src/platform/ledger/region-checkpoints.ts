import {
  type Checkpoint,
  FormatError,
  formatCheckpoint,
  parseSignedCheckpoint,
  parseVerifierKey,
  verifyNote,
} from '@waymark/transparency';
import { sql } from 'kysely';
import type { ObjectStore } from '../blobs/object-store.ts';
import type { Db } from '../db/db.ts';
import { type LogKey, signAs, verifierKeysOf } from './log-keys.ts';
import { isExtended } from './region-tree.ts';

/** Thrown when the region log would not continue what was signed before, which the message says in words. */
export class ForkedLog extends Error {}

export interface CheckpointParts {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly keys: readonly LogKey[];
}

/** Where the checkpoint with this number is, which nothing replaces. */
export function checkpointPath(epoch: number, number: number): string {
  return `ledger/region/${epoch}/checkpoints/${number}`;
}

/** What takes the place of the checkpoint after the last one of an epoch, so that nobody can sign another. */
export function closingText(nextEpoch: number): string {
  return `Closed: epoch ${nextEpoch} begins.\n`;
}

interface RegionHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  readonly verifierKeys: readonly string[];
  /** Of the newest checkpoint that is stored here; 0 for none. */
  readonly number: number;
  readonly signedSize: number;
  readonly note: string | null;
}

async function readHead(db: Db, epoch: number): Promise<RegionHead | undefined> {
  const { rows } = await sql<RegionHead>`
    select log.origin, log.size, log.root, log.verifier_keys as "verifierKeys", coalesce(signed.number, 0) as number,
      coalesce(signed.size, 0) as "signedSize", signed.note
    from region_log as log left join lateral (
      select number, size, note from region_checkpoint where epoch = log.epoch order by number desc limit 1
    ) as signed on true
    where log.epoch = ${epoch}`.execute(db);
  return rows[0];
}

/**
 * Signs the head of the region log, and returns whether there was something to sign. The checkpoint is first created in
 * the object store under the next number: whoever else signs would create the same object, and a database that was
 * restored finds the object there. One that is there already is taken over if this tree extends it.
 */
export async function signRegionHead(parts: CheckpointParts, epoch: number): Promise<boolean> {
  const { db, objects, keys } = parts;
  let head = await requireHead(db, epoch);
  if (!head || head.size === head.signedSize) return false;
  await requireExtension(db, epoch, head);
  while (head.size > head.signedSize) {
    const number: number = head.number + 1;
    const text = formatCheckpoint({ origin: head.origin, size: head.size, root: head.root, extensions: [] });
    const note = await signAs(head.origin, keys, text);
    if (await objects.create(checkpointPath(epoch, number), Buffer.from(note))) {
      await storeCheckpoint(db, epoch, number, { size: head.size, root: head.root, note });
      return true;
    }
    await takeOver(parts, epoch, number);
    const next = await requireHead(db, epoch);
    if (!next) return true;
    head = next;
  }
  return true;
}

/**
 * Compares the region log with the object store, without signing: what is there must be what is stored here, or extend
 * it by checkpoints that the tree here extends. A database that was restored is recognized before anything is signed.
 */
export async function compareWithObjects(parts: CheckpointParts, epoch: number): Promise<void> {
  const { db, objects } = parts;
  const head = await requireHead(db, epoch);
  const later = await objects.read(checkpointPath(epoch + 1, 1));
  if (later)
    throw new ForkedLog(
      `The object store has a checkpoint of epoch ${epoch + 1}, and PostgreSQL is in epoch ${epoch}: PostgreSQL was restored to an earlier point`,
    );
  const { number = 0, note = null } = head ?? {};
  if (note !== null) {
    const object = await objects.read(checkpointPath(epoch, number));
    if (object === undefined) throw new ForkedLog(`Checkpoint ${number} is missing from the object store`);
    if (object.toString() !== note)
      throw new ForkedLog(`Checkpoint ${number} in PostgreSQL differs from the one in the object store`);
    if (head) await requireExtension(db, epoch, head);
  }
  for (let next = number + 1; await takeOver(parts, epoch, next); next++);
}

async function requireHead(db: Db, epoch: number): Promise<RegionHead | undefined> {
  const head = await readHead(db, epoch);
  if (head && head.size < head.signedSize)
    throw new ForkedLog(`Checkpoint ${head.number} has ${head.signedSize} leaves, and the region log has ${head.size}`);
  return head;
}

/** The newest checkpoint that is stored here must be extended by the tree here. */
async function requireExtension(db: Db, epoch: number, head: RegionHead): Promise<void> {
  if (head.note === null) return;
  const { checkpoint } = parseSignedCheckpoint(head.note);
  if (!(await isExtended(db, epoch, checkpoint, head)))
    throw new ForkedLog(
      `The region log does not extend checkpoint ${head.number}, of ${checkpoint.size} leaves: its leaves, tiles, or head were changed`,
    );
}

/** Stores a checkpoint that is in the object store and not here. Returns false if there is none with this number. */
async function takeOver({ db, objects, keys }: CheckpointParts, epoch: number, number: number): Promise<boolean> {
  const content = await objects.read(checkpointPath(epoch, number));
  if (!content) return false;
  const found = `Checkpoint ${number} in the object store`;
  const head = await requireHead(db, epoch);
  if (!head)
    throw new ForkedLog(
      `${found} is of a region log that PostgreSQL does not have: PostgreSQL was restored to an earlier point`,
    );
  // Another sealer has stored it meanwhile.
  if (head.number >= number) return true;
  const checkpoint = await verified(content, head, keys);
  if (!checkpoint) throw new ForkedLog(`${found} is not one that this log signed`);
  if (checkpoint.size > head.size)
    throw new ForkedLog(
      `${found} has ${checkpoint.size} leaves, and the region log has ${head.size}: PostgreSQL was restored to an earlier point`,
    );
  if (checkpoint.size <= head.signedSize || !(await isExtended(db, epoch, checkpoint, head)))
    throw new ForkedLog(`${found}, of ${checkpoint.size} leaves, is not extended by the region log`);
  const { size, root } = checkpoint;
  await storeCheckpoint(db, epoch, number, { size, root: Buffer.from(root), note: content.toString() });
  return true;
}

/** Another sealer of this installation may sign with other keys, while they are rotated. */
async function verified(
  content: Buffer,
  { origin, verifierKeys }: RegionHead,
  keys: readonly LogKey[],
): Promise<Checkpoint | undefined> {
  try {
    const { checkpoint, note } = parseSignedCheckpoint(content);
    const known = [...verifierKeys.map(parseVerifierKey), ...verifierKeysOf(origin, keys)];
    const { verified, failed } = await verifyNote(note, known);
    return verified.length > 0 && failed.length === 0 && checkpoint.origin === origin ? checkpoint : undefined;
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

async function storeCheckpoint(
  db: Db,
  epoch: number,
  number: number,
  { size, root, note }: { size: number; root: Buffer; note: string },
): Promise<void> {
  await sql`
    insert into region_checkpoint (epoch, number, size, root, note, signed_at)
    values (${epoch}, ${number}, ${size}, ${root}, ${note}, now())
    on conflict (epoch, number) do nothing`.execute(db);
}
