import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Tables } from '../../../platform/db/tables.ts';

export type InvitationRow = Selectable<Tables['invitation']>;

/** After this many wrong codes an invitation is void. */
const WRONG_CODES_MAX = 5;

/** Whether it can be accepted: it is neither accepted, withdrawn nor expired, and the inviter may still invite. */
function isOpen(now: Date) {
  return sql<SqlBool>`(invitation.accepted_at is null and invitation.revoked_at is null
    and invitation.expires_at > ${now} and invitation.wrong_codes < ${WRONG_CODES_MAX}
    and (exists (
      select from membership as inviter where inviter.org_id = invitation.org_id
        and inviter.user_id = invitation.inviter_id and inviter.role = 'admin' and inviter.removed_at is null
    ) or exists (
      select from service_account as inviter where inviter.org_id = invitation.org_id
        and inviter.id = invitation.inviter_id and inviter.privilege = 'admin' and inviter.archived_at is null
    )))`;
}

export async function insertInvitation(db: Db, invitation: Insertable<Tables['invitation']>): Promise<void> {
  await db.insertInto('invitation').values(invitation).execute();
}

export interface FoundInvitation extends InvitationRow {
  readonly is_open: boolean;
}

export function findInvitation(db: Db, id: string, now: Date): Promise<FoundInvitation | undefined> {
  return db
    .selectFrom('invitation')
    .selectAll()
    .select(isOpen(now).$castTo<boolean>().as('is_open'))
    .where('id', '=', id)
    .executeTakeFirst();
}

export function listOpenOfOrg(db: Db, org: string, now: Date, limit: number): Promise<InvitationRow[]> {
  return db
    .selectFrom('invitation')
    .selectAll()
    .where('org_id', '=', org)
    .where(isOpen(now))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function countOpenOfOrg(db: Db, org: string, now: Date): Promise<number> {
  const { count } = await db
    .selectFrom('invitation')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('org_id', '=', org)
    .where(isOpen(now))
    .executeTakeFirstOrThrow();
  return count;
}

/** Open invitations to an address; only of one org where it is given. */
export function listOpenOfAddress(
  db: Db,
  email: string,
  onlyOrg: string | null,
  now: Date,
  limit: number,
): Promise<InvitationRow[]> {
  let query = db.selectFrom('invitation').selectAll().where('email', '=', email).where(isOpen(now));
  if (onlyOrg !== null) query = query.where('org_id', '=', onlyOrg);
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

export interface Invited {
  readonly count: number;
  readonly first: Date | null;
}

/** How many invitations the org sent since a time, to one address where it is given, and when the first was sent. */
export function countInvited(db: Db, org: string, since: Date, email?: string): Promise<Invited> {
  let query = db
    .selectFrom('invitation')
    .select((row) => [row.fn.countAll<number>().as('count'), row.fn.min('created_at').as('first')])
    .where('org_id', '=', org)
    .where('created_at', '>', since);
  if (email !== undefined) query = query.where('email', '=', email);
  return query.executeTakeFirstOrThrow();
}

/** Ends invitations that nobody has accepted, expired ones included. */
export function revokeByAddress(db: Db, org: string, email: string, now: Date): Promise<{ id: string }[]> {
  return db
    .updateTable('invitation')
    .set({ revoked_at: now })
    .where('org_id', '=', org)
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
}

export function revokeById(db: Db, org: string, id: string, now: Date): Promise<{ email: string } | undefined> {
  return db
    .updateTable('invitation')
    .set({ revoked_at: now })
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where(isOpen(now))
    .returning('email')
    .executeTakeFirst();
}

export async function addCodeHash(db: Db, id: string, hash: Buffer): Promise<void> {
  await db
    .updateTable('invitation')
    .set({ code_hashes: sql`array_append(code_hashes, ${hash}::bytea)` })
    .where('id', '=', id)
    .execute();
}

/** Counts a wrong code. Must be committed even if the request fails. */
export async function countWrongCode(db: Db, id: string, hash: Buffer): Promise<void> {
  await db
    .updateTable('invitation')
    .set({ wrong_codes: sql`wrong_codes + 1` })
    .where('id', '=', id)
    .where('wrong_codes', '<', WRONG_CODES_MAX)
    .where(sql<SqlBool>`not code_hashes @> array[${hash}::bytea]`)
    .execute();
}

export async function markAccepted(db: Db, id: string, userId: string, now: Date): Promise<void> {
  await db.updateTable('invitation').set({ accepted_at: now, accepted_by: userId }).where('id', '=', id).execute();
}
