import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { flipped, leavesOf, naivePath, naiveRoot, naiveSubproof } from '../../test/naive-tree.ts';
import { buildConsistencyProof } from '../merkle/consistency.ts';
import type { Hash } from '../merkle/hashing.ts';
import { buildInclusionProof } from '../merkle/inclusion.ts';
import { appendLeaves, EMPTY_EDGE, edgeFromTiles, type RightEdge } from './right-edge.ts';
import { partialTiles, TILE_WIDTH, type Tile, type TileId, tileWidth } from './tile.ts';
import { nodesOfTiles, tilesForConsistency, tilesForInclusion, tilesForRoot } from './tile-nodes.ts';
import { tilesAbove, verifyTiles } from './verify-tiles.ts';

/** More than 256² leaves would take long; levels above are tested with trees of one leaf repeated. */
const MAX_LEAVES = 1500;
const leaves = leavesOf(MAX_LEAVES);

interface Grown {
  readonly edge: RightEdge;
  readonly root: Hash;
  readonly full: ReadonlyMap<string, Tile>;
}

/** Appends the leaves in batches of the given sizes. */
function grow(size: number, batches: readonly number[]): Grown {
  const full = new Map<string, Tile>();
  let appended = appendLeaves(EMPTY_EDGE, []);
  for (let i = 0; appended.edge.size < size; i++) {
    const next = Math.min(size, appended.edge.size + (batches[i % batches.length] ?? 1));
    appended = appendLeaves(appended.edge, leaves.slice(appended.edge.size, next));
    for (const tile of appended.fullTiles) full.set(`${tile.level}/${tile.index}`, tile);
  }
  return { edge: appended.edge, root: appended.root, full };
}

function readTile({ edge, full }: Grown) {
  return (level: number, index: number) =>
    tileWidth(level, index, edge.size) === TILE_WIDTH ? full.get(`${level}/${index}`)?.bytes : edge.partials[level];
}

function fetched(grown: Grown, ids: readonly TileId[]): Tile[] {
  const read = readTile(grown);
  return ids.map((id) => ({ ...id, bytes: read(id.level, id.index) ?? new Uint8Array(0) }));
}

/** As a client does: each tile once, with what proves it. */
function withProof(ids: readonly TileId[], size: number): TileId[] {
  const all = [...ids, ...ids.flatMap((id) => tilesAbove(id, size)), ...tilesForRoot(size)];
  return [...new Map(all.map((id) => [`${id.level}/${id.index}`, id])).values()];
}

const arrays = (hashes: readonly Hash[]) => hashes.map((hash) => [...hash]);
const growths = fc.record({
  size: fc.integer({ min: 1, max: MAX_LEAVES }),
  batches: fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 }),
  index: fc.nat(),
  oldSize: fc.nat(),
});

it('appending in batches of any size gives the root, the edge and the tiles of the tree', () => {
  fc.assert(
    fc.property(growths, ({ size, batches }) => {
      const grown = grow(size, batches);
      expect([...grown.root]).toEqual([...naiveRoot(leaves.slice(0, size))]);
      expect(grown.full.size).toBe(Math.floor(size / 256));
      expect(edgeFromTiles(size, grown.edge.partials)).toEqual(grown.edge);
      const widths = partialTiles(size).map(({ level, width }) => [level, width * 32]);
      const found = grown.edge.partials.map((bytes, level) => [level, bytes.length]);
      expect(found.filter(([, length]) => length !== 0)).toEqual(widths);
    }),
    { numRuns: 60 },
  );
});

it('appending leaves the edge that it is given as it was', () => {
  const { edge } = appendLeaves(EMPTY_EDGE, leaves.slice(0, 300));
  const before = structuredClone(edge);
  appendLeaves(edge, leaves.slice(300, 900));
  expect(edge).toEqual(before);
});

