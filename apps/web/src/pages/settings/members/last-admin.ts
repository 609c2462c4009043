import type { Member } from '@waymark/contract';

/** The login of the only admin; undefined if there are several, or if not all members are at hand to know. */
export function lastAdminIn(members: readonly Pick<Member, 'login' | 'role'>[], total: number): string | undefined {
  const [first, ...others] = members.filter(({ role }) => role === 'admin');
  return others.length === 0 && members.length >= total ? first?.login : undefined;
}
