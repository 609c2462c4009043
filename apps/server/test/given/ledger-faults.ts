import {
  appendLeaves,
  EMPTY_EDGE,
  leafHashOf,
  orgLogOrigin,
  parseRegionLeaf,
  parseSignedCheckpoint,
  parseVerifierKey,
  type RegionLeaf,
  type RightEdge,
  type SignedCheckpoint,
  verifyNote,
} from '@waymark/transparency';
import { sql } from 'kysely';
import type { ObjectStore } from '../../src/platform/blobs/object-store.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { LEAF_HASH } from '../../src/platform/journal/leaf.ts';
import { checkpointPath, closingText } from '../../src/platform/ledger/region-checkpoints.ts';

/**
 * Builds all trees again from their leaves, and returns everything that does not fit: a gap, a fork, a checkpoint that
 * another one does not extend. `lost` are epochs whose end was lost with the database.
 */
export async function findLedgerFaults(
  db: Db,
  objects: ObjectStore,
  lost: ReadonlySet<number> = new Set(),
): Promise<string[]> {
  const { rows } = await sql<{ epoch: number; origin: string; size: number; root: Buffer; verifier_keys: string[] }>`
    select epoch, origin, size, root, verifier_keys from region_log order by epoch`.execute(db);
  const faults: string[] = [];
  const heads: OrgHead[] = [];
  for (const region of rows) {
    const built = await buildRegion(db, region.epoch);
    heads.push(...built.heads);
    faults.push(...built.faults);
    if (!built.roots.get(region.size)?.equals(region.root)) faults.push(`epoch ${region.epoch}: another root`);
    faults.push(...(await checkpointFaults({ db, objects, region, built, isLost: lost.has(region.epoch) })));
  }
  return [...faults, ...(await orgFaults(db, heads, rows.at(-1)))].slice(0, 20);
}

interface OrgHead {
  readonly log: string;
  readonly size: number;
  readonly root: string;
}

interface Built {
  readonly leaves: readonly RegionLeaf[];
  readonly heads: readonly OrgHead[];
  /** The root of each size. */
  readonly roots: ReadonlyMap<number, Buffer>;
  readonly faults: readonly string[];
}

async function buildRegion(db: Db, epoch: number): Promise<Built> {
  const { rows } = await sql<{ index: number; data: string; leaf_hash: Buffer }>`
    select index, data, leaf_hash from region_leaf where epoch = ${epoch} order by index`.execute(db);
  const roots = new Map<number, Buffer>();
  const faults: string[] = [];
  let edge: RightEdge = EMPTY_EDGE;
  for (const [place, { index, data, leaf_hash }] of rows.entries()) {
    if (index !== place) faults.push(`epoch ${epoch}: leaf ${index} is at place ${place}`);
    const hash = leafHashOf(Buffer.from(data));
    if (!leaf_hash.equals(hash)) faults.push(`epoch ${epoch}: leaf ${index} has another hash`);
    const appended = appendLeaves(edge, [hash]);
    edge = appended.edge;
    roots.set(edge.size, Buffer.from(appended.root));
  }
  const leaves = rows.map(({ data }) => parseRegionLeaf(data));
  const heads = leaves.filter((leaf) => leaf.kind === 'org');
  return { leaves, heads, roots, faults };
}

interface Region {
  readonly epoch: number;
  readonly origin: string;
  readonly verifier_keys: readonly string[];
}

interface CheckpointParts {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly region: Region;
  readonly built: Built;
  readonly isLost: boolean;
}

