import {
  encodeEntries,
  entriesPath,
  HASH_BYTES,
  leafHashOf,
  type ReadTile,
  sameHash,
  TILE_WIDTH,
  type TileId,
  tilePath,
} from '@waymark/transparency';
import { sql } from 'kysely';
import type { ObjectStore } from '../blobs/object-store.ts';
import type { Db } from '../db/db.ts';
import { isUnavailable } from '../db/failure.ts';
import { statement } from '../db/statement.ts';
import { type OrgLog, readLeaves, readOrgTiles } from './org-tiles.ts';
import { readRegionLeaves, readRegionTiles } from './region-tiles.ts';
import { nodeSha256 } from './tree.ts';

/** Tiles of one log before it is the turn of the next. */
const SHARE = 16;
const LOGS_AT_ONCE = 64;
const NO_ORG = '00000000-0000-0000-0000-000000000000';

export interface ArchiveParts {
  readonly db: Db;
  readonly objects: ObjectStore;
}

/** Where the full tiles and entry bundles of a log are, as C2SP tlog-tiles names them, in each epoch anew. */
export function orgArchive(logId: string, epoch: number): string {
  return `ledger/org/${logId}/${epoch}`;
}

export function regionArchive(epoch: number): string {
  return `ledger/region/${epoch}`;
}

/** A log, as far as a checkpoint covers it. */
interface Source {
  readonly prefix: string;
  readonly from: number;
  readonly to: number;
  readonly readTiles: (tiles: readonly TileId[]) => Promise<ReadTile>;
  readonly readLeaves: (first: number) => Promise<readonly Uint8Array[]>;
}

export interface ArchiveRound {
  /** How many leaves are new in the object store. */
  readonly leaves: number;
  /** Logs that could not be archived, with the reason. */
  readonly failures: readonly { readonly log: string; readonly error: unknown }[];
  /** The last org of the round, behind which the next one begins; undefined at the end. */
  readonly last: string | undefined;
}

/**
 * Puts the full tiles and entry bundles that signed checkpoints cover into the object store, where nothing replaces them.
 * The partial ones are in PostgreSQL only. May be repeated at any time. A log that fails does not delay the others.
 */
export async function archiveRound(parts: ArchiveParts, after = NO_ORG): Promise<ArchiveRound> {
  const failures: ArchiveRound['failures'][number][] = [];
  const tried = async (log: string, archive: () => Promise<number>) => {
    try {
      return await archive();
    } catch (error) {
      if (isUnavailable(error)) throw error;
      failures.push({ log, error });
      return 0;
    }
  };
  let leaves = after === NO_ORG ? await tried('region', () => archiveRegion(parts)) : 0;
  const logs = await findBehind(parts.db, { after, limit: LOGS_AT_ONCE });
  for (const log of logs) leaves += await tried(log.log_id, () => archiveOrg(parts, log));
  return { leaves, failures, last: logs.length < LOGS_AT_ONCE ? undefined : logs.at(-1)?.org_id };
}

interface Behind extends OrgLog {
  readonly epoch: number;
  readonly signed_size: number;
  readonly archived_size: number;
}

const findBehind = statement<{ after: string; limit: number }, Behind>(
  'find_unarchived_logs',
  `select log.org_id, log.log_id, log.size, log.root, log.position, signed.epoch, signed.size as signed_size,
     signed.archived_size
   from org_log_checkpoint as signed join org_log as log on log.org_id = signed.org_id
   where signed.size >= signed.archived_size + ${TILE_WIDTH} and signed.org_id > :after
   order by signed.org_id limit :limit`,
);

async function archiveOrg({ db, objects }: ArchiveParts, log: Behind): Promise<number> {
  const { org_id, epoch, archived_size: from } = log;
  const to = await archive(objects, {
    ...{ prefix: orgArchive(log.log_id, epoch), from, to: log.signed_size },
    readTiles: (tiles) => readOrgTiles(db, log, tiles),
    readLeaves: async (first) => {
      const leaves = await readLeaves(db, { org_id, position: log.position, first, count: TILE_WIDTH });
      return leaves.map(({ leaf }) => leaf);
    },
  });
  await sql`
    update org_log_checkpoint set archived_size = ${to}
    where org_id = ${org_id} and epoch = ${epoch} and archived_size < ${to}`.execute(db);
  return to - from;
}

