import { expect, it } from 'vitest';
import { duration, percentage } from './duration.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

it.each([
  [0, '0 s'],
  [SECOND, '1 s'],
  [59_600, '1 min'],
  [38 * MINUTE + 12 * SECOND, '38 min 12 s'],
  [2 * HOUR, '2 h'],
  [HOUR + 5 * SECOND, '1 h'],
  [3 * DAY + 4 * HOUR + 59 * MINUTE, '3 d 4 h'],
  [400 * DAY, '400 d'],
])('writes %i ms as %s', (ms, text) => expect(duration(ms)).toBe(text));

it.each([
  [1, 1, '100 %'],
  [0, 1, '0 %'],
  [1, 3, '33.33 %'],
  [999_999, 1_000_000, '> 99.99 %'],
  [1, 1_000_000, '< 0.01 %'],
  [0, 0, '–'],
])('writes %i of %i as %s', (part, whole, text) => expect(percentage(part, whole)).toBe(text));
