import { expect, it } from 'vitest';
import { createBodyCache } from './body-cache.ts';

const entry = (length: number, stamp = '1') => ({
  stamp,
  flowNames: new Map(),
  body: Buffer.alloc(length),
  isWhole: true,
});

it('finds a body with the same stamp, and nothing else', () => {
  const bodies = createBodyCache(100);
  bodies.add('a', entry(10));
  expect(bodies.find('a', '1')?.body.length).toBe(10);
  expect(bodies.find('a', '2')).toBeUndefined();
  expect(bodies.find('b', '1')).toBeUndefined();
});

it('evicts the least recently used body when there are too many bytes', () => {
  const bodies = createBodyCache(60);
  for (const key of ['a', 'b', 'c', 'd']) bodies.add(key, entry(15));
  bodies.find('a', '1');
  bodies.add('e', entry(15));
  expect(['a', 'b', 'c', 'd', 'e'].filter((key) => bodies.find(key, '1'))).toEqual(['a', 'c', 'd', 'e']);
});

it('counts a replaced body once, and does not cache one that takes much of the room', () => {
  const bodies = createBodyCache(60);
  for (let i = 0; i < 10; i++) bodies.add('a', entry(15));
  for (const key of ['b', 'c', 'd']) bodies.add(key, entry(15));
  expect(bodies.find('a', '1')).toBeDefined();
  bodies.add('a', entry(16));
  expect(bodies.find('a', '1')).toBeUndefined();
});