it('proofs built from tiles are the naive ones, and read only the tiles that are listed', () => {
  fc.assert(
    fc.property(growths, ({ size, batches, index: anyIndex, oldSize: anySize }) => {
      const grown = grow(size, batches);
      const [index, oldSize] = [anyIndex % size, 1 + (anySize % size)];
      const forInclusion = fetched(grown, tilesForInclusion(index, size));
      const read = (tiles: readonly Tile[]) =>
        nodesOfTiles((level, i) => tiles.find((tile) => tile.level === level && tile.index === i)?.bytes);
      expect(arrays(buildInclusionProof(index, size, read(forInclusion)))).toEqual(
        arrays(naivePath(index, leaves.slice(0, size))),
      );
      const forConsistency = fetched(grown, tilesForConsistency(oldSize, size));
      expect(arrays(buildConsistencyProof(oldSize, size, read(forConsistency)))).toEqual(
        arrays(naiveSubproof(oldSize, leaves.slice(0, size))),
      );
      const all = withProof([...forInclusion, ...forConsistency], size);
      expect(verifyTiles({ size, root: grown.root }, fetched(grown, all))).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

it('a bit changed in any tile is found, and the tile is named', () => {
  const grown = grow(1500, [400]);
  const ids = withProof(
    [0, 1, 2, 3, 4].map((index) => ({ level: 0, index, width: 256 })),
    1500,
  );
  const tiles = fetched(grown, ids);
  const head = { size: 1500, root: grown.root };
  expect(verifyTiles(head, tiles)).toEqual([]);
  fc.assert(
    fc.property(fc.nat({ max: tiles.length - 1 }), fc.nat(), (at, bit) => {
      const changed = tiles.map((tile, i) => (i === at ? { ...tile, bytes: flipped(tile.bytes, bit) } : tile));
      const [problem, ...others] = verifyTiles(head, changed);
      expect(others).toEqual([]);
      const { level, index, width } = tiles[at] ?? { level: 0, index: 0, width: 0 };
      expect(problem?.path).toContain(`tile/${level}/00${index}${width < 256 ? `.p/${width}` : ''}`);
    }),
    { numRuns: 200 },
  );
  expect(verifyTiles(head, tiles.slice(1))).toEqual([]);
  const without = tiles.filter(({ width }) => width === 256);
  expect(verifyTiles(head, without).map(({ problem }) => problem)).toEqual(['is missing', 'is missing']);
  const [first] = tiles;
  expect(verifyTiles(head, first ? [first, ...tiles.slice(1), { ...first }] : [])).toEqual([
    { path: 'tile/0/000', problem: 'is given twice' },
  ]);
  expect(verifyTiles({ ...head, size: 1499 }, tiles)[0]?.problem).toBe('has 7040 bytes, not the 7008 of 219 hashes');
});

it('a proof in a large tree needs a tile or two for each level', () => {
  const size = 10_000_000;
  expect(tilesForInclusion(7_654_321, size).length).toBeLessThanOrEqual(6);
  expect(tilesForConsistency(1_234_567, size).length).toBeLessThanOrEqual(6);
  expect(tilesForRoot(size).length).toBeLessThanOrEqual(3);
  expect(tilesAbove({ level: 0, index: 5 }, size)).toEqual([
    { level: 1, index: 0, width: 256 },
    { level: 2, index: 0, width: 152 },
  ]);
});

it('a tile that is missing or too short is named', () => {
  const read = nodesOfTiles(() => new Uint8Array(32));
  expect(() => read(8, 0)).not.toThrow();
  expect(() => read(1, 1)).toThrow('tile: tile/0/000 has 1 hashes, and 4 are needed');
});

it('an edge is restored only from tiles of the widths that its size has', () => {
  expect(() => edgeFromTiles(300, [new Uint8Array(32)])).toThrow('level 0 has 32 bytes, not 1408');
  expect(() => edgeFromTiles(1, [new Uint8Array(32), new Uint8Array(32)])).toThrow('level 1 has 32 bytes, not 0');
});
