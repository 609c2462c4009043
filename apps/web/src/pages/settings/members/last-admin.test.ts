import { expect, it } from 'vitest';
import { lastAdminIn } from './last-admin.ts';

const member = (login: string, role: 'admin' | 'member') => ({ login, role });

it('the only admin is known if all members are', () => {
  const one = [member('ada', 'admin'), member('bea', 'member')];
  expect(lastAdminIn(one, 2)).toBe('ada');
  expect(lastAdminIn(one, 3)).toBeUndefined();
  expect(lastAdminIn([...one, member('cal', 'admin')], 3)).toBeUndefined();
  expect(lastAdminIn([member('bea', 'member')], 1)).toBeUndefined();
});
