import { HASH_BYTES, type Hash, TILE_WIDTH } from '@waymark/transparency';
import { growTree, type StoredTree, type TileHashes } from '../../../platform/ledger/tree.ts';

export const EMPTY_TREE: StoredTree = { size: 0, roots: Buffer.alloc(0) };

/** Hashes of a tile, and how many are before them. */
export interface PlacedHashes extends TileHashes {
  readonly offset: number;
}

/** A tree at one of its sizes, and the hashes that its tiles got on the way there. */
export interface GrownPart {
  readonly tree: StoredTree;
  readonly root: Buffer;
  readonly tiles: readonly PlacedHashes[];
}

/** Appends leaves to a tree, and stops at each of the sizes that is on the way. */
export function* appendInParts(
  before: StoredTree,
  leaves: readonly Hash[],
  sizes: readonly number[],
): Generator<GrownPart, void> {
  const last = before.size + leaves.length;
  const stops = [...sizes.filter((size) => size > before.size && size < last), last];
  let tree = before;
  for (const size of [...new Set(stops)].sort((a, b) => a - b)) {
    const { root, tiles, ...grown } = growTree(tree, leaves.slice(tree.size - before.size, size - before.size));
    const from = tree.size;
    const placed = tiles.map((tile) => {
      const known = Math.floor(from / TILE_WIDTH ** tile.level) - tile.index * TILE_WIDTH;
      return { ...tile, offset: Math.max(0, known) };
    });
    tree = grown;
    yield { tree, root: Buffer.from(root), tiles: placed };
  }
}

/** Whether a stored tile has these hashes in their place. */
export function hasHashes(stored: Buffer | undefined, { offset, hashes }: PlacedHashes): boolean {
  const from = offset * HASH_BYTES;
  return stored?.subarray(from, from + hashes.length).equals(hashes) === true;
}

/** The number of bytes in the tiles of a level of a tree. */
export function bytesInLevel(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level) * HASH_BYTES;
}
