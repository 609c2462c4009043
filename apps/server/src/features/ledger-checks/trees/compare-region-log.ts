import { setTimeout as pause } from 'node:timers/promises';
import {
  FormatError,
  HASH_BYTES,
  leafHashOf,
  parseRegionLeaf,
  parseSignedCheckpoint,
  parseVerifierKey,
  type RegionLeaf,
  type VerifierKey,
  verifyNote,
} from '@waymark/transparency';
import { sql } from 'kysely';
import type { ObjectStore } from '../../../platform/blobs/object-store.ts';
import type { Db } from '../../../platform/db/db.ts';
import { checkpointPath } from '../../../platform/ledger/region-checkpoints.ts';
import { nodeSha256, type StoredTree } from '../../../platform/ledger/tree.ts';
import type { OnDifference } from '../difference.ts';
import { inOneView } from '../one-view.ts';
import {
  appendInParts,
  bytesInLevel,
  EMPTY_TREE,
  type GrownPart,
  hasHashes,
  type PlacedHashes,
} from './compare-tree.ts';

const PAGE = 2_000;

export interface RegionParts {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly onDifference: OnDifference;
  /** Checkpoints that somebody stored, as signed notes. The logs must contain them. */
  readonly stored?: readonly string[];
}

interface Epoch {
  readonly epoch: number;
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  readonly roots: Buffer;
  readonly verifier_keys: readonly string[];
  readonly previous_origin: string | null;
  readonly previous_size: number | null;
  readonly previous_root: Buffer | null;
}

interface SignedHead {
  readonly number: number;
  readonly size: number;
  readonly root: Buffer;
  readonly note: string;
}

interface LeafRow {
  readonly index: number;
  readonly log_id: string | null;
  readonly size: number | null;
  readonly data: string;
  readonly leaf_hash: Buffer;
  readonly has_log: boolean;
}

/** Compares the region log of every epoch with its checkpoints, here and in the object store. Returns its leaves. */
export async function compareRegionLogs(parts: RegionParts): Promise<number> {
  const { leaves, newest } = await inOneView(parts.db, (db) => compareEpochs({ ...parts, db }));
  if (newest) await findLaterObject(parts, newest);
  return leaves;
}

interface Compared {
  readonly leaves: number;
  /** The last checkpoint; 0 for none. */
  readonly newest: { readonly epoch: number; readonly number: number } | undefined;
}

async function compareEpochs(parts: RegionParts): Promise<Compared> {
  const { rows: epochs } = await sql<Epoch>`select * from region_log order by epoch`.execute(parts.db);
  let leaves = 0;
  let newest: Compared['newest'];
  for (const [i, log] of epochs.entries()) {
    const { tree, number } = await compareEpoch(parts, log);
    leaves += tree.size;
    newest = { epoch: log.epoch, number };
    compareSuccession(parts, epochs[i - 1], log);
  }
  await compareSealer(parts, newest?.epoch ?? 0);
  return { leaves, newest };
}

const TRIES = 5;
const BETWEEN_TRIES_MS = 1_000;

/** A checkpoint is in the object store a moment before it is in PostgreSQL. */
async function findLaterObject(
  { db, objects, onDifference }: RegionParts,
  { epoch, number }: { readonly epoch: number; readonly number: number },
): Promise<void> {
  const path = checkpointPath(epoch, number + 1);
  for (let tries = 0; tries < (db.isTransaction ? 1 : TRIES); tries++) {
    if (tries > 0) await pause(BETWEEN_TRIES_MS);
    if (!(await objects.read(path))) return;
    const { rows } = await sql`
      select from region_checkpoint where epoch = ${epoch} and number = ${number + 1}`.execute(db);
    if (rows.length > 0) return;
  }
  const says = 'is a later checkpoint than the last one in PostgreSQL';
  onDifference({ org: null, table: 'object', row: path, column: null, index: null, says });
}

/** What is known of the region log of an epoch up to a size. */
interface EpochPlace {
  readonly tree: StoredTree;
  readonly keys: ReadonlyMap<string, VerifierKey>;
  /** Of the last checkpoint. */
  readonly number: number;
  readonly signed: number;
}

async function compareEpoch(parts: RegionParts, log: Epoch): Promise<EpochPlace> {
  let place: EpochPlace = { tree: EMPTY_TREE, keys: new Map(), number: 0, signed: 0 };
  for (;;) {
    const rows = await readLeaves(parts.db, log.epoch, place.tree.size);
    if (rows.length === 0) break;
    place = await compareLeaves(parts, log, place, rows);
  }
  await compareEnd(parts, log, place);
  return place;
}

