import { atLeast, INVITATIONS_MAX, type Role } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { invalid, invalidField, notFound, rateLimited } from '../../../platform/errors.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { enqueueMail } from '../../../platform/mail/outbox.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { requireShared } from '../../orgs/org.reads.ts';
import { lockAsAdmin, requireOpenOrg } from '../member.service.ts';
import { findMemberByEmail } from '../membership.reads.ts';
import { nameOfActor } from '../membership.service.ts';
import { invitationCreated, invitationRevoked, invitationSubject } from './invitation.entries.ts';
import * as store from './invitation.store.ts';
import { endInvitations } from './withdraw.service.ts';

export const INVITATION_MAIL = 'invitation';
const DAY_MS = 24 * 3_600_000;
export const INVITATION_MS = 7 * DAY_MS;
/** Mails per address and day, so that nobody's mailbox is flooded. */
const DAILY_MAX = 5;

/** Sends an invitation. It replaces an open one to the same address. */
export async function invite(ctx: Ctx, wanted: { email: string; role: Role }): Promise<store.InvitationRow> {
  const email = wanted.email.toLowerCase();
  const inviter = ctx.actor.id;
  if (inviter === null) throw new Error('only a user or a service account invites');
  await requireShared(ctx, 'A personal org cannot have other members. Create a shared org');
  return inTransaction(ctx, async (ctx) => {
    await lockAsAdmin(ctx);
    await requireOpenOrg(ctx);
    await requireUseful(ctx, email, wanted.role);
    await requireRoom(ctx, email);
    await endInvitations(ctx, email, 'replaced');
    const now = ctx.now();
    const invitation = {
      id: ctx.newId(),
      org_id: ctx.org,
      email,
      role: wanted.role,
      invited_by: await nameOfActor(ctx),
      inviter_id: inviter,
      created_at: now,
      expires_at: new Date(now.getTime() + INVITATION_MS),
      code_hashes: [],
      wrong_codes: 0,
      accepted_at: null,
      accepted_by: null,
      revoked_at: null,
    };
    await store.insertInvitation(ctx.db, invitation);
    const payload = { email, role: wanted.role, expires_at: epochSeconds(invitation.expires_at) };
    await emit(ctx, invitationCreated, invitationSubject(invitation.id, 1), payload);
    await enqueueMail(ctx.db, { kind: INVITATION_MAIL, subjectId: invitation.id, orgId: ctx.org, now });
    return invitation;
  });
}

export async function revokeInvitation(ctx: Ctx, id: string): Promise<{ email: string }> {
  return inTransaction(ctx, async (ctx) => {
    await lockAsAdmin(ctx);
    const revoked = await store.revokeById(ctx.db, ctx.org, id, ctx.now());
    if (!revoked) throw notFound('Open invitation', id);
    await emit(ctx, invitationRevoked, invitationSubject(id, 2), { email: revoked.email, reason: 'withdrawn' });
    return revoked;
  });
}

async function requireUseful(ctx: Ctx, email: string, role: Role): Promise<void> {
  const member = await findMemberByEmail(ctx, email);
  if (member && atLeast(member.role, role)) {
    throw invalidField('email', `is the address of '${member.login}', who is already ${member.role}`);
  }
}

async function requireRoom(ctx: Ctx, email: string): Promise<void> {
  const now = ctx.now();
  const yesterday = new Date(now.getTime() - DAY_MS);
  requireFewer(DAILY_MAX, await store.countInvited(ctx.db, ctx.org, yesterday, email), now);
  if ((await store.countOpenOfOrg(ctx.db, ctx.org, now)) >= INVITATIONS_MAX) {
    throw invalid(`This org already has ${INVITATIONS_MAX} open invitations, which is the maximum: withdraw one first`);
  }
  // Otherwise mails could be sent without end, by withdrawing each invitation.
  requireFewer(INVITATIONS_MAX, await store.countInvited(ctx.db, ctx.org, yesterday), now);
}

function requireFewer(max: number, { count, first }: store.Invited, now: Date): void {
  if (first === null || count < max) return;
  throw rateLimited(Math.ceil((first.getTime() + DAY_MS - now.getTime()) / 1000));
}
