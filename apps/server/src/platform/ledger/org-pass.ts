import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import { fence, type SealerState } from './sealer-state.ts';
import { type Grown, growTree } from './tree.ts';

/** Orgs in a pass, and entries: one with a long history gets its share, and cannot keep the others waiting. */
const MAX_ORGS = 1_024;
const MAX_ENTRIES = 16_384;
const MIN_SHARE = 64;

const NO_ORG = '00000000-0000-0000-0000-000000000000';

export interface OrgPass {
  readonly state: SealerState;
  /** The last org that was sealed: the next pass begins behind it. */
  readonly after: string | undefined;
  readonly entries: number;
  readonly isMore: boolean;
}

interface Behind {
  readonly org_id: string;
  readonly size: number;
  readonly position: number;
  readonly roots: Buffer;
  readonly head: number;
}

const findBehind = statement<{ after: string; limit: number }, Behind>(
  'find_unsealed_orgs',
  `select head.org_id, head.size as head, coalesce(log.size, 0) as size, coalesce(log.position, 0) as position,
     coalesce(log.roots, '') as roots
   from ledger_head as head left join org_log as log on log.org_id = head.org_id
   where head.org_id > :after and head.size > coalesce(log.size, 0) and log.stopped_because is null
   order by head.org_id limit :limit`,
);

interface Entry {
  readonly org_id: string;
  readonly index: number;
  readonly position: number;
  readonly leaf_hash: Buffer;
}

/**
 * The entries of an org have positions in the order of their indexes. The upper one spares the ranges of the ledger that
 * were made ahead of time.
 */
const readEntries = statement<
  { orgs: readonly string[]; sizes: readonly number[]; positions: readonly number[]; share: number },
  Entry
>(
  'read_unsealed_entries',
  `select entry.org_id, entry.index, entry.position, entry.leaf_hash
   from unnest(:orgs::uuid[], :sizes::bigint[], :positions::bigint[]) as org (org_id, size, position)
   cross join lateral (
     select ledger.org_id, ledger.index, ledger.position, ledger.leaf_hash from ledger
     where ledger.org_id = org.org_id and ledger.index >= org.size and ledger.position > org.position
       and ledger.position <= (select max(position) from lane_head)
     order by ledger.index limit :share
   ) as entry
   order by entry.org_id, entry.index`,
);

/**
 * Appends what was sequenced to the logs of orgs, in one transaction behind the fence: of as many orgs as a pass takes,
 * from the one after the last on, and of each org up to its share.
 */
export async function takeOrgPass(db: Db, state: SealerState, after: string = NO_ORG): Promise<OrgPass> {
  const found = await findBehind(db, { after, limit: MAX_ORGS });
  if (found.length === 0) return { state, after: undefined, entries: 0, isMore: after !== NO_ORG };
  const share = Math.max(MIN_SHARE, Math.floor(MAX_ENTRIES / found.length));
  const entries = await readEntries(db, {
    orgs: found.map(({ org_id }) => org_id),
    sizes: found.map(({ size }) => size),
    positions: found.map(({ position }) => position),
    share,
  });
  const ofOrg = Map.groupBy(entries, ({ org_id }) => org_id);
  const sealed = found.map((org) => seal(org, ofOrg.get(org.org_id) ?? []));
  await db.transaction().execute(async (db) => {
    await fence(db, state, entries.length);
    await store(db, sealed.filter(isSealed), state.epoch);
    for (const org of sealed) if (!isSealed(org)) await stopOrg(db, org);
  });
  const isCut = found.some(({ size, head }) => head - size > share);
  const next = found.length < MAX_ORGS ? undefined : found.at(-1)?.org_id;
  return {
    state: { ...state, pass: state.pass + 1 },
    after: next,
    entries: entries.length,
    isMore: isCut || next !== undefined,
  };
}

interface SealedOrg {
  readonly org: string;
  readonly position: number;
  readonly tree: Grown;
}

interface StoppedOrg {
  readonly org: string;
  readonly because: string;
}

const isSealed = (org: SealedOrg | StoppedOrg): org is SealedOrg => 'tree' in org;

function seal({ org_id: org, size, position, roots }: Behind, entries: readonly Entry[]): SealedOrg | StoppedOrg {
  const missing = entries.findIndex(({ index }, i) => index !== size + i);
  if (entries.length === 0 || missing !== -1) {
    const index = size + Math.max(0, missing);
    return { org, because: `Entry ${index} is missing from the ledger, or is not where it was sequenced` };
  }
  const tree = growTree(
    { size, roots },
    entries.map(({ leaf_hash }) => leaf_hash),
  );
  return { org, position: entries.at(-1)?.position ?? position, tree };
}

const storeLogs = statement<
  {
    orgs: readonly string[];
    sizes: readonly number[];
    positions: readonly number[];
    roots: readonly Buffer[];
    root: readonly Buffer[];
    epoch: number;
  },
  { org_id: string }
>(
  'store_org_logs',
  `insert into org_log (org_id, size, position, roots, root, announced_epoch, announced_size)
   select org_id, size, position, roots, root, :epoch, 0
   from unnest(:orgs::uuid[], :sizes::bigint[], :positions::bigint[], :roots::bytea[], :root::bytea[])
     as sealed (org_id, size, position, roots, root)
   order by org_id
   on conflict (org_id) do update
     set size = excluded.size, position = excluded.position, roots = excluded.roots, root = excluded.root`,
);

/** The fence lets one sealer at a time continue a tile, so the hashes come behind those that it has. */
const storeTiles = statement<
  {
    orgs: readonly string[];
    levels: readonly number[];
    indexes: readonly number[];
    hashes: readonly Buffer[];
  },
  { org_id: string }
>(
  'store_org_log_tiles',
  `insert into org_log_tile as tile (org_id, level, index, hashes)
   select org_id, level, index, hashes
   from unnest(:orgs::uuid[], :levels::smallint[], :indexes::bigint[], :hashes::bytea[])
     as grown (org_id, level, index, hashes)
   order by org_id, level, index
   on conflict (org_id, level, index) do update set hashes = tile.hashes || excluded.hashes
   returning org_id`,
);

async function store(db: Db, sealed: readonly SealedOrg[], epoch: number): Promise<void> {
  await storeLogs(db, {
    orgs: sealed.map(({ org }) => org),
    sizes: sealed.map(({ tree }) => tree.size),
    positions: sealed.map(({ position }) => position),
    roots: sealed.map(({ tree }) => tree.roots),
    root: sealed.map(({ tree }) => Buffer.from(tree.root)),
    epoch,
  });
  const tiles = sealed.flatMap(({ org, tree }) => tree.tiles.map((tile) => ({ org, ...tile })));
  if (tiles.length === 0) return;
  await storeTiles(db, {
    orgs: tiles.map(({ org }) => org),
    levels: tiles.map(({ level }) => level),
    indexes: tiles.map(({ index }) => index),
    hashes: tiles.map(({ hashes }) => hashes),
  });
}

/** Other orgs are sealed on. */
async function stopOrg(db: Db, { org, because }: StoppedOrg): Promise<void> {
  await sql`
    insert into org_log (org_id, size, position, roots, root, announced_epoch, announced_size, stopped_because)
    values (${org}, 0, 0, '', sha256(''), 1, 0, ${because})
    on conflict (org_id) do update set stopped_because = excluded.stopped_because`.execute(db);
}
