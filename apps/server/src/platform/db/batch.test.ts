import { describe, expect, it } from 'vitest';
import { batch } from './batch.ts';

describe('a batch', () => {
  it('shares calls that come together and answers each with its own', async () => {
    const sizes: number[] = [];
    const double = batch(async (items: readonly number[]) => {
      sizes.push(items.length);
      return items.map((item) => item * 2);
    });
    expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10]);
    expect(sizes).toEqual([5]);
    expect(await double(6)).toBe(12);
  });

  it('fails those alone who fail alone', async () => {
    const check = batch(async (items: readonly number[]) => {
      const odd = items.find((item) => item % 2 === 1);
      if (odd !== undefined) throw new Error(`${odd} is odd`);
      return items;
    });
    const outcomes = await Promise.allSettled([2, 3, 4, 5, 6].map(check));
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message))).toEqual([
      2,
      '3 is odd',
      4,
      '5 is odd',
      6,
    ]);
  });

  it('does not ask again, one by one, a database that is away', async () => {
    let asked = 0;
    const lost = batch(async (items: readonly number[]) => {
      asked++;
      if (items.length > 0) throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
      return items;
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map(lost));
    expect(outcomes.every((one) => one.status === 'rejected')).toBe(true);
    expect(asked).toBe(1);
  });
});
