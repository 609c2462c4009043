import { expect, it } from 'vitest';
import { createFairCache } from './fair-cache.ts';

const given = () => createFairCache<{ size: number }>(100, ({ size }) => size);
const of = (size: number) => ({ size });

it('leaves another org what it holds when one fills the cache', () => {
  const cache = given();
  for (let i = 0; i < 4; i++) cache.set('small', `${i}`, of(10));
  for (let i = 0; i < 1000; i++) cache.set('large', `${i}`, of(10));
  expect([0, 1, 2, 3].map((i) => cache.get('small', `${i}`))).toEqual(Array(4).fill(of(10)));
  expect([993, 994, 999].map((i) => cache.get('large', `${i}`))).toEqual([undefined, of(10), of(10)]);
});

it('takes from one that filled it before others came', () => {
  const cache = given();
  for (let i = 0; i < 10; i++) cache.set('large', `${i}`, of(10));
  for (let i = 0; i < 5; i++) cache.set('small', `${i}`, of(10));
  expect([0, 1, 2, 3, 4].map((i) => cache.get('small', `${i}`))).toEqual(Array(5).fill(of(10)));
  expect([0, 4, 5, 9].map((i) => cache.get('large', `${i}`))).toEqual([undefined, undefined, of(10), of(10)]);
});

it('forgets what was not used for the longest time', () => {
  const cache = given();
  for (let i = 0; i < 10; i++) cache.set('one', `${i}`, of(10));
  cache.get('one', '0');
  cache.set('one', '10', of(10));
  expect([cache.get('one', '0'), cache.get('one', '1')]).toEqual([of(10), undefined]);
});

it('holds nothing that is larger than itself, and no more than its size of many orgs', () => {
  const cache = given();
  cache.set('one', 'huge', of(101));
  expect(cache.get('one', 'huge')).toBeUndefined();
  const orgs = Array.from({ length: 500 }, (_, i) => `${i}`);
  for (const org of orgs) cache.set(org, 'key', of(1));
  expect(orgs.filter((org) => cache.get(org, 'key')).length).toBe(100);
});
