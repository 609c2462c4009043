import { formatRegionLeaf, leafHashOf, type RegionLeaf, regionOrigin } from '@waymark/transparency';
import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import { type LogKey, verifierKeyTexts } from './log-keys.ts';
import { fence, type SealerState } from './sealer-state.ts';
import { growTree, nodeSha256, type StoredTree } from './tree.ts';

/** Heads in a pass: some milliseconds of hashing. */
const MAX_HEADS = 4_096;

const NO_LOG = '00000000-0000-0000-0000-000000000000';

export interface RegionKeys {
  /** The name of the log, with which the origin of a new epoch begins. */
  readonly name: string;
  /** Newest first. */
  readonly keys: readonly LogKey[];
}

interface Head {
  readonly org_id: string;
  readonly log_id: string;
  readonly size: number;
  readonly root: Buffer;
}

/** By the random id, so that the order of the leaves says nothing about orgs either. */
const findMovedHeads = statement<{ epoch: number; after: string; limit: number }, Head>(
  'find_moved_heads',
  `select org_id, log_id, size, root from org_log
   where log_id > :after and (announced_epoch <> :epoch or announced_size < size) and size > 0
   order by log_id limit :limit`,
);

interface RegionTree extends StoredTree {
  readonly origin: string;
  readonly verifierKeys: readonly string[];
}

async function readRegionTree(db: Db, epoch: number): Promise<RegionTree | undefined> {
  const { rows } = await sql<{ origin: string; size: number; roots: Buffer; verifier_keys: string[] }>`
    select origin, size, roots, verifier_keys from region_log where epoch = ${epoch}`.execute(db);
  const [row] = rows;
  return row && { origin: row.origin, size: row.size, roots: row.roots, verifierKeys: row.verifier_keys };
}

/** Appends all heads that moved to the region log. */
export async function takeRegionPasses({ db, ...keys }: RegionKeys & { readonly db: Db }, state: SealerState) {
  let pass: RegionPass = { state, after: NO_LOG };
  do pass = await takeRegionPass(db, keys, pass);
  while (pass.after !== NO_LOG);
  return pass.state;
}

interface RegionPass {
  readonly state: SealerState;
  /** The last log whose head was announced: the next pass begins behind it. */
  readonly after: string;
}

/**
 * Appends heads that moved to the region log, in one transaction behind the fence. Keys are announced before the first
 * checkpoint that they sign.
 */
async function takeRegionPass(db: Db, { name, keys }: RegionKeys, { state, after }: RegionPass): Promise<RegionPass> {
  const { epoch } = state;
  const heads = await findMovedHeads(db, { epoch, after, limit: MAX_HEADS });
  const next = heads.length < MAX_HEADS ? NO_LOG : (heads.at(-1)?.log_id ?? NO_LOG);
  const known = await readRegionTree(db, epoch);
  const tree = known ?? { origin: regionOrigin(name, epoch), size: 0, roots: Buffer.alloc(0), verifierKeys: [] };
  const verifierKeys = verifierKeyTexts(tree.origin, keys);
  const areKeysKnown = verifierKeys.join() === tree.verifierKeys.join();
  const leaves: RegionLeaf[] = [
    ...(areKeysKnown ? [] : [{ kind: 'keys' as const, keys: verifierKeys }]),
    ...heads.map(({ log_id: log, size, root }) => ({ kind: 'org' as const, log, size, root: root.toString('hex') })),
  ];
  if (leaves.length === 0) return { state, after: next };
  await db.transaction().execute(async (db) => {
    await fence(db, state);
    if (!known)
      await sql`insert into region_log (epoch, origin, began_at) values (${epoch}, ${tree.origin}, now())`.execute(db);
    await appendRegionLeaves(db, epoch, tree, leaves);
    await sql`update region_log set verifier_keys = ${verifierKeys} where epoch = ${epoch}`.execute(db);
    await storeAnnounced(db, { orgs: heads.map(({ org_id }) => org_id), sizes: heads.map(({ size }) => size), epoch });
  });
  return { state: { ...state, pass: state.pass + 1 }, after: next };
}

const storeAnnounced = statement<{ orgs: readonly string[]; sizes: readonly number[]; epoch: number }, never>(
  'store_announced_heads',
  `update org_log as log set announced_epoch = :epoch, announced_size = head.size
   from unnest(:orgs::uuid[], :sizes::bigint[]) as head (org_id, size) where log.org_id = head.org_id`,
);

const storeLeaves = statement<
  {
    epoch: number;
    first: number;
    logs: readonly (string | null)[];
    sizes: readonly (number | null)[];
    data: readonly string[];
    hashes: readonly Buffer[];
  },
  never
>(
  'store_region_leaves',
  `insert into region_leaf (epoch, index, log_id, size, data, leaf_hash, appended_at)
   select :epoch, :first::bigint + place - 1, log_id, size, data, leaf_hash, now()
   from unnest(:logs::uuid[], :sizes::bigint[], :data::text[], :hashes::bytea[])
     with ordinality as leaf (log_id, size, data, leaf_hash, place)`,
);

const storeTiles = statement<
  {
    epoch: number;
    levels: readonly number[];
    indexes: readonly number[];
    hashes: readonly Buffer[];
  },
  never
>(
  'store_region_tiles',
  `insert into region_tile as tile (epoch, level, index, hashes)
   select :epoch, level, index, hashes
   from unnest(:levels::smallint[], :indexes::bigint[], :hashes::bytea[]) as grown (level, index, hashes)
   on conflict (epoch, level, index) do update set hashes = tile.hashes || excluded.hashes`,
);

/** Appends leaves in the transaction of a pass. */
export async function appendRegionLeaves(
  db: Db,
  epoch: number,
  before: StoredTree,
  leaves: readonly RegionLeaf[],
): Promise<void> {
  const data = leaves.map(formatRegionLeaf);
  const hashes = data.map((text) => Buffer.from(leafHashOf(Buffer.from(text), nodeSha256)));
  const grown = growTree(before, hashes);
  await storeLeaves(db, {
    epoch,
    first: before.size,
    logs: leaves.map((leaf) => (leaf.kind === 'org' ? leaf.log : null)),
    sizes: leaves.map((leaf) => (leaf.kind === 'org' ? leaf.size : null)),
    data,
    hashes,
  });
  await storeTiles(db, {
    epoch,
    levels: grown.tiles.map(({ level }) => level),
    indexes: grown.tiles.map(({ index }) => index),
    hashes: grown.tiles.map(({ hashes }) => hashes),
  });
  await sql`
    update region_log set size = ${grown.size}, roots = ${grown.roots}, root = ${Buffer.from(grown.root)}
    where epoch = ${epoch}`.execute(db);
}
