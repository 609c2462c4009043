import { describe, expect, it } from 'vitest';
import { periodOf } from './period.ts';

const NOON = Date.UTC(2026, 10, 15, 12) / 1000;
const DAY = 86_400;

describe('the period of a report', () => {
  it('is the last thirty days, until now', () => {
    expect(periodOf(undefined, undefined, NOON)).toEqual({
      fromDay: '2026-10-17',
      toDay: '2026-11-15',
      from: Date.UTC(2026, 9, 17) / 1000,
      to: NOON,
    });
  });

  it('includes the last day', () => {
    const { from, to } = periodOf('2026-11-01', '2026-11-02', NOON);
    expect(to - from).toBe(2 * DAY - 1);
  });

  it('is refused when it ends before it begins, or is too long', () => {
    expect(periodOf('2026-11-10', '2026-11-01', NOON).fault).toMatch(/ends before/);
    expect(periodOf('2020-01-01', undefined, NOON).fault).toMatch(/400 days/);
  });
});
