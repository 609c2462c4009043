import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { FormatError } from '../format-error.ts';
import { decodeEntries, encodeEntries } from './entry-bundle.ts';
import { partialTiles } from './tile.ts';
import { entriesPath, parseTilePath, tilePath } from './tile-path.ts';

it.each([
  ['tile/0/x001/x234/067', { level: 0, index: 1_234_067, width: 256 }],
  ['tile/0/x001/x234/067.p/8', { level: 0, index: 1_234_067, width: 8 }],
  ['tile/2/000', { level: 2, index: 0, width: 256 }],
  ['tile/63/999.p/255', { level: 63, index: 999, width: 255 }],
  ['tile/1/x001/000.p/1', { level: 1, index: 1000, width: 1 }],
])('%s', (path, id) => {
  expect(tilePath(id)).toBe(path);
  expect(parseTilePath(path)).toEqual({ kind: 'tile', ...id });
});

it.each(
  [
    ...['tile/0/0', 'tile/0/x000/001', 'tile/00/001', 'tile/64/001', 'tile/0/001.p/256', 'tile/0/001.p/0'],
    ...['tile/0/001.p/01', 'tile/0/001/002', 'tile/-1/001', 'tile/0/1234', 'tile/entries/x1/234', '/tile/0/001', ''],
    'tile/0/x009/x999/x999/x999/x999/999',
  ].map((path) => [path]),
)('rejects %s', (path) => {
  expect(() => parseTilePath(path)).toThrow(FormatError);
});

it('every path reads back, for entries as for hashes', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 256 }), fc.nat({ max: 63 }), (index, width, level) => {
      expect(parseTilePath(tilePath({ level, index, width }))).toEqual({ kind: 'tile', level, index, width });
      expect(parseTilePath(entriesPath({ index, width }))).toEqual({ kind: 'entries', index, width });
    }),
  );
});

it('a tree of 70,000 leaves, and one of 256, end in the tiles that the specification names', () => {
  expect(partialTiles(70_000)).toEqual([
    { level: 0, index: 273, width: 112 },
    { level: 1, index: 1, width: 17 },
    { level: 2, index: 0, width: 1 },
  ]);
  expect(partialTiles(256)).toEqual([{ level: 1, index: 0, width: 1 }]);
  expect(partialTiles(0)).toEqual([]);
});

it('entries read back from their bundle, and only as many as there are', () => {
  const entries = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 256 });
  fc.assert(
    fc.property(entries, (given) => {
      const bytes = encodeEntries(given);
      expect(decodeEntries(bytes, given.length)).toEqual(given);
      expect(() => decodeEntries(bytes, given.length + 1)).toThrow(`has ${given.length} entries, not`);
      if (given.length > 0) expect(() => decodeEntries(bytes, given.length - 1)).toThrow('follow the last entry');
    }),
  );
  expect([...encodeEntries([new Uint8Array(258).fill(7)])].slice(0, 3)).toEqual([1, 2, 7]);
  expect(() => decodeEntries(Uint8Array.of(0, 5, 1), 1)).toThrow('entry bundle: entry 0 is longer than the bundle');
  expect(encodeEntries([new Uint8Array(65_535)])).toHaveLength(65_537);
  expect(() => encodeEntries([new Uint8Array(65_536)])).toThrow('at most 65535 bytes');
});

it('random bytes are a bundle or a FormatError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), fc.nat({ max: 256 }), fc.string(), (bytes, count, path) => {
      for (const read of [() => decodeEntries(bytes, count), () => parseTilePath(path)]) {
        try {
          read();
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }
    }),
  );
});
