import { type ReadTile, TILE_WIDTH, type TileId } from '@waymark/transparency';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import { tilesByName } from './org-tiles.ts';

interface FoundTile {
  readonly level: number;
  readonly index: number;
  readonly hashes: Buffer;
}

const readTiles = statement<
  { epoch: number; levels: readonly number[]; indexes: readonly number[]; widths: readonly number[] },
  FoundTile
>(
  'read_region_tiles',
  `select tile.level, tile.index, tile.hashes
   from unnest(:levels::smallint[], :indexes::bigint[]) as wanted (level, index)
   join region_tile as tile
     on tile.epoch = :epoch and tile.level = wanted.level and tile.index = wanted.index
   union all
   select wanted.level, wanted.index, leaves.hashes
   from unnest(:levels::smallint[], :indexes::bigint[], :widths::bigint[]) as wanted (level, index, width)
   cross join lateral (
     select string_agg(leaf.leaf_hash, ''::bytea order by leaf.index) as hashes, count(*) as found
     from region_leaf as leaf
     where leaf.epoch = :epoch and leaf.index >= wanted.index * ${TILE_WIDTH}
       and leaf.index < wanted.index * ${TILE_WIDTH} + wanted.width
   ) as leaves
   where wanted.level = 0 and leaves.found = wanted.width`,
);

/** Reads tiles of a region log: each has at least its width of hashes, or is missing. */
export async function readRegionTiles(db: Db, epoch: number, tiles: readonly TileId[]): Promise<ReadTile> {
  if (tiles.length === 0) return () => undefined;
  const found = await readTiles(db, {
    epoch,
    levels: tiles.map(({ level }) => level),
    indexes: tiles.map(({ index }) => index),
    widths: tiles.map(({ width }) => width),
  });
  return tilesByName(found);
}

/** Returns the data of consecutive leaves. */
export const readRegionLeaves = statement<{ epoch: number; first: number; count: number }, { readonly data: string }>(
  'read_region_leaves',
  `select data from region_leaf
   where epoch = :epoch and index >= :first and index < :first::bigint + :count::bigint order by index`,
);
