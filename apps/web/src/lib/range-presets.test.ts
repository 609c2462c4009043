import { expect, it } from 'vitest';
import { presetOf, presetStart } from './range-presets.ts';

const TODAY = '2026-03-01';

it('begins so that today is the last of its days', () => {
  expect(presetStart(1, TODAY)).toBe('2026-03-01');
  expect(presetStart(7, TODAY)).toBe('2026-02-23');
});

it.each([
  [undefined, undefined, 0],
  ['2026-02-23', undefined, 7],
  ['2026-02-23', TODAY, 7],
  [TODAY, TODAY, 1],
  ['2026-02-22', undefined, undefined],
  ['2026-02-23', '2026-02-24', undefined],
  [undefined, '2026-02-24', undefined],
])('from %s to %s is %s', (from, to, days) => {
  expect(presetOf(from, to, TODAY)).toBe(days);
});
