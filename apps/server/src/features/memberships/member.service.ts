import type { Role } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { forbidden, invalid, notFound } from '../../platform/errors.ts';
import type { Suspended } from '../api-keys/suspension.service.ts';
import { requireShared } from '../orgs/org.reads.ts';
import { findUserById, findUserByLogin, type User } from '../users/user.reads.ts';
import { endInvitations } from './invitations/withdraw.service.ts';
import { lockMaker } from './maker.service.ts';
import { requireUnmanaged } from './managed.reads.ts';
import { lockMembers, setMembership } from './membership.service.ts';
import * as store from './membership.store.ts';

/** Gives a member another role. */
export async function changeMember(ctx: Ctx, login: string, role: Role): Promise<readonly Suspended[]> {
  return inTransaction(ctx, async (ctx) => decide(ctx, await lockAndFindMember(ctx, login), role));
}

export async function removeMember(ctx: Ctx, login: string): Promise<readonly Suspended[]> {
  return inTransaction(ctx, async (ctx) => decide(ctx, await lockAndFindMember(ctx, login), null));
}

/** Earlier invitations of the member become void: otherwise a removed member could return with one. */
async function decide(ctx: Ctx, member: User, role: Role | null): Promise<readonly Suspended[]> {
  const { is, suspended } = await setMembership(ctx, member, role, 'app');
  if (is !== 'unchanged' && member.email !== null) await endInvitations(ctx, member.email, 'withdrawn');
  return suspended;
}

/** Removes the acting user from the org. */
export async function leaveOrg(ctx: Ctx): Promise<readonly Suspended[]> {
  const { actor } = ctx;
  if (actor.kind !== 'user') throw invalid('A service account cannot leave its org. An admin can delete it');
  await requireShared(ctx, 'You cannot leave your personal org');
  return inTransaction(ctx, async (ctx) => {
    await lockMembers(ctx);
    await requireUnmanaged(ctx, actor.id);
    const user = await findUserById(ctx.db, actor.id);
    return user ? (await setMembership(ctx, user, null, 'app')).suspended : [];
  });
}

/**
 * Begins a change of members by somebody who was an admin at the time of the request and still is when its turn comes.
 */
export async function lockAsAdmin(ctx: Ctx): Promise<void> {
  await lockMembers(ctx);
  const { actor } = ctx;
  if (actor.kind !== 'user') await lockMaker(ctx, 'manage_members');
  else if ((await store.findRole(ctx.db, ctx.org, actor.id)) !== 'admin') {
    throw forbidden('You are no longer an admin of this org');
  }
}

/** Nobody joins outside the identity provider that manages the members. */
export async function requireOpenOrg(ctx: Ctx): Promise<void> {
  await requireUnmanaged(ctx, null);
}

async function lockAndFindMember(ctx: Ctx, login: string): Promise<User> {
  await requireShared(ctx, 'A personal org has one member, who is always its admin');
  await lockAsAdmin(ctx);
  const user = await findUserByLogin(ctx.db, login);
  const role = user && (await store.findRole(ctx.db, ctx.org, user.id));
  if (!user || !role) throw notFound('Member', login);
  await requireUnmanaged(ctx, user.id);
  return user;
}
