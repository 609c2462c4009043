import { type Role, roles } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { setMemberships, type WantedMember } from '../memberships/many-members.service.ts';
import { findSetup } from './scim-setup.store.ts';
import { listStandings, markRoleGiven, type Standing } from './scim-user.store.ts';

const AT_ONCE = 1000;

/** Gives these users the roles that follow from what the identity provider said, or takes their membership away. */
export async function applyRoles(ctx: Ctx, scimUserIds: readonly string[]): Promise<void> {
  const defaultRole = (await findSetup(ctx.db, ctx.org))?.default_role ?? null;
  const wanted: WantedMember[] = [];
  const given: string[] = [];
  for (let first = 0; first < scimUserIds.length; first += AT_ONCE) {
    for (const standing of await listStandings(ctx.db, ctx.org, scimUserIds.slice(first, first + AT_ONCE))) {
      const role = roleOf(standing, defaultRole);
      if (role === undefined) continue;
      wanted.push({ user: accountOf(standing), role });
      if (role !== null && !standing.role_given) given.push(standing.id);
    }
  }
  if (given.length > 0) await markRoleGiven(ctx.db, ctx.org, given);
  await setMemberships(ctx, wanted, 'scim');
}

/**
 * Undefined leaves a membership as it is: of a member from before SCIM, until something gives them a role. Else everybody
 * would be out between the first user that is sent and the first group that is mapped.
 */
export function roleOf(
  standing: Pick<Standing, 'active' | 'roles' | 'role_given'>,
  defaultRole: Role | null,
): Role | null | undefined {
  if (!standing.active) return null;
  const role = roles.findLast((one) => standing.roles.includes(one)) ?? defaultRole;
  return role === null && !standing.role_given ? undefined : role;
}

export function accountOf({ user_id, login, provider_name }: Standing): WantedMember['user'] {
  return { id: user_id, login, displayName: provider_name };
}
