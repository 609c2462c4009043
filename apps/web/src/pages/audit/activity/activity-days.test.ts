import { expect, it } from 'vitest';
import { countDays } from './activity-days.ts';

const DAY = 86_400;

it('counts each day, also those on which nothing happened', () => {
  expect(countDays([10 * DAY + 5, 10 * DAY, 8 * DAY + 1])).toEqual([
    { start: 8 * DAY, count: 1 },
    { start: 9 * DAY, count: 0 },
    { start: 10 * DAY, count: 2 },
  ]);
});

it('has no days when nothing happened', () => {
  expect(countDays([])).toEqual([]);
});
