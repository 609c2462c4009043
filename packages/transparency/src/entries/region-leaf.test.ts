import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { givenLogKey, givenWitnessKey } from '../../test/keys.ts';
import { fuzz } from '../../test/parse-or-fail.ts';
import { formatVerifierKey } from '../notes/keys.ts';
import { formatRegionLeaf, orgLogOrigin, parseRegionLeaf, type RegionLeaf, regionOrigin } from './region-leaf.ts';

const LOG = '0b0e9d2c-6c1f-4a39-8a55-4e8d4b1f0a77';
const ROOT = '5f'.repeat(32);
const logKey = formatVerifierKey(await givenLogKey());
const witnessKey = formatVerifierKey(await givenWitnessKey(1));

const org: RegionLeaf = { kind: 'org', log: LOG, root: ROOT, size: 42 };
const keys: RegionLeaf = { kind: 'keys', keys: [logKey] };
const epoch: RegionLeaf = {
  kind: 'epoch',
  epoch: 2,
  previous: { origin: 'waymark.example/eu/1', root: ROOT, size: 18_422 },
  reason: 'PostgreSQL was restored to 10:37 — “disk failure”',
};

it('leaves are canonical JSON, and are read back', () => {
  expect(formatRegionLeaf(org)).toBe(`{"kind":"org","log":"${LOG}","root":"${ROOT}","size":42,"v":1}`);
  expect(formatRegionLeaf(keys)).toBe(`{"keys":["${logKey}"],"kind":"keys","v":1}`);
  expect(formatRegionLeaf(epoch)).toBe(
    `{"epoch":2,"kind":"epoch","previous":{"origin":"waymark.example/eu/1","root":"${ROOT}","size":18422},` +
      `"reason":"PostgreSQL was restored to 10:37 — “disk failure”","v":1}`,
  );
  for (const leaf of [org, keys, epoch]) expect(parseRegionLeaf(formatRegionLeaf(leaf))).toEqual(leaf);
});

it('is written the same for the same leaf, in whatever order its fields are', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.uuid({ version: 4 }), (size, log) => {
      const text = formatRegionLeaf({ kind: 'org', log, root: ROOT, size });
      expect(formatRegionLeaf({ size, root: ROOT, log, kind: 'org' })).toBe(text);
      expect(parseRegionLeaf(text)).toEqual({ kind: 'org', log, root: ROOT, size });
    }),
  );
});

it.each([
  [org, '"size":42', '"size":42.0', 'is not canonical JSON'],
  [org, '"size":42', '"size":-1', "'-1' is not the size of a tree"],
  [org, '"size":42', '"size":"42"', '\'"42"\' is not the size of a tree'],
  [org, '"size":42,', '', 'has no size'],
  [org, '"v":1', '"v":1,"extra":1', 'is not canonical JSON'],
  [org, '"v":1', '"v":2', 'is not of version 1'],
  [org, LOG, LOG.toUpperCase(), 'is not the ID of a log'],
  [org, ROOT, ROOT.slice(2), 'is not a root in hex'],
  [org, '"org"', '"head"', 'kind is \'"head"\''],
  [org, '{', '[', 'is not JSON'],
  [keys, `"${logKey}"`, '', 'keys are not 1 to 16 keys'],
  [keys, `"${logKey}"`, `"${logKey}","${logKey}"`, 'a key is listed twice'],
  [keys, logKey, witnessKey, 'a key is not one that signs checkpoints'],
  [keys, logKey, 'nonsense', 'verifier key:'],
  [keys, `"${logKey}"`, '5', 'a key is not a text'],
  [epoch, '"epoch":2', '"epoch":1', "'1' is not an epoch after the first"],
  [epoch, 'waymark.example/eu/1', 'a b', 'it has a space or a plus'],
  [epoch, '"size":18422', '"size":18422,"v":1', 'is not canonical JSON'],
  [epoch, 'PostgreSQL was restored to 10:37 — “disk failure”', ' ', 'is not a reason'],
  [epoch, 'PostgreSQL', '\\n', 'is not a reason'],
  [epoch, 'PostgreSQL', 'x'.repeat(1000), 'is not a reason'],
] as const)('rejects %j with %j replaced by %j', (leaf, part, other, problem) => {
  expect(() => parseRegionLeaf(formatRegionLeaf(leaf).replace(part, other))).toThrow(problem);
});

it('refuses to write a leaf that nobody could read', () => {
  expect(() => formatRegionLeaf({ kind: 'org', log: 'acme', root: ROOT, size: 1 })).toThrow(RangeError);
  expect(() => formatRegionLeaf({ kind: 'keys', keys: [] })).toThrow(RangeError);
});

it('no text makes the parser throw anything but a FormatError', async () => {
  await fuzz(parseRegionLeaf, [...[org, keys, epoch].map(formatRegionLeaf), 'null', '[]', '5']);
});

it('an org log has another origin in another epoch', () => {
  const names = [1, 2].map((epoch) => orgLogOrigin(regionOrigin('waymark.example/eu', epoch), LOG));
  expect(names).toEqual([`waymark.example/eu/1/org/${LOG}`, `waymark.example/eu/2/org/${LOG}`]);
});
