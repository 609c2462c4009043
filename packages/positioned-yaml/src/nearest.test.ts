import { expect, it } from 'vitest';
import { nearest } from './nearest.ts';

it.each([
  ['trial', 'trail'],
  ['TRAIL', 'trail'],
  ['versions', 'version'],
  ['vrsn', undefined],
  ['x', undefined],
  ['', undefined],
])('%j suggests %j', (word, suggestion) => {
  expect(nearest(word, ['version', 'trail', '*'])).toBe(suggestion);
});
