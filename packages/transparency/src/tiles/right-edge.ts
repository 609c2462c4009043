import { foldRoots, HASH_BYTES, type Hash, nodeHashOf, type Sha256, sha256 } from '../merkle/hashing.ts';
import { rootOfComplete } from '../merkle/read-node.ts';
import { isSize, nodesOf } from '../merkle/spans.ts';
import { hashesInLevel, hashesOfTile, TILE_BYTES, TILE_HEIGHT, TILE_WIDTH, type Tile } from './tile.ts';

/** Everything that appending to a tree needs of it: a few hundred hashes, however large it is. */
export interface RightEdge {
  readonly size: number;
  /** The roots of the complete subtrees of the tree, the largest first. */
  readonly roots: readonly Hash[];
  /** The bytes of the last tile of each level, from level 0 up; without bytes where the last tile is full. */
  readonly partials: readonly Uint8Array[];
}

export interface Appended {
  readonly edge: RightEdge;
  readonly root: Hash;
  /** The tiles that became full, in the order in which they did. */
  readonly fullTiles: readonly Tile[];
}

export const EMPTY_EDGE: RightEdge = { size: 0, roots: [], partials: [] };

export function rootOfEdge({ roots }: RightEdge, hash: Sha256 = sha256): Hash {
  return foldRoots(roots, hash);
}

/** Restores an edge from the partial tiles of a tree: `partials` has those of each level, from level 0 up. */
export function edgeFromTiles(size: number, partials: readonly Uint8Array[], hash: Sha256 = sha256): RightEdge {
  if (!isSize(size)) throw new RangeError(`${size} is not the size of a tree`);
  const levels = Math.max(partials.length, levelsOf(size));
  for (let level = 0; level < levels; level++) {
    const width = hashesInLevel(level, size) % TILE_WIDTH;
    const found = partials[level]?.length ?? 0;
    if (found !== width * HASH_BYTES)
      throw new RangeError(`the partial tile of level ${level} has ${found} bytes, not ${width * HASH_BYTES}`);
  }
  const roots = nodesOf({ begin: 0, end: size }).map(({ level, index }) => {
    const inTile = level % TILE_HEIGHT;
    const tile = partials[Math.floor(level / TILE_HEIGHT)] ?? new Uint8Array(0);
    const first = (index * 2 ** inTile) % TILE_WIDTH;
    return rootOfComplete(hashesOfTile(tile, first, 2 ** inTile), hash);
  });
  return { size, roots, partials: partials.slice(0, levelsOf(size)) };
}

/** Appends leaves, given by their hashes, in order: one node is hashed per leaf, and the few of the new root. */
export function appendLeaves(edge: RightEdge, leafHashes: readonly Hash[], hash: Sha256 = sha256): Appended {
  const roots = [...edge.roots];
  const open = edge.partials.map((bytes, level) => openTile(level, edge.size, bytes));
  const fullTiles: Tile[] = [];
  const keep = (level: number, nodeHash: Hash) => {
    const tile = open[level] ?? openTile(level, edge.size, new Uint8Array(0));
    open[level] = addToTile(tile, nodeHash, fullTiles);
  };
  let { size } = edge;
  for (const leafHash of leafHashes) {
    if (leafHash.length !== HASH_BYTES) throw new RangeError(`a hash has ${HASH_BYTES} bytes, not ${leafHash.length}`);
    keep(0, leafHash);
    appendLeaf(roots, size, leafHash, keep, hash);
    size++;
  }
  const next = { size, roots, partials: open.map(bytesOfOpen) };
  return { edge: next, root: rootOfEdge(next, hash), fullTiles };
}

/**
 * Appends a leaf to the roots of the complete subtrees of a tree of this size, in place. `keep` gets each hash that becomes
 * part of a tile above level 0: its level, its hash, and its place in the level.
 */
export function appendLeaf(
  roots: Hash[],
  size: number,
  leafHash: Hash,
  keep: (level: number, node: Hash, place: number) => void,
  hash: Sha256 = sha256,
): void {
  let node = leafHash;
  let height = 0;
  for (let place = size; place % 2 === 1; ) {
    node = nodeHashOf(roots.pop() ?? node, node, hash);
    place = (place - 1) / 2;
    height++;
    if (height % TILE_HEIGHT === 0) keep(height / TILE_HEIGHT, node, place);
  }
  roots.push(node);
}

function levelsOf(size: number): number {
  let levels = 0;
  while (hashesInLevel(levels, size) > 0) levels++;
  return levels;
}

interface OpenTile {
  readonly level: number;
  readonly index: number;
  readonly width: number;
  /** Of a full tile, copied from the edge when the first hash is added, as an edge never changes. */
  readonly bytes: Uint8Array;
}

function openTile(level: number, size: number, bytes: Uint8Array): OpenTile {
  const index = Math.floor(hashesInLevel(level, size) / TILE_WIDTH);
  return { level, index, width: bytes.length / HASH_BYTES, bytes };
}

function addToTile({ level, index, width, bytes }: OpenTile, nodeHash: Hash, fullTiles: Tile[]): OpenTile {
  const writable = bytes.length === TILE_BYTES ? bytes : new Uint8Array(TILE_BYTES);
  if (writable !== bytes) writable.set(bytes);
  writable.set(nodeHash, width * HASH_BYTES);
  if (width + 1 < TILE_WIDTH) return { level, index, width: width + 1, bytes: writable };
  fullTiles.push({ level, index, width: TILE_WIDTH, bytes: writable });
  return { level, index: index + 1, width: 0, bytes: new Uint8Array(0) };
}

function bytesOfOpen({ width, bytes }: OpenTile): Uint8Array {
  return bytes.length === width * HASH_BYTES ? bytes : bytes.slice(0, width * HASH_BYTES);
}
