import { expect, it } from 'vitest';
import { usualAccountRole } from './role-words.ts';

it('a new service account can record evidence, unless its creator cannot', () => {
  expect(usualAccountRole('admin')).toBe('member');
  expect(usualAccountRole('member')).toBe('member');
  expect(usualAccountRole('snapshotter')).toBe('reader');
  expect(usualAccountRole(undefined)).toBe('reader');
});
