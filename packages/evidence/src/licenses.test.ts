import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { licensesOf } from './licenses.ts';

const partsOf = (license: string) => licensesOf([{ name: 'a', version: '1', license }])?.map((one) => one.expression);

it.each<[string, (string | null)[]]>([
  ['MIT', ['MIT']],
  ['mit', ['MIT']],
  [' MIT ', ['MIT']],
  ['MIT AND Apache-2.0', ['Apache-2.0', 'MIT']],
  ['MIT and Apache-2.0', ['Apache-2.0', 'MIT']],
  ['(MIT)', ['MIT']],
  ['MIT OR Apache-2.0', ['MIT OR Apache-2.0']],
  ['MIT AND (Apache-2.0 OR GPL-2.0-only)', ['Apache-2.0 OR GPL-2.0-only', 'MIT']],
  ['MIT OR Apache-2.0 AND GPL-2.0-only', ['MIT OR (Apache-2.0 AND GPL-2.0-only)']],
  ['(MIT OR Apache-2.0) AND (MIT OR ISC)', ['MIT OR Apache-2.0', 'MIT OR ISC']],
  ['GPL-2.0-only WITH Classpath-exception-2.0', ['GPL-2.0-only WITH Classpath-exception-2.0']],
  ['GPL-2.0', ['GPL-2.0-only']],
  ['GPL-2.0+', ['GPL-2.0-or-later']],
  ['LGPL-2.1+', ['LGPL-2.1-or-later']],
  ['AGPL-3.0', ['AGPL-3.0-only']],
  ['GFDL-1.3', ['GFDL-1.3-only']],
  ['Apache-1.1+', ['Apache-1.1+']],
  ['LicenseRef-Acme', ['LicenseRef-Acme']],
  ['DocumentRef-a:LicenseRef-Acme', ['DocumentRef-a:LicenseRef-Acme']],
  ['The MIT License', ['MIT', null]],
  ['GPL', [null]],
  ['Copyright Acme', [null]],
  ['GPL-3.0-only AND something…', ['GPL-3.0-only', null]],
  ['MIT; GPL-2.0', ['GPL-2.0-only', 'MIT', null]],
  ['MIT AND', ['MIT', null]],
  ['((', [null]],
  ['~MIT', ['MIT', null]],
  ['', [null]],
])('%j is %j', (text, parts) => {
  const found = partsOf(text)?.toSorted((a, b) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1));
  expect(found).toEqual(parts);
});

it('licenses are counted by components, with the first names', () => {
  const of = (license: string | undefined, ...names: string[]) =>
    names.map((name) => ({ name, version: name === 'x' ? '' : '1', ...(license !== undefined && { license }) }));
  expect(
    licensesOf([...of('MIT', 'a', 'b', 'c', 'd'), ...of('MIT AND GPL-3.0', 'e'), ...of(undefined, 'x', 'y')]),
  ).toEqual([
    { expression: 'MIT', count: 5, components: ['a@1', 'b@1', 'c@1'] },
    { expression: null, count: 2, components: ['x', 'y@1'] },
    { expression: 'GPL-3.0-only', count: 1, components: ['e@1'] },
  ]);
});

it('an SBOM without licenses has none, and neither has one with too many', () => {
  expect(licensesOf([])).toBeUndefined();
  expect(licensesOf([{ name: 'a', version: '1' }])).toBeUndefined();
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: 'a', version: '1', license: `LicenseRef-${i}` }));
  expect(licensesOf(many(500))).toHaveLength(500);
  expect(licensesOf(many(501))).toBeUndefined();
});

it('any text is read', () => {
  const words = fc.constantFrom(
    'MIT',
    'GPL-2.0',
    ' AND ',
    ' OR ',
    ' WITH ',
    '(',
    ')',
    '+',
    ':',
    'LicenseRef-a',
    '…',
    ' ',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(words, { maxLength: 60 }).map((parts) => parts.join('')),
      ),
      (text) => {
        expect(partsOf(text)?.length).toBeGreaterThan(0);
      },
    ),
  );
});