async function archiveRegion({ db, objects }: ArchiveParts): Promise<number> {
  const { rows } = await sql<{ epoch: number; archived_size: number; signed_size: number }>`
    select log.epoch, log.archived_size, max(signed.size) as signed_size
    from region_log as log join region_checkpoint as signed on signed.epoch = log.epoch
    group by log.epoch having max(signed.size) >= log.archived_size + ${TILE_WIDTH}
    order by log.epoch limit 1`.execute(db);
  const [log] = rows;
  if (!log) return 0;
  const { epoch, archived_size: from, signed_size } = log;
  const to = await archive(objects, {
    ...{ prefix: regionArchive(epoch), from, to: signed_size },
    readTiles: (tiles) => readRegionTiles(db, epoch, tiles),
    readLeaves: async (first) => {
      const leaves = await readRegionLeaves(db, { epoch, first, count: TILE_WIDTH });
      return leaves.map(({ data }) => Buffer.from(data));
    },
  });
  await sql`update region_log set archived_size = ${to} where epoch = ${epoch} and archived_size < ${to}`.execute(db);
  return to - from;
}

/** Returns up to which leaf the log is in the object store afterwards. */
async function archive(objects: ObjectStore, { prefix, from, to, readTiles, readLeaves }: Source): Promise<number> {
  const first = Math.floor(from / TILE_WIDTH);
  const end = Math.min(Math.floor(to / TILE_WIDTH), first + SHARE);
  for (let index = first; index < end; index++) {
    const tiles = tilesEndingWith(index);
    const readTile = await readTiles(tiles);
    const leaves = await readLeaves(index * TILE_WIDTH);
    requireLeaves(prefix, index, readTile(0, index), leaves);
    await createSame(objects, `${prefix}/${entriesPath({ index })}`, encodeEntries(leaves));
    for (const { level, index: place } of tiles) {
      const bytes = readTile(level, place);
      if (bytes?.length !== TILE_WIDTH * HASH_BYTES)
        throw new Error(`${prefix}/${tilePath({ level, index: place })} is not whole`);
      await createSame(objects, `${prefix}/${tilePath({ level, index: place })}`, bytes);
    }
  }
  return Math.max(from, end * TILE_WIDTH);
}

/** An object that is there already may be of an earlier try, or of a tree that is not this one. */
async function createSame(objects: ObjectStore, path: string, content: Uint8Array): Promise<void> {
  if (await objects.create(path, content)) return;
  const found = await objects.read(path);
  if (!found?.equals(content)) throw new Error(`${path} is in the object store with another content`);
}

/** The tiles that become full with a tile of level 0. */
function tilesEndingWith(index: number): TileId[] {
  const tiles: TileId[] = [{ level: 0, index, width: TILE_WIDTH }];
  for (let level = 1, place = index; place % TILE_WIDTH === TILE_WIDTH - 1; level++) {
    place = Math.floor(place / TILE_WIDTH);
    tiles.push({ level, index: place, width: TILE_WIDTH });
  }
  return tiles;
}

/** What was changed after it was sealed must not get into the archive as if it had been sealed. */
function requireLeaves(
  prefix: string,
  index: number,
  tile: Uint8Array | undefined,
  leaves: readonly Uint8Array[],
): void {
  const isSame = leaves.every((leaf, i) =>
    sameHash(leafHashOf(leaf, nodeSha256), tile?.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES) ?? new Uint8Array(0)),
  );
  if (leaves.length !== TILE_WIDTH || !isSame)
    throw new Error(`${prefix}/${entriesPath({ index })} differs from the tree: run \`waymark-server ledger check\``);
}
