import { describe, expect, it } from 'vitest';
import { absolute, ago, duration, toTheMinute } from './time.ts';

const NOW = 1_800_000_000;

describe('how long ago', () => {
  it.each([
    [0, 'just now'],
    [-59, 'just now'],
    [-60, '1 minute ago'],
    [-3_599, '59 minutes ago'],
    [-7_200, '2 hours ago'],
    [-90_000, '1 day ago'],
    [-1_000_000, '1 week ago'],
    [-63_115_200, '2 years ago'],
    [30, 'in a moment'],
    [172_800, 'in 2 days'],
  ])('%i s is %s', (difference, text) => expect(ago(NOW + difference, NOW)).toBe(text));
});

describe('how long', () => {
  it.each([
    [0, '0 s'],
    [38 * 60, '38 min'],
    [3 * 86_400 + 4 * 3_600 + 59, '3 d 4 h'],
    [90_061, '1 d 1 h'],
    [-5, '0 s'],
  ])('%i s is %s', (seconds, text) => expect(duration(seconds)).toBe(text));
});

it('names its zone', () => expect(absolute(NOW, 'utc')).toBe('15 Jan 2027, 08:00:00 UTC'));

it('has seconds in tooltips only', () => expect(toTheMinute(NOW + 59, 'utc')).toBe('15 Jan 2027, 08:00 UTC'));
