import { hash } from 'node:crypto';
import { appendLeaf, type Hash, hashesOfTile, rootOfEdge, type Sha256, TILE_WIDTH } from '@waymark/transparency';

/** SHA-256 of Node, which is several times as fast as one in JavaScript. */
export const nodeSha256: Sha256 = (data) => hash('sha256', data, 'buffer');

/** A tree as it is stored: the roots of its complete subtrees, the largest first, one after another. */
export interface StoredTree {
  readonly size: number;
  readonly roots: Uint8Array;
}

/** Hashes that one tile of a level above 0 has got, behind those that it had. */
export interface TileHashes {
  readonly level: number;
  readonly index: number;
  readonly hashes: Buffer;
}

export interface Grown extends StoredTree {
  readonly roots: Buffer;
  readonly root: Hash;
  readonly tiles: readonly TileHashes[];
}

/** Appends leaves to a tree, given by their hashes, in order. Level 0 of its tiles are the leaves themselves. */
export function growTree({ size: before, roots: stored }: StoredTree, leafHashes: readonly Hash[]): Grown {
  const roots = hashesOfTile(stored);
  const tiles = new Map<string, { level: number; index: number; hashes: Hash[] }>();
  const keep = (level: number, node: Hash, place: number) => {
    const index = Math.floor(place / TILE_WIDTH);
    const tile = tiles.get(`${level}/${index}`);
    if (tile) tile.hashes.push(node);
    else tiles.set(`${level}/${index}`, { level, index, hashes: [node] });
  };
  let size = before;
  for (const leafHash of leafHashes) {
    appendLeaf(roots, size, leafHash, keep, nodeSha256);
    size++;
  }
  return {
    size,
    roots: Buffer.concat(roots),
    root: rootOfEdge({ size, roots, partials: [] }, nodeSha256),
    tiles: [...tiles.values()].map(({ hashes, ...tile }) => ({ ...tile, hashes: Buffer.concat(hashes) })),
  };
}
