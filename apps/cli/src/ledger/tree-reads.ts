import { hash } from 'node:crypto';
import {
  appendLeaves,
  buildConsistencyProof,
  decodeEntries,
  edgeFromTiles,
  HASH_BYTES,
  type Hash,
  hashesOfTile,
  leafHashOf,
  nodesOfTiles,
  type RightEdge,
  rootOfEdge,
  sameHash,
  TILE_WIDTH,
  type TileId,
  type TreeHead,
  tilesForConsistency,
  tilesForRoot,
  tileWidth,
  verifyExtension,
} from '@waymark/transparency';
import { fetchFile, type RemoteLog } from './remote-log.ts';

/** That of Node is several times as fast as the one for browsers. */
const sha256 = (data: Uint8Array): Uint8Array => hash('sha256', data, 'buffer');

/** Returns whether a tree only appended to an older one, by the tiles of the log: a wrong tile proves nothing. */
export async function extendsTree(log: RemoteLog, old: TreeHead, next: TreeHead): Promise<boolean> {
  if (old.size > next.size) return false;
  if (old.size === 0 || old.size === next.size) return verifyExtension(old, next, [], sha256);
  const tiles = await tilesOf(log, tilesForConsistency(old.size, next.size), next.size);
  const proof = buildConsistencyProof(old.size, next.size, nodesOfTiles(tiles, sha256), sha256);
  return verifyExtension(old, next, proof, sha256);
}

/** Returns the right edge of a tree, or undefined if the tiles of the log do not have its root. */
export async function edgeAt(log: RemoteLog, head: TreeHead, size: number): Promise<RightEdge | undefined> {
  const tiles = tilesForRoot(head.size);
  const read = await tilesOf(log, tiles, size);
  const partials: Uint8Array[] = [];
  for (const { level, index, width } of tiles) {
    while (partials.length < level) partials.push(new Uint8Array(0));
    partials[level] = (read(level, index) ?? new Uint8Array(0)).slice(0, width * HASH_BYTES);
  }
  const edge = edgeFromTiles(head.size, partials, sha256);
  return sameHash(rootOfEdge(edge, sha256), head.root) ? edge : undefined;
}

async function tilesOf(log: RemoteLog, tiles: readonly TileId[], size: number) {
  const found = new Map<string, Uint8Array>();
  for (const { level, index } of tiles) {
    const width = tileWidth(level, index, size);
    const { bytes } = await fetchFile(log, { kind: 'tile', level, index, width });
    found.set(`${level}/${index}`, bytes);
  }
  return (level: number, index: number) => found.get(`${level}/${index}`);
}

/** Yields the data of leaves, in order: of each bundle those from `begin` up to `end`. */
export async function* leafData(log: RemoteLog, begin: number, end: number): AsyncGenerator<Uint8Array[]> {
  for (const { index, first, width } of bundlesOf(begin, end)) {
    const file = await fetchFile(log, { kind: 'entries', index, width });
    yield decodeEntries(file.bytes, file.width).slice(first, width);
  }
}

/** Yields the hashes of leaves, in the same way. */
export async function* leafHashes(log: RemoteLog, begin: number, end: number): AsyncGenerator<Hash[]> {
  for (const { index, first, width } of bundlesOf(begin, end)) {
    const { bytes } = await fetchFile(log, { kind: 'tile', level: 0, index, width });
    yield hashesOfTile(bytes, first, width - first);
  }
}

function* bundlesOf(begin: number, end: number) {
  for (let index = Math.floor(begin / TILE_WIDTH); index * TILE_WIDTH < end; index++) {
    const start = index * TILE_WIDTH;
    yield { index, first: Math.max(0, begin - start), width: Math.min(TILE_WIDTH, end - start) };
  }
}

export const append = (edge: RightEdge, hashes: readonly Hash[]) => appendLeaves(edge, hashes, sha256);
export const hashOfLeaf = (data: Uint8Array): Hash => leafHashOf(data, sha256);
