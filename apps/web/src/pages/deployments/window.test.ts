import { describe, expect, it } from 'vitest';
import { dayOfSeconds, dayStart } from '../../lib/day.ts';
import { daysIn, intervalOf, windowOf } from './window.ts';

const now = Date.parse('2026-11-15T13:00:00Z') / 1000;

describe('the window', () => {
  it('is the last days, today included', () => {
    const window = windowOf(undefined, undefined, now, 30);
    expect([dayOfSeconds(window.from), dayOfSeconds(window.to), daysIn(window)]).toEqual([
      '2026-10-17',
      '2026-11-16',
      30,
    ]);
  });

  it('is from the first to the last day that are given', () => {
    const window = windowOf('2026-11-01', '2026-11-02', now, 30);
    expect([dayOfSeconds(window.from), daysIn(window)]).toEqual(['2026-11-01', 2]);
  });

  it('is counted by weeks when it is long', () => {
    expect(
      ['2026-09-17', '2026-09-16', '2024-01-01'].map((day) => intervalOf(windowOf(day, undefined, now, 30))),
    ).toEqual(['day', 'week', 'week']);
  });

  it('is never empty', () => {
    expect(daysIn(windowOf('2026-11-09', '2026-11-02', now, 30))).toBe(1);
  });

  it('rejects what is not a day', () => {
    expect([dayStart('yesterday'), dayStart('2026-13-01'), dayStart(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
