import { expect, it } from 'vitest';
import { growthOf, IN_PROPORTION } from '../../../../tools/growth.ts';
import { createBoundedMap } from './bounded-map.ts';

it('knows the newest and forgets the oldest, within its size', () => {
  const map = createBoundedMap<number>(10);
  for (let i = 0; i < 100; i++) {
    map.set(`key ${i}`, i);
    expect(map.get(`key ${i}`)).toBe(i);
  }
  const known = Array.from({ length: 100 }, (_, i) => i).filter((i) => map.get(`key ${i}`) !== undefined);
  expect(known.length).toBeLessThanOrEqual(10);
  expect(known).toEqual(known.map((_, i) => 100 - known.length + i));
});

it('knows the last value of a key, and none of one that was taken out', () => {
  const map = createBoundedMap<string>(4);
  map.set('a', 'old');
  for (const key of ['b', 'c', 'd']) map.set(key, key);
  map.set('a', 'new');
  expect(map.get('a')).toBe('new');
  map.delete('a');
  expect(map.get('a')).toBeUndefined();
});

it('takes keys in proportion to their number, however many it forgets', () => {
  const workOf = (count: number) => {
    const keys = Array.from({ length: count }, (_, i) => `key ${i}`);
    return () => {
      const map = createBoundedMap<number>(count / 4);
      for (const [i, key] of keys.entries()) map.set(key, i);
    };
  };
  expect(growthOf(workOf, 4_000)).toBeLessThan(IN_PROPORTION);
});
