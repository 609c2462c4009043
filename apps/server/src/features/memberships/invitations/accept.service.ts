import { timingSafeEqual } from 'node:crypto';
import { atLeast, type Role } from '@waymark/contract';
import { actingPerson, type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { conflict, forbidden, invalid, invalidField, Problem } from '../../../platform/errors.ts';
import { hashSecret } from '../../../platform/http/session-cookie.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { readOrgRow } from '../../orgs/org.reads.ts';
import { findUserByEmail, findUserById, type User } from '../../users/user.reads.ts';
import { requireOpenOrg } from '../member.service.ts';
import { findMemberRole } from '../membership.reads.ts';
import { lockMembers, setMembership } from '../membership.service.ts';
import { type CreatedUser, signUp } from '../sign-up.service.ts';
import { invitationAccepted, invitationSubject } from './invitation.entries.ts';
import * as store from './invitation.store.ts';

interface Accepted {
  readonly org: string;
  readonly role: Role;
}

/** Counts a wrong code. Done before any transaction, so that a refusal does not roll it back. */
export async function noteCode(ctx: Ctx, id: string, code: string | undefined): Promise<void> {
  if (code !== undefined) await store.countWrongCode(ctx.db, id, hashSecret(code));
}

/** Makes the acting user a member: the invitation was sent to their address, or they know the code from the mail. */
export async function acceptInvitation(ctx: Ctx, id: string, code: string | undefined): Promise<Accepted> {
  const { credential } = ctx;
  const actor = actingPerson(ctx);
  return inTransaction(ctx, async (ctx) => {
    const invitation = await lockInvitation(ctx, id);
    if (invitation && credential?.onlyOrg && credential.onlyOrg !== invitation.org_id) {
      throw forbidden('This credential is valid in only one org. To join another org, sign in with an email link');
    }
    if (invitation?.accepted_by === actor.id) return acceptedBefore(ctx, invitation, actor.id);
    if (!invitation?.is_open) throw notOpen(id);
    const isAddressee = (await findUserByEmail(ctx.db, invitation.email))?.id === actor.id;
    if (!isAddressee) requireCode(invitation, code);
    const user = await findUserById(ctx.db, actor.id);
    if (!user) throw new Error('the acting user is not known');
    return join(ctx, user, invitation, isAddressee ? 'address' : 'code');
  });
}

/**
 * Signs up the person whom the invitation was sent to, by the code from the mail alone. Whoever has an account must
 * sign in first: an invitation can be passed on for a week, and must not give access to an existing account.
 */
export async function signUpInvited(ctx: Ctx, id: string, code: string): Promise<CreatedUser> {
  return inTransaction(ctx, async (ctx) => {
    const invitation = await lockInvitation(ctx, id);
    if (!invitation?.is_open) throw notOpen(id);
    requireCode(invitation, code);
    if (await findUserByEmail(ctx.db, invitation.email))
      throw invalid('An account with this address already exists. Sign in');
    const user = await signUp(ctx, { email: invitation.email, displayName: null });
    const actor = { kind: 'user', id: user.id, name: user.login, role: 'admin' } as const;
    await join({ ...ctx, actor }, user, invitation, 'code');
    return user;
  });
}

async function lockInvitation(ctx: Ctx, id: string): Promise<store.FoundInvitation | undefined> {
  const seen = await store.findInvitation(ctx.db, id, ctx.now());
  if (!seen) return undefined;
  await lockMembers({ ...ctx, org: seen.org_id });
  return store.findInvitation(ctx.db, id, ctx.now());
}

export function isCodeOf(invitation: store.InvitationRow, code: string): boolean {
  const sent = hashSecret(code);
  return invitation.code_hashes.some((hash) => timingSafeEqual(hash, sent));
}

function requireCode(invitation: store.InvitationRow, code: string | undefined): void {
  if (code === undefined) {
    throw invalidField('code', 'is required: the invitation was sent to a different address than yours');
  }
  if (!isCodeOf(invitation, code)) throw invalidField('code', 'is not the code from the email');
}

async function join(
  ctx: Ctx,
  user: Pick<User, 'id' | 'login' | 'displayName'>,
  invitation: store.FoundInvitation,
  by: 'address' | 'code',
): Promise<Accepted> {
  const inOrg = { ...ctx, org: invitation.org_id };
  await requireOpenOrg(inOrg);
  const has = await findMemberRole(inOrg, user.id);
  const isEnough = has !== undefined && atLeast(has, invitation.role);
  if (isEnough && by === 'code') {
    throw conflict(`You are already a member of this org, with the role ${has}: the invitation is for another person`);
  }
  const role = isEnough ? has : invitation.role;
  await setMembership(inOrg, user, role, 'invitation', invitation.invited_by);
  await store.markAccepted(ctx.db, invitation.id, user.id, ctx.now());
  const { email } = invitation;
  const payload = { email, role: invitation.role, user_id: user.id, login: user.login, by };
  await emit(inOrg, invitationAccepted, invitationSubject(invitation.id, 2), payload);
  return { org: (await readOrgRow(ctx.db, invitation.org_id)).name, role };
}

/** A repeat gets the first response, as long as they are a member. */
async function acceptedBefore(ctx: Ctx, invitation: store.FoundInvitation, userId: string): Promise<Accepted> {
  const role = await findMemberRole({ ...ctx, org: invitation.org_id }, userId);
  if (!role) throw notOpen(invitation.id);
  return { org: (await readOrgRow(ctx.db, invitation.org_id)).name, role };
}

/** The same as for one that never existed. */
function notOpen(id: string): Problem {
  return new Problem('not_found', `Invitation '${id}' is not open: it was accepted or withdrawn, or has expired`);
}
