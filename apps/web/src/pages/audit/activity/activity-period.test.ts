import { contracts } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { countedPeriod, lastDayOf } from './activity-period.ts';

const at = (text: string) => Date.parse(`${text}Z`) / 1000;
const NOW = at('2026-11-19T13:00:00');

describe('the period of the count', () => {
  it('is the last 30 days, today included, unless days are given', () => {
    const { from, to, interval } = countedPeriod(undefined, undefined, NOW);
    expect([from, to, interval]).toEqual([at('2026-10-21T00:00:00'), at('2026-11-19T23:59:59'), 'day']);
  });

  it.each([
    ['2026-11-17', undefined, 'hour'],
    ['2026-11-16', undefined, 'day'],
    ['2026-09-21', undefined, 'day'],
    ['2026-09-20', undefined, 'week'],
    ['2026-11-01', '2026-11-01', 'hour'],
    // The last day before the first one, as while one of both is typed.
    ['2026-11-10', '2026-11-01', 'hour'],
  ])('from %s to %s is counted by the %3$s', (from, to, interval) => {
    expect(countedPeriod(from, to, NOW).interval).toBe(interval);
  });

  it('is accepted by the server, however long', () => {
    const countActivity = contracts.find(({ id }) => id === 'countActivity');
    const period = countedPeriod('1000-01-01', undefined, NOW);
    expect(period.to - period.from).toBeLessThan(400 * 7 * 86_400);
    expect(countActivity?.query?.safeParse(period).error).toBeUndefined();
  });
});

it('ends a week with its seventh day', () => {
  expect(lastDayOf(at('2026-11-16T00:00:00'), 'week')).toBe('2026-11-22');
  expect(lastDayOf(at('2026-11-16T00:00:00'), 'day')).toBe('2026-11-16');
});
