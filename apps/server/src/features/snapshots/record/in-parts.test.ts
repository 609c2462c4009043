import { expect, it } from 'vitest';
import { inParts } from './in-parts.ts';

it('splits where a part would become too long, and loses nothing', () => {
  const items = ['aaaa', 'bb', 'c'.repeat(50), 'd', 'e'];
  const parts = inParts(items, 20);
  expect(parts).toEqual([['aaaa', 'bb'], ['c'.repeat(50)], ['d', 'e']]);
  expect(parts.flat()).toEqual(items);
});

it('has one part for an empty list', () => {
  expect(inParts([])).toEqual([[]]);
});
