import type { Role } from '@waymark/contract';
import { sql } from 'kysely';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { chunksOf } from '../../platform/db/chunks.ts';
import { conflict } from '../../platform/errors.ts';
import { emitAll } from '../../platform/journal/journal.ts';
import { endGrants } from './departures/departure.service.ts';
import type { MemberSource } from './membership.entries.ts';
import * as entries from './membership.entries.ts';
import { lockMembers, type MemberUser, nameOfActor } from './membership.service.ts';
import { countAdmins, insertEventNames } from './membership.store.ts';

export interface WantedMember {
  readonly user: MemberUser;
  readonly role: Role | null;
}

/**
 * `setMembership` for many: the same rules, locks and entries, with a few statements per thousand. There must be an
 * admin at the end, whoever it is. That, and that a refused change changes nobody, is why it is one transaction however
 * many they are: SCIM accepts no group of more than 50,000.
 */
export async function setMemberships(ctx: Ctx, wanted: readonly WantedMember[], source: MemberSource): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockMembers(ctx);
    const changedBy = await nameOfActor(ctx);
    const changes: Change[] = [];
    for (const some of chunksOf(wanted)) changes.push(...(await setSome(ctx, some, source, changedBy)));
    await requireAnAdmin(ctx, changes);
    for (const some of chunksOf(changes)) await endGrants(ctx, some, source);
  });
}

interface Change {
  readonly user: MemberUser;
  readonly before: Role | null;
  readonly after: Role | null;
}

async function setSome(
  ctx: Ctx,
  wanted: readonly WantedMember[],
  source: MemberSource,
  changedBy: string,
): Promise<Change[]> {
  const before = await rolesOf(ctx, wanted);
  const changes = wanted
    .map(({ user, role }) => ({ user, before: before.get(user.id) ?? null, after: role }))
    .filter((change) => change.before !== change.after);
  if (changes.length === 0) return [];
  await record(ctx, changes, await writeMemberships(ctx, changes), source, changedBy);
  return changes;
}

async function rolesOf(ctx: Ctx, wanted: readonly WantedMember[]): Promise<Map<string, Role>> {
  const rows = await ctx.db
    .selectFrom('membership')
    .select(['user_id', 'role'])
    .where('org_id', '=', ctx.org)
    .where(
      'user_id',
      'in',
      wanted.map(({ user }) => user.id),
    )
    .where('removed_at', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.user_id, row.role]));
}

/** Returns the counters after the changes. */
async function writeMemberships(ctx: Ctx, changes: readonly Change[]): Promise<Map<string, number>> {
  const users = changes.map(({ user }) => user.id);
  const roles = changes.map(({ before, after }) => after ?? before ?? 'reader');
  const removedAt = changes.map(({ after }) => (after === null ? ctx.now() : null));
  const { rows } = await sql<{ user_id: string; revision: number }>`
    insert into membership (org_id, user_id, role, created_at, removed_at)
    select ${ctx.org}, user_id, role, ${ctx.now()}::timestamptz, removed_at
    from unnest(${users}::uuid[], ${roles}::text[], ${removedAt}::timestamptz[]) as change (user_id, role, removed_at)
    on conflict (org_id, user_id) do update
      set role = excluded.role, removed_at = excluded.removed_at, revision = membership.revision + 1
    returning user_id, revision`.execute(ctx.db);
  return new Map(rows.map((row) => [row.user_id, row.revision]));
}

async function record(
  ctx: Ctx,
  changes: readonly Change[],
  revisions: ReadonlyMap<string, number>,
  source: MemberSource,
  changedBy: string,
): Promise<void> {
  const about = ({ user: { id, login } }: Change) => ({
    id,
    seq: revisions.get(id) ?? 1,
    member: { user_id: id, login, source },
  });
  const added = changes.flatMap((change) => {
    const { member, ...subject } = about(change);
    const { before, after: role } = change;
    return before === null && role !== null ? [{ ...subject, payload: { ...member, role } }] : [];
  });
  const changed = changes.flatMap((change) => {
    const { member, ...subject } = about(change);
    const { before: previous_role, after: role } = change;
    return previous_role !== null && role !== null ? [{ ...subject, payload: { ...member, role, previous_role } }] : [];
  });
  const removed = changes.flatMap((change) => {
    const { member, ...subject } = about(change);
    const { before: previous_role, after } = change;
    return previous_role !== null && after === null ? [{ ...subject, payload: { ...member, previous_role } }] : [];
  });
  await emitAll(ctx, entries.membershipAdded, 'membership', added);
  await emitAll(ctx, entries.membershipChanged, 'membership', changed);
  await emitAll(ctx, entries.membershipRemoved, 'membership', removed);
  const rows = changes.map(({ user, before, after }) => ({
    id: ctx.newId(),
    user_id: user.id,
    login: user.login,
    user_name: user.displayName ?? user.login,
    event_type: eventOf(before, after),
    role: after ?? '',
    previous_role: before ?? '',
    revision: revisions.get(user.id) ?? 1,
  }));
  await sql`
    insert into membership_event (org_id, id, user_id, login, user_name, changed_by, event_type, role, previous_role,
      source, created_at, revision)
    select ${ctx.org}, id, user_id, login, user_name, ${changedBy}, event_type, role, previous_role, ${source},
      ${ctx.now()}::timestamptz, revision
    from json_to_recordset(${JSON.stringify(rows)}) as event (id uuid, user_id uuid, login text, user_name text,
      event_type text, role text, previous_role text, revision bigint)`.execute(ctx.db);
  await insertEventNames(ctx.db, ctx.org, [changedBy, ...rows.flatMap(({ user_name, login }) => [user_name, login])]);
}

function eventOf(before: Role | null, after: Role | null): 'added' | 'changed' | 'removed' {
  if (before === null) return 'added';
  return after === null ? 'removed' : 'changed';
}

async function requireAnAdmin(ctx: Ctx, changes: readonly Change[]): Promise<void> {
  const demoted = changes.find(({ before }) => before === 'admin');
  if (!demoted || (await countAdmins(ctx.db, ctx.org)) > 0) return;
  throw conflict(`'${demoted.user.login}' is the last admin of the org: make another person admin first`);
}