async function compareLeaves(
  parts: RegionParts,
  log: Epoch,
  before: EpochPlace,
  rows: readonly LeafRow[],
): Promise<EpochPlace> {
  const keys = new Map(before.keys);
  for (const row of rows) compareLeaf(parts, log, row, keys);
  const from = before.tree.size;
  const heads = await listSigned(parts.db, log.epoch, from, from + rows.length);
  const stored = storedOf(parts, log.origin);
  const sizes = [...heads, ...stored, log].map(({ size }) => size);
  const leaves = rows.map(({ leaf_hash }) => leaf_hash);
  const tiles: PlacedHashes[] = [];
  let place: EpochPlace = { ...before, keys };
  for (const part of appendInParts(before.tree, leaves, sizes)) {
    tiles.push(...part.tiles);
    const { size } = part.tree;
    for (const head of stored)
      if (head.size === size && !part.root.equals(Buffer.from(head.root))) reportStored(parts, log, size, place.signed);
    place = { ...place, tree: part.tree };
    for (const head of heads.filter((one) => one.size === size)) {
      compareNumber(parts, log, place.number, head);
      await compareCheckpoint(parts, log, head, part.root, [...keys.values()]);
      place = { ...place, number: head.number, signed: size };
    }
    if (size === log.size) compareHead(parts, log, part);
  }
  await compareTiles(parts, log.epoch, tiles);
  return place;
}

async function readLeaves(db: Db, epoch: number, from: number): Promise<LeafRow[]> {
  const { rows } = await sql<LeafRow>`
    select index, log_id, size, data, leaf_hash,
      log_id is null or exists (
        select from org_log where org_log.log_id = region_leaf.log_id and org_log.org_id is not null) as has_log
    from region_leaf where epoch = ${epoch} and index >= ${from} order by index limit ${PAGE}`.execute(db);
  const gap = rows.findIndex(({ index }, i) => index !== from + i);
  return gap === -1 ? rows : rows.slice(0, gap);
}

async function listSigned(db: Db, epoch: number, from: number, to: number): Promise<SignedHead[]> {
  const { rows } = await sql<SignedHead>`
    select number, size, root, note from region_checkpoint
    where epoch = ${epoch} and size > ${from} and size <= ${to} order by number`.execute(db);
  return rows;
}

function compareLeaf({ onDifference }: RegionParts, log: Epoch, row: LeafRow, keys: Map<string, VerifierKey>): void {
  const about = { org: null, table: 'region_leaf', row: `${log.epoch}/${row.index}`, index: null };
  const leaf = leafIn(row.data);
  if (!leaf) {
    onDifference({ ...about, column: 'data', says: 'is not a leaf of the region log' });
    return;
  }
  if (!row.leaf_hash.equals(leafHashOf(Buffer.from(row.data), nodeSha256)))
    onDifference({ ...about, column: 'leaf_hash', says: 'is not that of its data' });
  const [logId, size] = leaf.kind === 'org' ? [leaf.log, leaf.size] : [null, null];
  if (row.log_id !== logId)
    onDifference({ ...about, column: 'log_id', says: `is ${row.log_id}, and ${logId} in its data` });
  if (row.size !== size) onDifference({ ...about, column: 'size', says: `is ${row.size}, and ${size} in its data` });
  if (!row.has_log)
    onDifference({
      ...about,
      column: 'log_id',
      says: `is ${row.log_id}, the log of an org that does not exist any more`,
    });
  if (leaf.kind === 'keys') for (const key of leaf.keys) keys.set(key, parseVerifierKey(key));
}

