import { type Role, roles } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { chunksOf } from '../../platform/db/chunks.ts';
import { setMemberships, type WantedMember } from '../memberships/many-members.service.ts';
import { readPeople } from '../users/user.reads.ts';
import { findSetup } from './scim-setup.store.ts';
import { listMembers, markRoleGiven, type ScimMember } from './scim-user.store.ts';

/** Gives these users the roles that follow from what the identity provider sent, or removes them from the org. */
export async function applyRoles(ctx: Ctx, scimUserIds: readonly string[]): Promise<void> {
  const defaultRole = (await findSetup(ctx.db, ctx.org))?.default_role ?? null;
  const wanted: WantedMember[] = [];
  const given: string[] = [];
  for (const ids of chunksOf(scimUserIds)) {
    for (const member of await readMembers(ctx, ids)) {
      const role = roleOf(member, defaultRole);
      if (role === undefined) continue;
      wanted.push({ user: member.account, role });
      if (role !== null && !member.role_given) given.push(member.id);
    }
  }
  for (const ids of chunksOf(given)) await markRoleGiven(ctx.db, ctx.org, ids);
  await setMemberships(ctx, wanted, 'scim');
}

/**
 * Undefined leaves a membership unchanged: that of a member from before SCIM, until something gives them a role.
 * Otherwise everybody would be removed between the first user and the first mapped group.
 */
export function roleOf(
  member: Pick<ScimMember, 'active' | 'roles' | 'role_given'>,
  defaultRole: Role | null,
): Role | null | undefined {
  if (!member.active) return null;
  const role = roles.findLast((one) => member.roles.includes(one)) ?? defaultRole;
  return role === null && !member.role_given ? undefined : role;
}

/** Users of the identity provider with their accounts, under the name that the provider gave. */
export async function readMembers(
  ctx: Ctx,
  ids: readonly string[],
): Promise<(ScimMember & { readonly account: WantedMember['user'] })[]> {
  const members = await listMembers(ctx.db, ctx.org, ids);
  const people = await readPeople(
    ctx.db,
    members.map(({ user_id }) => user_id),
  );
  return members.flatMap((member) => {
    const person = people.get(member.user_id);
    if (!person) return [];
    return [{ ...member, account: { id: person.id, login: person.login, displayName: member.provider_name } }];
  });
}
