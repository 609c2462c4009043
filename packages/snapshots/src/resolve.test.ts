import { expect, it } from 'vitest';
import type { AgoUnit } from './expression.ts';
import { indexOf, momentOf } from './resolve.ts';

it.each([
  [{ kind: 'index', index: 3 } as const, 3],
  [{ kind: 'index', index: 11 } as const, 11],
  [{ kind: 'index', index: -1 } as const, 10],
  [{ kind: 'index', index: -10 } as const, 1],
  [{ kind: 'index', index: -11 } as const, 0],
  [{ kind: 'behind', count: 0 } as const, 10],
  [{ kind: 'behind', count: 1 } as const, 9],
  [{ kind: 'behind', count: 12 } as const, -2],
])('of ten snapshots %j is number %i', (expression, index) => {
  expect(indexOf(expression, 10)).toBe(index);
});

it.each<[string, number, AgoUnit, string]>([
  ['2026-03-29T12:00:00.250Z', 5, 'hours', '2026-03-29T07:00:00.250Z'],
  ['2026-03-29T12:00:00.000Z', 2, 'days', '2026-03-27T12:00:00.000Z'],
  ['2026-03-29T12:00:00.000Z', 1, 'weeks', '2026-03-22T12:00:00.000Z'],
  ['2026-03-15T12:34:56.789Z', 1, 'months', '2026-02-15T12:34:56.789Z'],
  ['2026-03-31T12:00:00.000Z', 1, 'months', '2026-02-28T12:00:00.000Z'],
  ['2024-03-31T12:00:00.000Z', 1, 'months', '2024-02-29T12:00:00.000Z'],
  ['2000-03-30T12:00:00.000Z', 1, 'months', '2000-02-29T12:00:00.000Z'],
  ['1900-03-30T12:00:00.000Z', 1, 'months', '1900-02-28T12:00:00.000Z'],
  ['2026-05-31T23:59:59.999Z', 1, 'months', '2026-04-30T23:59:59.999Z'],
  ['2026-01-31T12:00:00.000Z', 2, 'months', '2025-11-30T12:00:00.000Z'],
  ['2024-02-29T12:00:00.000Z', 12, 'months', '2023-02-28T12:00:00.000Z'],
  ['2026-03-31T12:00:00.000Z', 1925 * 12 + 1, 'months', '0101-02-28T12:00:00.000Z'],
  ['2026-03-31T12:00:00.000Z', 2022 * 12 + 1, 'months', '0004-02-29T12:00:00.000Z'],
  ['2026-01-31T12:00:00.000Z', 2025 * 12, 'months', '0001-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.000Z', 2025 * 12 + 1, 'months', '0001-01-01T00:00:00.000Z'],
  ['2026-01-31T12:00:00.000Z', 2_147_483_647, 'months', '0001-01-01T00:00:00.000Z'],
  ['2026-01-31T12:00:00.000Z', 2_147_483_647, 'weeks', '0001-01-01T00:00:00.000Z'],
])('at %s, %i %s ago is %s', (now, amount, unit, then) => {
  expect(momentOf({ kind: 'ago', amount, unit }, new Date(now)).toISOString()).toBe(then);
});

it('a moment is itself, and now is now', () => {
  const now = new Date('2026-11-01T12:00:00Z');
  const at = new Date('2025-01-01T00:00:00Z');
  expect(momentOf({ kind: 'moment', at }, now)).toEqual(at);
  expect(momentOf({ kind: 'now' }, now)).toEqual(now);
});
