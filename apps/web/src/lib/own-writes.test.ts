import { expect, it } from 'vitest';
import { beginWrite, isEcho } from './own-writes.ts';

const NOW = 1_800_000_000_000;

it('an event is an echo during a write and shortly after it, if the same user caused it', () => {
  expect(isEcho('ada', 'ada', NOW)).toBe(false);
  const end = beginWrite(() => NOW);
  expect(isEcho('ada', 'ada', NOW)).toBe(true);
  expect(isEcho('bea', 'ada', NOW)).toBe(false);
  end(true);
  expect(isEcho('ada', 'ada', NOW + 14_999)).toBe(true);
  expect(isEcho('bea', 'ada', NOW + 14_999)).toBe(false);
  expect(isEcho('ada', 'ada', NOW + 15_000)).toBe(false);
  expect(isEcho('ada', undefined, NOW)).toBe(false);
});

it('a write that was refused has no echo', () => {
  const later = NOW + 60_000;
  beginWrite(() => later)(false);
  expect(isEcho('ada', 'ada', later)).toBe(false);
});
