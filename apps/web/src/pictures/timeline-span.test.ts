import { describe, expect, it } from 'vitest';
import { fitSpan, labelledTicks, overviewOf, shiftSpan, spanAround, ticksOf, zoomSpan } from './timeline-span.ts';

const DAY = 86_400;
const NOW = 1_800_000_000;

describe('a window', () => {
  it('never reaches into the future, and keeps its length there', () => {
    expect(fitSpan({ from: NOW - DAY, to: NOW + DAY }, NOW)).toEqual({ from: NOW - 2 * DAY, to: NOW });
    expect(shiftSpan({ from: NOW - DAY, to: NOW }, 0.5, NOW)).toEqual({ from: NOW - DAY, to: NOW });
  });

  it('is at least ten minutes and at most 400 days long', () => {
    expect(fitSpan({ from: NOW - 5, to: NOW }, NOW)).toEqual({ from: NOW - 600, to: NOW });
    const long = fitSpan({ from: NOW - 999 * DAY, to: NOW }, NOW);
    expect(long.to - long.from).toBe(400 * DAY);
  });

  it('is narrowed around a time that stays where it is', () => {
    const span = { from: NOW - 10 * DAY, to: NOW - 2 * DAY };
    const near = zoomSpan(span, 0.5, NOW - 4 * DAY, NOW);
    expect(near).toEqual({ from: NOW - 7 * DAY, to: NOW - 3 * DAY });
    const share = (at: number, { from, to }: typeof span) => (at - from) / (to - from);
    expect(share(NOW - 4 * DAY, near)).toBeCloseTo(share(NOW - 4 * DAY, span));
  });

  it('moves by a share of its length, and is put around a time', () => {
    expect(shiftSpan({ from: NOW - 4 * DAY, to: NOW - 2 * DAY }, -0.5, NOW)).toEqual({
      from: NOW - 5 * DAY,
      to: NOW - 3 * DAY,
    });
    expect(spanAround(NOW - 10 * DAY, 2 * DAY, NOW)).toEqual({ from: NOW - 11 * DAY, to: NOW - 9 * DAY });
  });
});

describe('the strip below', () => {
  it('shows 90 days from the start of a day', () => {
    const { from, to } = overviewOf({ from: NOW - 7 * DAY, to: NOW }, NOW);
    expect(from % DAY).toBe(0);
    expect(to - from).toBeGreaterThanOrEqual(90 * DAY);
    expect(to - from).toBeLessThan(91 * DAY);
  });

  it('includes an older window, and no more than the server allows', () => {
    const older = { from: NOW - 200 * DAY, to: NOW - 190 * DAY };
    expect(overviewOf(older, NOW)).toMatchObject({ to: NOW });
    expect(overviewOf(older, NOW).from).toBeLessThan(older.from);
    const ancient = { from: NOW - 900 * DAY, to: NOW - 880 * DAY };
    const shown = overviewOf(ancient, NOW);
    expect(shown.from).toBeLessThan(ancient.from);
    expect(shown.to).toBeGreaterThan(ancient.to);
    expect(shown.to - shown.from).toBeLessThanOrEqual(400 * DAY);
  });
});

describe('the axis', () => {
  it('labels days in a week and times in a day', () => {
    const week = ticksOf({ from: 1_794_182_400, to: 1_794_787_200 }, 900, 'utc');
    expect(week.length).toBeGreaterThan(5);
    expect(week[0]).toMatchObject({ at: 1_794_182_400, label: 'Mon 9 Nov' });
    const day = ticksOf({ from: 1_794_182_400, to: 1_794_268_800 }, 900, 'utc');
    expect(day.map(({ label }) => label)).toContain('12:00');
    expect(day.filter(({ strong }) => strong).map(({ label }) => label)).toEqual(['Mon 9 Nov', 'Tue 10 Nov']);
  });

  it('never writes one label over the next, or past the edge', () => {
    const ticks = ['9 Nov', '1 Dec', '2 Dec', '9 Dec'].map((label, place) => ({
      at: [0, 100, 110, 200][place] ?? 0,
      label,
      strong: false,
    }));
    const shown = labelledTicks(ticks, (at) => at, 220);
    expect([...shown].map(({ label }) => label)).toEqual(['9 Nov', '1 Dec']);
  });

  it('has fewer marks where there is less room', () => {
    const span = { from: NOW - 90 * DAY, to: NOW };
    expect(ticksOf(span, 300, 'utc').length).toBeLessThan(ticksOf(span, 1200, 'utc').length);
    expect(ticksOf({ from: NOW - 400 * DAY, to: NOW }, 600, 'utc')[0]?.label).toMatch(/^\w+ \d{4}$/);
  });
});
