import { expect, it } from 'vitest';
import { expressionAt, intervalOf } from './snapshot-interval.ts';

it.each([
  [
    { first: undefined, last: undefined },
    { from: 1, to: 9 },
  ],
  [
    { first: 3, last: undefined },
    { from: 3, to: 9 },
  ],
  [
    { first: null, last: 4 },
    { from: 1, to: 4 },
  ],
  [{ first: null, last: null }, null],
])('%o', (bounds, interval) => expect(intervalOf(bounds, 9)).toEqual(interval));

it('is empty before the first snapshot', () => expect(intervalOf({ first: undefined, last: undefined }, 0)).toBeNull());

it('writes times as the API reads them', () => expect(expressionAt(1_800_000_000)).toBe('@{2027-01-15T08:00:00}'));
