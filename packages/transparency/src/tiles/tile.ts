import { HASH_BYTES, type Hash } from '../merkle/hashing.ts';

/** A tile has the nodes of 8 levels of the tree: those below its hashes are computed. */
export const TILE_HEIGHT = 8;
export const TILE_WIDTH = 2 ** TILE_HEIGHT;
export const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

export interface TileId {
  readonly level: number;
  readonly index: number;
  /** The number of hashes: 256, or fewer in the last tile of a level. */
  readonly width: number;
}

export interface Tile extends TileId {
  readonly bytes: Uint8Array;
}

/** Returns the number of complete hashes in a level of tiles. */
export function hashesInLevel(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** Returns how many hashes a tile has in a tree, which is 0 if the tree is too small for it. */
export function tileWidth(level: number, index: number, size: number): number {
  return Math.max(0, Math.min(TILE_WIDTH, hashesInLevel(level, size) - index * TILE_WIDTH));
}

/** Returns the tiles of a tree that are not full, at most one in each level, from level 0 up. */
export function partialTiles(size: number): TileId[] {
  const tiles: TileId[] = [];
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const width = hashes % TILE_WIDTH;
    if (width > 0) tiles.push({ level, index: Math.floor(hashes / TILE_WIDTH), width });
  }
  return tiles;
}

export function hashInTile(bytes: Uint8Array, position: number): Hash {
  return bytes.subarray(position * HASH_BYTES, (position + 1) * HASH_BYTES);
}

export function hashesOfTile(bytes: Uint8Array, first = 0, count = bytes.length / HASH_BYTES): Hash[] {
  return Array.from({ length: count }, (_, i) => hashInTile(bytes, first + i));
}