/** Every checkpoint that was ever signed is a head of the one tree, so all extend each other. */
async function checkpointFaults(parts: CheckpointParts): Promise<string[]> {
  const { epoch } = parts.region;
  const { rows } = await sql<{ number: number; note: string }>`
    select number, note from region_checkpoint where epoch = ${epoch} order by number`.execute(parts.db);
  const stored = new Map(rows.map(({ number, note }) => [number, note]));
  const faults: string[] = [];
  let before = 0;
  for (let number = 1; ; number++) {
    const note = (await parts.objects.read(checkpointPath(epoch, number)))?.toString();
    if (note === undefined && stored.size >= number) return [...faults, `epoch ${epoch}: ${number} is not an object`];
    if (note === undefined) return faults;
    if (note === closingText(epoch + 1))
      return stored.size < number ? faults : [...faults, `epoch ${epoch}: ${number} is closed`];
    const signed = parseSignedCheckpoint(note);
    const wrong = await checkpointFault(parts, signed, stored.get(number) === note);
    if (wrong) faults.push(`checkpoint ${number} of epoch ${epoch}: ${wrong}`);
    if (signed.checkpoint.size <= before) faults.push(`checkpoint ${number} of epoch ${epoch} does not grow`);
    before = signed.checkpoint.size;
  }
}

async function checkpointFault(
  { region, built, isLost }: CheckpointParts,
  signed: SignedCheckpoint,
  isStored: boolean,
): Promise<string | undefined> {
  if (!(await isSigned(signed, region))) return 'not signed';
  if (!isStored) return isLost ? undefined : 'not the one in the database';
  const { size, root } = signed.checkpoint;
  return built.roots.get(size)?.equals(root) ? undefined : 'FORK: not of this tree';
}

async function isSigned({ checkpoint, note }: SignedCheckpoint, { origin, verifier_keys }: Region): Promise<boolean> {
  const { verified, failed } = await verifyNote(note, verifier_keys.map(parseVerifierKey));
  return checkpoint.origin === origin && verified.length > 0 && failed.length === 0;
}

interface OrgLog {
  readonly org_id: string;
  readonly log_id: string;
  readonly size: number;
  readonly root: Buffer;
  readonly note: string | null;
}

/** The log of each org has all of its entries, and every head that was announced is one of it. */
async function orgFaults(db: Db, heads: readonly OrgHead[], region: Region | undefined): Promise<string[]> {
  const { rows } = await sql<OrgLog>`
    select log.org_id, log.log_id, log.size, log.root, signed.note
    from org_log as log left join org_log_checkpoint as signed on signed.org_id = log.org_id`.execute(db);
  const ofLog = Map.groupBy(heads, ({ log }) => log);
  const faults: string[] = [];
  for (const log of rows) {
    const roots = await rootsOfOrg(db, log.org_id, faults);
    if (roots.length !== log.size + 1)
      faults.push(`${log.org_id}: ${roots.length - 1} entries, ${log.size} in the log`);
    if (!roots[log.size]?.equals(log.root)) faults.push(`${log.org_id}: another root`);
    for (const { size, root } of ofLog.get(log.log_id) ?? [])
      if (roots[size]?.toString('hex') !== root) faults.push(`${log.org_id}: head ${size} is not of this tree`);
    if (region && !isSignedHead(log, roots, region)) faults.push(`${log.org_id}: wrong checkpoint`);
  }
  return faults;
}

function isSignedHead({ log_id, note }: OrgLog, roots: readonly Buffer[], { origin }: Region): boolean {
  if (note === null) return true;
  const { checkpoint } = parseSignedCheckpoint(note);
  const isOfTree = roots[checkpoint.size]?.equals(checkpoint.root) === true;
  return isOfTree && checkpoint.origin === orgLogOrigin(origin, log_id);
}

/** The roots of the log of an org at each size, from its journal entries. */
async function rootsOfOrg(db: Db, org: string, faults: string[]): Promise<Buffer[]> {
  const { rows } = await sql<{ index: number; leaf_hash: Buffer; expected: Buffer }>`
    select ledger.index, ledger.leaf_hash, ${sql.raw(LEAF_HASH)} as expected
    from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
    where ledger.org_id = ${org} order by ledger.index`.execute(db);
  const roots = [Buffer.alloc(0)];
  let edge: RightEdge = EMPTY_EDGE;
  for (const [place, { index, leaf_hash, expected }] of rows.entries()) {
    if (index !== place) faults.push(`${org}: entry ${index} is at place ${place}`);
    if (!leaf_hash.equals(expected)) faults.push(`${org}: entry ${index} has another leaf`);
    const appended = appendLeaves(edge, [leaf_hash]);
    edge = appended.edge;
    roots.push(Buffer.from(appended.root));
  }
  return roots;
}
