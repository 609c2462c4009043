import { expect, it } from 'vitest';
import { fits } from './page-blocks.ts';

it('notices an output that differs from the page', () => {
  expect(fits('a\n… c\n', 'a\nb c\n\n')).toBe(true);
  expect(fits('a\n… c\n', 'a\nb d\n')).toBe(false);
  expect(fits('true\n', 'true false')).toBe(false);
});
