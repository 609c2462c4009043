import { expect, it } from 'vitest';
import { createCache } from './bounded-cache.ts';

it('makes what it does not know, and forgets the oldest', () => {
  const made: string[] = [];
  const cached = createCache(2, (text) => {
    made.push(text);
    return { text };
  });
  expect(cached('a')).toBe(cached('a'));
  cached('b');
  cached('c');
  expect(cached('b')).toEqual({ text: 'b' });
  cached('a');
  expect(made).toEqual(['a', 'b', 'c', 'a']);
});
