import { expect, it } from 'vitest';
import { cursorIn } from './policy-list.ts';

it('finds where a list continues', () => {
  expect(cursorIn('</api/v2/policies/acme?after=abc%3D&archived=true>; rel="next"')).toBe('abc=');
  expect(cursorIn('<https://example.com/api/v2/policies/acme?after=x>; rel=next')).toBe('x');
  expect(cursorIn(null)).toBeUndefined();
  expect(cursorIn('</first>; rel="first"')).toBeUndefined();
});
