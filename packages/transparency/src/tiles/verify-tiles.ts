import type { TreeHead } from '../merkle/extension.ts';
import { HASH_BYTES, type Hash, type Sha256, sameHash, sha256 } from '../merkle/hashing.ts';
import { rootOfComplete, rootOfNodes } from '../merkle/read-node.ts';
import { isSize } from '../merkle/spans.ts';
import { hashesOfTile, hashInTile, TILE_WIDTH, type Tile, type TileId, tileWidth } from './tile.ts';
import { nodesOfTiles, tilesForRoot } from './tile-nodes.ts';
import { tilePath } from './tile-path.ts';

export interface TileProblem {
  readonly path: string;
  readonly problem: string;
}

/**
 * Checks tiles of unknown origin against the head of a tree, and returns what is wrong: nothing means that every hash
 * in them is in the tree. The partial tiles, `tilesForRoot`, must be among them, and above each full tile the one that
 * has its root, as far up as the tree goes: `tilesAbove`.
 */
export function verifyTiles(head: TreeHead, tiles: readonly Tile[], hash: Sha256 = sha256): TileProblem[] {
  const found = new Map(tiles.map((tile) => [keyOf(tile), tile]));
  const problems = [
    ...tilesForRoot(head.size).flatMap((tile) => (found.has(keyOf(tile)) ? [] : [missing(tile)])),
    ...tiles.flatMap((tile) => widthProblems(tile, head.size)),
    ...tiles.flatMap((tile) =>
      found.get(keyOf(tile)) === tile ? [] : [{ path: tilePath(tile), problem: 'is given twice' }],
    ),
  ];
  if (problems.length > 0) return problems;
  const root = rootOfNodes(
    head.size,
    nodesOfTiles((level, index) => found.get(keyOf({ level, index }))?.bytes, hash),
    hash,
  );
  if (!sameHash(root, head.root)) {
    const path = tilesForRoot(head.size).map(tilePath).join(', ');
    return [{ path, problem: 'the root of the tree does not follow from the partial tiles' }];
  }
  return tiles.flatMap((tile) => (tile.width < TILE_WIDTH ? [] : fullTileProblems(tile, found, head.size, hash)));
}

/** Returns the tiles that have the root of a tile, of the tile above it, and so on, in a tree of this size. */
export function tilesAbove({ level, index }: Pick<TileId, 'level' | 'index'>, size: number): TileId[] {
  if (!isSize(size)) throw new RangeError(`${size} is not the size of a tree`);
  const tiles: TileId[] = [];
  let above = { level, index };
  while (tileWidth(above.level, above.index, size) === TILE_WIDTH) {
    above = { level: above.level + 1, index: Math.floor(above.index / TILE_WIDTH) };
    tiles.push({ ...above, width: tileWidth(above.level, above.index, size) });
  }
  return tiles;
}

function keyOf({ level, index }: Pick<TileId, 'level' | 'index'>): string {
  return `${level}/${index}`;
}

function missing(tile: TileId): TileProblem {
  return { path: tilePath(tile), problem: 'is missing' };
}

function widthProblems(tile: Tile, size: number): TileProblem[] {
  const width = tileWidth(tile.level, tile.index, size);
  const path = tilePath({ level: tile.level, index: tile.index });
  if (width === 0) return [{ path, problem: `is not in a tree of ${size}` }];
  if (tile.width === width && tile.bytes.length === width * HASH_BYTES) return [];
  return [{ path, problem: `has ${tile.bytes.length} bytes, not the ${width * HASH_BYTES} of ${width} hashes` }];
}

function fullTileProblems(tile: Tile, found: ReadonlyMap<string, Tile>, size: number, hash: Sha256): TileProblem[] {
  const [above] = tilesAbove(tile, size);
  const parent = above && found.get(keyOf(above));
  if (!parent) return above ? [missing(above)] : [];
  const expected: Hash = hashInTile(parent.bytes, tile.index % TILE_WIDTH);
  if (sameHash(rootOfComplete(hashesOfTile(tile.bytes), hash), expected)) return [];
  return [{ path: tilePath(tile), problem: `its root is not the one in ${tilePath(parent)}` }];
}
