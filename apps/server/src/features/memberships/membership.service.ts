import { Role } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { conflict } from '../../platform/errors.ts';
import { parse } from '../../platform/http/validation.ts';
import { emit } from '../../platform/journal/journal.ts';
import type { Suspended } from '../api-keys/suspension.service.ts';
import { findUserById } from '../users/user.reads.ts';
import { endGrants } from './departures/departure.service.ts';
import type { MemberSource } from './membership.entries.ts';
import * as entries from './membership.entries.ts';
import * as store from './membership.store.ts';

export interface MemberUser {
  readonly id: string;
  readonly login: string;
  readonly displayName: string | null;
}

export interface MemberOutcome {
  readonly is: 'added' | 'changed' | 'removed' | 'unchanged';
  /** What they made and what is refused from now on. */
  readonly suspended: readonly Suspended[];
}

/** Serializes changes of an org's members, and of who may become one. */
export async function lockMembers(ctx: Ctx): Promise<void> {
  await lockSubject(ctx.db, ctx.org, 'members', ctx.org);
}

/**
 * Gives a user this role in the org; null removes them. Every way to become, change or cease to be a member ends here,
 * one at a time per org, so that the last admin is never lost in a race. `changedBy` is the name in the log where the
 * decision was not the acting user's own.
 */
export async function setMembership(
  ctx: Ctx,
  user: MemberUser,
  wanted: Role | null,
  source: MemberSource,
  changedBy?: string,
): Promise<MemberOutcome> {
  const role = wanted === null ? null : parse(Role, wanted, 'role');
  return inTransaction(ctx, async (ctx) => {
    await lockMembers(ctx);
    const row = await store.lockMembership(ctx.db, ctx.org, user.id);
    const before = row && row.removed_at === null ? row.role : null;
    if (before === role) return { is: 'unchanged', suspended: [] };
    if (before === 'admin') await requireAnotherAdmin(ctx);
    const written = await store.upsertMembership(ctx.db, {
      org_id: ctx.org,
      user_id: user.id,
      role: role ?? before ?? 'reader',
      created_at: ctx.now(),
      removed_at: role === null ? ctx.now() : null,
    });
    const subject = { kind: 'membership', id: user.id, seq: written.revision };
    const is = await record(ctx, user, { before, after: role, source, subject, changedBy });
    return { is, suspended: await endGrants(ctx, [{ user, before, after: role }], source) };
  });
}

interface Change {
  readonly before: Role | null;
  readonly after: Role | null;
  readonly source: MemberSource;
  readonly subject: { kind: string; id: string; seq: number };
  readonly changedBy: string | undefined;
}

/** Records the change in the journal, and in the log for admins. */
async function record(ctx: Ctx, user: MemberUser, change: Change): Promise<'added' | 'changed' | 'removed'> {
  const { before, after, source, subject } = change;
  const member = { user_id: user.id, login: user.login, source };
  const kind = before === null ? 'added' : after === null ? 'removed' : 'changed';
  if (before === null && after !== null) {
    await emit(ctx, entries.membershipAdded, subject, { ...member, role: after });
  } else if (before !== null && after !== null) {
    await emit(ctx, entries.membershipChanged, subject, { ...member, role: after, previous_role: before });
  } else if (before !== null) {
    await emit(ctx, entries.membershipRemoved, subject, { ...member, previous_role: before });
  }
  await store.insertMembershipEvent(ctx.db, {
    org_id: ctx.org,
    id: ctx.newId(),
    user_id: user.id,
    login: user.login,
    user_name: user.displayName ?? user.login,
    changed_by: change.changedBy ?? (await nameOfActor(ctx)),
    event_type: kind,
    role: after ?? '',
    previous_role: before ?? '',
    source,
    created_at: ctx.now(),
    revision: subject.seq,
  });
  return kind;
}

/** The display name of the actor. */
export async function nameOfActor({ db, actor }: Ctx): Promise<string> {
  const person = actor.kind === 'user' ? await findUserById(db, actor.id) : undefined;
  return person?.displayName ?? actor.name;
}

async function requireAnotherAdmin(ctx: Ctx): Promise<void> {
  if ((await store.countAdmins(ctx.db, ctx.org)) > 1) return;
  throw conflict('This is the last admin of the org: make another person admin first');
}
