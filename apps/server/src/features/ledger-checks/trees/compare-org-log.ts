import { HASH_BYTES, TILE_WIDTH } from '@waymark/transparency';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { StoredTree } from '../../../platform/ledger/tree.ts';
import type { OnDifference } from '../difference.ts';
import type { LedgerRow } from '../order/ledger-page.ts';
import { appendInParts, bytesInLevel, type GrownPart, hasHashes, type PlacedHashes } from './compare-tree.ts';

interface Announced {
  readonly epoch: number;
  readonly size: number;
  readonly root: string | null;
}

/** Heads of a log in the region log, in the order of their sizes. */
async function listAnnounced(db: Db, org: string, from: number, to: number): Promise<Announced[]> {
  const { rows } = await sql<Announced>`
    select leaf.epoch, leaf.size, readable_json(leaf.data) ->> 'root' as root
    from org_log join region_leaf as leaf on leaf.log_id = org_log.log_id
    where org_log.org_id = ${org} and leaf.size > ${from} and leaf.size <= ${to}
    order by leaf.size, leaf.epoch`.execute(db);
  return rows;
}

interface StoredLog {
  readonly size: number;
  readonly position: number;
  readonly root: Buffer;
  readonly roots: Buffer;
}

/** Appends a page of the ledger to the tree of its org, and compares tiles and announced heads with it. */
export async function compareOrgLog(
  db: Db,
  org: string,
  before: StoredTree,
  rows: readonly LedgerRow[],
  onDifference: OnDifference,
): Promise<StoredTree> {
  const heads = await listAnnounced(db, org, before.size, before.size + rows.length);
  const { rows: logs } =
    await sql<StoredLog>`select size, position, root, roots from org_log where org_id = ${org}`.execute(db);
  const [log = { size: 0, position: 0, root: Buffer.alloc(0), roots: Buffer.alloc(0) }] = logs;
  const sizes = [...heads.map(({ size }) => size), log.size];
  const leaves = rows.map(({ leaf_hash }) => leaf_hash);
  const tiles: PlacedHashes[] = [];
  let tree = before;
  let known = before.size;
  for (const part of appendInParts(before, leaves, sizes)) {
    ({ tree } = part);
    tiles.push(...part.tiles);
    const here = heads.filter(({ size }) => size === tree.size);
    compareAnnounced(org, known, part, here, onDifference);
    if (here.length > 0) known = tree.size;
    if (log.size === tree.size) compareHead(org, log, part, rows[tree.size - before.size - 1], onDifference);
  }
  await compareTiles(db, org, tiles, log.size, onDifference);
  return tree;
}

function compareAnnounced(
  org: string,
  from: number,
  { tree: { size }, root }: GrownPart,
  heads: readonly Announced[],
  report: OnDifference,
): void {
  for (const head of heads) {
    if (head.root === root.toString('hex')) continue;
    const entries = size - from === 1 ? `entry ${from} is not the one` : `entries ${from} to ${size - 1} are not those`;
    const says = `${entries} in the head that epoch ${head.epoch} of the region log announced`;
    report({ org, table: 'ledger', row: `${from}-${size - 1}`, column: 'leaf_hash', index: from, says });
  }
}

function compareHead(
  org: string,
  log: StoredLog,
  { tree, root }: GrownPart,
  last: LedgerRow | undefined,
  report: OnDifference,
): void {
  const about = { org, table: 'org_log', row: org, index: null };
  const entries = `the ${log.size} entries in the ledger`;
  if (last && log.position !== last.position)
    report({
      ...about,
      column: 'position',
      says: `is ${log.position}, but that of its last entry is ${last.position}`,
    });
  if (!log.root.equals(root)) report({ ...about, column: 'root', says: `is not that of ${entries}` });
  if (!log.roots.equals(tree.roots)) report({ ...about, column: 'roots', says: `are not those of ${entries}` });
}

async function compareTiles(
  db: Db,
  org: string,
  tiles: readonly PlacedHashes[],
  sealed: number,
  report: OnDifference,
): Promise<void> {
  for (const tile of tiles) {
    const { level, index, offset, hashes } = tile;
    // What is sequenced and not sealed yet has no tiles.
    const width = Math.min(
      hashes.length,
      Math.max(0, bytesInLevel(level, sealed) - (index * TILE_WIDTH + offset) * HASH_BYTES),
    );
    if (width === 0) continue;
    const { rows } = await sql<{ hashes: Buffer }>`
      select hashes from org_log_tile where org_id = ${org} and level = ${level} and index = ${index}`.execute(db);
    const expected = { ...tile, hashes: hashes.subarray(0, width) };
    if (hasHashes(rows[0]?.hashes, expected)) continue;
    const says = rows[0] ? 'are not those of the entries in the ledger' : 'is missing';
    const first = (index * TILE_WIDTH + offset) * TILE_WIDTH ** level;
    const row = `${level}/${index}`;
    report({ org, table: 'org_log_tile', row, column: rows[0] ? 'hashes' : null, index: first, says });
  }
}

interface Sizes {
  readonly size: number;
  readonly head: number;
  readonly sealed: number;
  readonly announced: number;
}

/** Compares what is counted of the ledger of an org with its last entry. */
export async function compareSizes(db: Db, org: string, report: OnDifference): Promise<void> {
  const { rows } = await sql<Sizes>`
    select coalesce((select max(index) + 1 from ledger where org_id = ${org}), 0) as size,
      coalesce((select size from ledger_head where org_id = ${org}), 0) as head,
      coalesce(log.size, 0) as sealed,
      coalesce((select max(leaf.size) from region_leaf as leaf where leaf.log_id = log.log_id), 0) as announced
    from (select) as one left join org_log as log on log.org_id = ${org}`.execute(db);
  const [{ size, head, sealed, announced } = { size: 0, head: 0, sealed: 0, announced: 0 }] = rows;
  const about = { org, row: org, index: null };
  if (head !== size)
    report({ ...about, table: 'ledger_head', column: 'size', says: `is ${head}, but the ledger has ${size} entries` });
  const lost = { org, table: 'ledger', column: null, index: size };
  if (sealed > size)
    report({ ...lost, row: `${size}-${sealed - 1}`, says: `${sealed} entries were sealed, and ${size} are left` });
  if (announced > size) {
    const says = `the region log announced ${announced} entries, and ${size} are left`;
    report({ ...lost, row: `${size}-${announced - 1}`, says });
  }
  await compareTileSizes(db, org, sealed, report);
}

async function compareTileSizes(db: Db, org: string, sealed: number, report: OnDifference): Promise<void> {
  const { rows } = await sql<{ level: number; bytes: number }>`
    select level, sum(octet_length(hashes))::bigint as bytes from org_log_tile where org_id = ${org}
    group by level order by level`.execute(db);
  const levels = new Map(rows.map(({ level, bytes }) => [level, bytes]));
  for (let level = 1; level <= 8; level++) {
    const [found, expected] = [levels.get(level) ?? 0, bytesInLevel(level, sealed)];
    if (found === expected) continue;
    const says = `of level ${level} have ${found / HASH_BYTES} hashes, and the log has ${expected / HASH_BYTES}`;
    report({ org, table: 'org_log_tile', row: `${level}`, column: null, index: null, says });
  }
}
