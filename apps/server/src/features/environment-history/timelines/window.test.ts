import { describe, expect, it } from 'vitest';
import { daysUntil, windowOf } from './window.ts';

const at = (text: string) => new Date(`${text}Z`);
const seconds = (text: string) => at(text).getTime() / 1000;
const NOW = at('2026-03-10T12:00:00');

describe('a window', () => {
  it.each([
    ['the last seven days', {}, '2026-03-03T12:00:00', '2026-03-10T12:00:00'],
    ['the same when it is given as nothing', { from: '', to: '' }, '2026-03-03T12:00:00', '2026-03-10T12:00:00'],
    ['seven days before its end', { to: seconds('2026-02-10T00:00:00') }, '2026-02-03T00:00:00', '2026-02-10T00:00:00'],
    ['up to now', { from: seconds('2026-01-01T00:00:00') }, '2026-01-01T00:00:00', '2026-03-10T12:00:00'],
    [
      'no longer than now',
      { from: seconds('2026-03-10T00:00:00'), to: seconds('2030-01-01T00:00:00') },
      '2026-03-10T00:00:00',
      '2026-03-10T12:00:00',
    ],
    ['400 days', { from: seconds('2025-02-03T12:00:00') }, '2025-02-03T12:00:00', '2026-03-10T12:00:00'],
  ] as const)('is %s', (_, query, from, until) => {
    expect(windowOf(query, NOW)).toEqual({ from: at(from).getTime(), until: at(until).getTime() });
  });

  it.each([
    [{ from: seconds('2026-03-10T12:00:00') }, 'must be in the past'],
    [{ from: 10, to: 10 }, 'must be before query.to'],
    [{ from: 20, to: 10 }, 'must be before query.to'],
    [{ from: 0 }, 'is too early: a window can have at most 400 days'],
  ])('is refused: %j', (query, message) => {
    expect(() => windowOf(query, NOW)).toThrow(expect.objectContaining({ fields: { 'query.from': message } }));
  });
});

describe('days', () => {
  it.each([
    [undefined, 1, '2026-03-10T00:00:00'],
    [undefined, 10, '2026-03-01T00:00:00'],
    ['', 2, '2026-03-09T00:00:00'],
    [seconds('2026-03-01T00:00:00'), 2, '2026-02-28T00:00:00'],
    [seconds('2026-02-28T23:59:59.999'), 1, '2026-02-28T00:00:00'],
    [seconds('2030-01-01T00:00:00'), 1, '2026-03-10T00:00:00'],
  ] as const)('until %s are %i from %s on', (until, count, from) => {
    expect(daysUntil(until, count, NOW)).toEqual({ from: at(from).getTime(), length: 86_400_000, count });
  });
});
