import { describe, expect, it } from 'vitest';
import { leadTimeSteps, quantile } from './lead-times.ts';

describe('a quantile', () => {
  it('is the middle of an odd number of values, and between the two of an even one', () => {
    expect(quantile([9, 1, 5], 0.5)).toBe(5);
    expect(quantile([1, 2, 3, 10], 0.5)).toBe(2.5);
  });

  it('reaches from the minimum to the maximum', () => {
    expect([quantile([4, 2], 0), quantile([4, 2], 1), quantile([7], 0.9)]).toEqual([2, 4, 7]);
  });

  it('of nothing is null', () => {
    expect(quantile([], 0.5)).toBeNull();
  });
});

describe('the lines of the plot', () => {
  it('enclose all values', () => {
    expect(leadTimeSteps([700, 80_000])).toEqual([600, 3_600, 10_800, 21_600, 43_200, 86_400]);
  });

  it('are at least two', () => {
    expect(leadTimeSteps([3_600])).toHaveLength(2);
    expect(leadTimeSteps([10])).toHaveLength(2);
    expect(leadTimeSteps([10 ** 9])).toHaveLength(2);
  });
});
