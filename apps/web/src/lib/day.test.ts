import { expect, it } from 'vitest';
import { dayEnd, dayOfSeconds, dayStart } from './day.ts';

it('reads a day as its first and last second, in UTC', () => {
  expect(dayStart('2026-11-01')).toBe(1_793_491_200);
  expect(dayEnd('2026-11-01')).toBe(1_793_577_599);
  expect(dayOfSeconds(1_793_577_599)).toBe('2026-11-01');
});

it('takes nothing else for a day', () => {
  for (const text of [undefined, '', '2026-13-01', 'today', '2026-11-1']) expect(dayStart(text)).toBeUndefined();
});