function leafIn(data: string): RegionLeaf | undefined {
  try {
    return parseRegionLeaf(data);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

function compareNumber({ onDifference }: RegionParts, { epoch }: Epoch, last: number, { number }: SignedHead): void {
  if (number === last + 1) return;
  const about = { org: null, table: 'region_checkpoint', row: `${epoch}/${number}`, column: null, index: null };
  onDifference({ ...about, says: `follows checkpoint ${last}: those between them are missing` });
}

async function compareCheckpoint(
  { objects, onDifference }: RegionParts,
  log: Epoch,
  head: SignedHead,
  root: Buffer,
  keys: readonly VerifierKey[],
): Promise<void> {
  const name = `${log.epoch}/${head.number}`;
  const about = { org: null, table: 'region_checkpoint', row: name, index: null };
  if (!head.root.equals(root))
    onDifference({ ...about, column: 'root', says: `is not that of the first ${head.size} leaves of the region log` });
  const problem = await noteProblem(head, log.origin, root, keys);
  if (problem) onDifference({ ...about, column: 'note', says: problem });
  const path = checkpointPath(log.epoch, head.number);
  const stored = await objects.read(path);
  if (stored?.toString() === head.note) return;
  const says = stored ? `differs from the note in region_checkpoint ${name}` : 'is missing';
  onDifference({ ...about, table: 'object', row: path, column: null, says });
}

async function noteProblem(
  head: SignedHead,
  origin: string,
  root: Buffer,
  keys: readonly VerifierKey[],
): Promise<string | undefined> {
  try {
    const { checkpoint, note } = parseSignedCheckpoint(head.note);
    if (checkpoint.origin !== origin) return `is of the log '${checkpoint.origin}'`;
    if (checkpoint.size !== head.size) return `is of ${checkpoint.size} leaves, not ${head.size}`;
    if (!root.equals(Buffer.from(checkpoint.root))) return `has another root than the first ${head.size} leaves`;
    const { verified, failed } = await verifyNote(note, keys);
    if (failed.length > 0 || verified.length === 0) return 'has no valid signature of a key that the log announced';
    return undefined;
  } catch (error) {
    if (error instanceof FormatError) return `is not a signed checkpoint: ${error.message}`;
    throw error;
  }
}

function storedOf({ stored = [] }: RegionParts, origin: string) {
  return stored
    .map((note) => parseSignedCheckpoint(note).checkpoint)
    .filter((checkpoint) => checkpoint.origin === origin);
}

function reportStored({ onDifference }: RegionParts, { epoch }: Epoch, size: number, signed: number): void {
  const says = `leaves ${signed} to ${size - 1} are not those in the checkpoint of ${size} leaves that was stored`;
  onDifference({
    org: null,
    table: 'region_leaf',
    row: `${epoch}/${signed}-${size - 1}`,
    column: null,
    index: null,
    says,
  });
}

function compareHead({ onDifference }: RegionParts, log: Epoch, { tree, root }: GrownPart): void {
  const about = { org: null, table: 'region_log', row: `${log.epoch}`, index: null };
  const leaves = `its ${log.size} leaves`;
  if (!log.root.equals(root)) onDifference({ ...about, column: 'root', says: `is not that of ${leaves}` });
  if (!log.roots.equals(tree.roots)) onDifference({ ...about, column: 'roots', says: `are not those of ${leaves}` });
}

async function compareTiles(
  { db, onDifference }: RegionParts,
  epoch: number,
  tiles: readonly PlacedHashes[],
): Promise<void> {
  for (const tile of tiles) {
    const { level, index } = tile;
    const { rows } = await sql<{ hashes: Buffer }>`
      select hashes from region_tile where epoch = ${epoch} and level = ${level} and index = ${index}`.execute(db);
    if (hasHashes(rows[0]?.hashes, tile)) continue;
    const says = rows[0] ? 'are not those of the leaves of the region log' : 'is missing';
    const row = `${epoch}/${level}/${index}`;
    onDifference({ org: null, table: 'region_tile', row, column: rows[0] ? 'hashes' : null, index: null, says });
  }
}

async function compareEnd(parts: RegionParts, log: Epoch, { tree: { size } }: EpochPlace): Promise<void> {
  const { db, onDifference } = parts;
  const about = { org: null, row: `${log.epoch}`, index: null };
  if (log.size !== size)
    onDifference({
      ...about,
      table: 'region_log',
      column: 'size',
      says: `is ${log.size}, but ${size} leaves follow each other`,
    });
  const { rows } = await sql<{ number: number; size: number }>`
    select number, size from region_checkpoint where epoch = ${log.epoch} and (size > ${size} or size = 0)`.execute(db);
  for (const head of rows) {
    const says = `is of ${head.size} leaves, and ${size} are left`;
    onDifference({ ...about, table: 'region_checkpoint', row: `${log.epoch}/${head.number}`, column: null, says });
  }
  for (const checkpoint of storedOf(parts, log.origin)) {
    if (checkpoint.size <= size) continue;
    const says = `has ${size} leaves, and the checkpoint that was stored has ${checkpoint.size}`;
    onDifference({ ...about, table: 'region_log', column: 'size', says });
  }
  for (const [level, bytes] of await tileBytes(db, log.epoch)) {
    if (bytes === bytesInLevel(level, size)) continue;
    const says = `of level ${level} have ${bytes / HASH_BYTES} hashes, and the log has ${bytesInLevel(level, size) / HASH_BYTES}`;
    onDifference({ ...about, table: 'region_tile', row: `${log.epoch}/${level}`, column: null, says });
  }
}

async function tileBytes(db: Db, epoch: number): Promise<[number, number][]> {
  const { rows } = await sql<{ level: number; bytes: number }>`
    select level, sum(octet_length(hashes))::bigint as bytes from region_tile where epoch = ${epoch} group by level
  `.execute(db);
  return rows.map(({ level, bytes }) => [level, bytes]);
}

/** A new epoch names the last checkpoint of the one before it. */
function compareSuccession({ onDifference }: RegionParts, before: Epoch | undefined, log: Epoch): void {
  if (!before || log.previous_origin === before.origin) return;
  const says = `is ${log.previous_origin}, but the epoch before it has the origin ${before.origin}`;
  onDifference({ org: null, table: 'region_log', row: `${log.epoch}`, column: 'previous_origin', index: null, says });
}

async function compareSealer({ db, onDifference }: RegionParts, newest: number): Promise<void> {
  const { rows } = await sql<{ epoch: number; stopped_because: string | null }>`
    select epoch, stopped_because from sealer`.execute(db);
  const about = { org: null, table: 'sealer', row: 'one', index: null };
  const [sealer] = rows;
  if (newest > 0 && sealer && sealer.epoch < newest)
    onDifference({ ...about, column: 'epoch', says: `is ${sealer.epoch}, but epoch ${newest} has begun` });
}
