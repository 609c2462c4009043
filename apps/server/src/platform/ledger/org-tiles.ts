import { type ReadTile, TILE_WIDTH, type TileId } from '@waymark/transparency';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import { ENTRY_OF_LEDGER } from '../journal/journal-range.ts';
import { LEAF } from '../journal/leaf.ts';

/** The log of an org, up to its head. */
export interface OrgLog {
  readonly org_id: string;
  /** As in the region log. */
  readonly log_id: string;
  readonly size: number;
  readonly root: Buffer;
  /** Of the newest sealed entry in its lane: no entry of the log has a higher one. */
  readonly position: number;
}

export const findOrgLog = statement<{ org_id: string }, OrgLog>(
  'find_org_log',
  'select org_id, log_id, size, root, position from org_log where org_id = :org_id',
);

interface FoundTile {
  readonly level: number;
  readonly index: number;
  readonly hashes: Buffer;
}

/**
 * The entries of an org have positions in the order of their indexes, and none is lower than its index. The limit keeps a
 * generic plan from reading the whole log instead of the tiles.
 */
const readLeafTiles = statement<
  { org_id: string; position: number; indexes: readonly number[]; widths: readonly number[] },
  FoundTile & { readonly width: number }
>(
  'read_org_leaf_tiles',
  `select 0 as level, tile.index, count(*) as width, string_agg(leaf.leaf_hash, ''::bytea order by leaf.index) as hashes
   from unnest(:indexes::bigint[], :widths::bigint[]) as tile (index, width)
   cross join lateral (
     select ledger.index, ledger.leaf_hash from ledger
     where ledger.org_id = :org_id and ledger.index >= tile.index * ${TILE_WIDTH}
       and ledger.index < tile.index * ${TILE_WIDTH} + tile.width
       and ledger.position > tile.index * ${TILE_WIDTH} and ledger.position <= :position
     order by ledger.index limit ${TILE_WIDTH}
   ) as leaf
   group by tile.index`,
);

const readNodeTiles = statement<{ org_id: string; levels: readonly number[]; indexes: readonly number[] }, FoundTile>(
  'read_org_node_tiles',
  `select tile.level, tile.index, tile.hashes
   from unnest(:levels::smallint[], :indexes::bigint[]) as wanted (level, index)
   join org_log_tile as tile
     on tile.org_id = :org_id and tile.level = wanted.level and tile.index = wanted.index`,
);

/** Reads tiles of the log of an org: each has at least its width of hashes, or is missing. */
export async function readOrgTiles(db: Db, log: OrgLog, tiles: readonly TileId[]): Promise<ReadTile> {
  const leaves = tiles.filter(({ level }) => level === 0);
  const nodes = tiles.filter(({ level }) => level > 0);
  const [ofLeaves, ofNodes] = await Promise.all([
    leaves.length === 0
      ? []
      : readLeafTiles(db, {
          ...{ org_id: log.org_id, position: log.position },
          ...{ indexes: leaves.map(({ index }) => index), widths: leaves.map(({ width }) => width) },
        }),
    nodes.length === 0
      ? []
      : readNodeTiles(db, {
          ...{ org_id: log.org_id, levels: nodes.map(({ level }) => level), indexes: nodes.map(({ index }) => index) },
        }),
  ]);
  // Without one of its leaves, the hashes of a tile would be those of other leaves.
  const whole = ofLeaves.filter(({ index, width }) =>
    leaves.some((tile) => tile.index === index && tile.width === width),
  );
  return tilesByName([...whole, ...ofNodes]);
}

export function tilesByName(tiles: readonly FoundTile[]): ReadTile {
  const found = new Map(tiles.map(({ level, index, hashes }) => [`${level}/${index}`, hashes]));
  return (level, index) => found.get(`${level}/${index}`);
}

/** Returns the leaves of consecutive entries, as the journal has them now. */
export const readLeaves = statement<
  { org_id: string; position: number; first: number; count: number },
  { readonly leaf: Buffer }
>(
  'read_org_leaves',
  `select ${LEAF} as leaf
   from ledger cross join lateral (${ENTRY_OF_LEDGER}) as journal
   where ledger.org_id = :org_id and ledger.index >= :first and ledger.index < :first::bigint + :count::bigint
     and ledger.position > :first and ledger.position <= :position
   order by ledger.index`,
);
