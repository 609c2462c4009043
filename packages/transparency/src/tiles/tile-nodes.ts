import { FormatError } from '../format-error.ts';
import { HASH_BYTES, type Hash, nodeHashOf, type Sha256, sha256 } from '../merkle/hashing.ts';
import type { ReadNode } from '../merkle/read-node.ts';
import { consistencySpans, inclusionSpans, isSize, type Node, nodesOf, type Span } from '../merkle/spans.ts';
import { hashInTile, partialTiles, TILE_HEIGHT, TILE_WIDTH, type TileId, tileWidth } from './tile.ts';
import { tilePath } from './tile-path.ts';

/** Returns the tiles of a tree of this size that an inclusion proof needs, each once. */
export function tilesForInclusion(index: number, size: number): TileId[] {
  return tilesOfSpans(inclusionSpans(index, size), size);
}

/** Returns the tiles of a tree of the larger size that a consistency proof needs, each once. */
export function tilesForConsistency(oldSize: number, size: number): TileId[] {
  const { shared, rest } = consistencySpans(oldSize, size);
  return tilesOfSpans(shared.begin === 0 ? rest : [shared, ...rest], size);
}

/** Returns the tiles that the root of a tree is computed from: those that are not full. */
export function tilesForRoot(size: number): TileId[] {
  if (!isSize(size)) throw new RangeError(`${size} is not the size of a tree`);
  return partialTiles(size);
}

function tilesOfSpans(spans: readonly Span[], size: number): TileId[] {
  const tiles = new Map<string, TileId>();
  for (const node of spans.flatMap(nodesOf)) {
    const { level, index } = tileOf(node);
    tiles.set(`${level}/${index}`, { level, index, width: tileWidth(level, index, size) });
  }
  return [...tiles.values()];
}

/** Returns the tile that a node is computed from, and the hashes in it that the node covers. */
function tileOf({ level, index }: Node): Pick<TileId, 'level' | 'index'> & { first: number; count: number } {
  const count = 2 ** (level % TILE_HEIGHT);
  const tilesToTheLeft = Math.floor(index / (TILE_WIDTH / count));
  return {
    level: Math.floor(level / TILE_HEIGHT),
    index: tilesToTheLeft,
    first: (index - tilesToTheLeft * (TILE_WIDTH / count)) * count,
    count,
  };
}

/** Returns the bytes of a tile, full or partial, or nothing if there is none. */
export type ReadTile = (level: number, index: number) => Uint8Array | undefined;

/** Returns the roots of subtrees of a tile that were computed before, to add to. They follow from its bytes alone. */
export type TileMemory = (bytes: Uint8Array) => Map<number, Hash>;

/** Remembers the tiles of one proof, or of all proofs that are made of the same tiles. */
export function rememberTiles(): TileMemory {
  const known = new WeakMap<Uint8Array, Map<number, Hash>>();
  return (bytes) => {
    const roots = known.get(bytes) ?? new Map<number, Hash>();
    known.set(bytes, roots);
    return roots;
  };
}

/** Reads nodes of a tree from its tiles, and computes each once. */
export function nodesOfTiles(
  readTile: ReadTile,
  hash: Sha256 = sha256,
  memory: TileMemory = rememberTiles(),
): ReadNode {
  return (level, index): Hash => {
    const tile = tileOf({ level, index });
    const bytes = readTile(tile.level, tile.index) ?? new Uint8Array(0);
    const [found, needed] = [bytes.length / HASH_BYTES, tile.first + tile.count];
    if (found < needed)
      throw new FormatError('tile', `${tilePath(tile)} has ${found} hashes, and ${needed} are needed`);
    return rootIn(bytes, tile, memory(bytes), hash);
  };
}

/** Returns the root of the complete subtree over some hashes of a tile. */
function rootIn(
  bytes: Uint8Array,
  { first, count }: { readonly first: number; readonly count: number },
  roots: Map<number, Hash>,
  hash: Sha256,
): Hash {
  if (count === 1) return hashInTile(bytes, first);
  const place = count * TILE_WIDTH + first;
  const known = roots.get(place);
  if (known) return known;
  const half = count / 2;
  const left = rootIn(bytes, { first, count: half }, roots, hash);
  const root = nodeHashOf(left, rootIn(bytes, { first: first + half, count: half }, roots, hash), hash);
  roots.set(place, root);
  return root;
}
