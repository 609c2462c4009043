import { expect, it } from 'vitest';
import { percent, sharesOf, sumOf, wordsOf } from './day-strip.ts';

const NONE = { compliant: 0, non_compliant: 0, unknown: 0, no_data: 0 };

it('counts only the part of a day that has passed', () => {
  expect(sharesOf({ ...NONE, compliant: 3_600, non_compliant: 3_600 })).toEqual({
    compliant: 0.5,
    'non-compliant': 0.5,
    unknown: 0,
    'no-data': 0,
  });
});

it('never rounds up to 100% or down to 0%', () => {
  expect([0, 0.001, 0.5, 0.999, 1].map(percent)).toEqual(['0%', 'under 1%', '50%', 'over 99%', '100%']);
});

it('counts nothing before the first report', () => {
  expect(Object.values(sharesOf(NONE))).toEqual([0, 0, 0, 0]);
  expect(wordsOf(NONE)).toBe('no report yet');
  expect(wordsOf(sumOf([NONE, { ...NONE, compliant: 3_600 }]))).toBe('100% compliant');
});

it('summarizes all days in words', () => {
  const days = [
    { ...NONE, compliant: 86_400 },
    { ...NONE, non_compliant: 43_200, no_data: 43_200 },
  ];
  expect(wordsOf(sumOf(days))).toBe('50% compliant, 25% non-compliant, 25% without reports');
});
