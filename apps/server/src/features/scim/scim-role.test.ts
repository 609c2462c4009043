import type { Role } from '@waymark/contract';
import { expect, it } from 'vitest';
import { roleOf } from './scim-role.service.ts';

const member = (roles: Role[], more: { active?: boolean; role_given?: boolean } = {}) => ({
  active: true,
  role_given: false,
  roles,
  ...more,
});

it('is the highest that groups give, and the default only without any', () => {
  expect(roleOf(member(['reader', 'admin', 'member']), 'reader')).toBe('admin');
  expect(roleOf(member(['snapshotter', 'reader']), 'admin')).toBe('snapshotter');
  expect(roleOf(member([]), 'reader')).toBe('reader');
});

it('is none for inactive users, whatever their groups', () => {
  expect(roleOf(member(['admin'], { active: false }), 'reader')).toBeNull();
});

it('is left alone where nothing gave one yet, and is none once something did', () => {
  expect(roleOf(member([]), null)).toBeUndefined();
  expect(roleOf(member([], { role_given: true }), null)).toBeNull();
});
