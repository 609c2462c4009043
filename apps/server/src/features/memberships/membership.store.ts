import type { Role } from '@waymark/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type MembershipRow = Selectable<Tables['membership']>;

/** Includes former members: the counter of changes continues. */
export function lockMembership(db: Db, org: string, userId: string): Promise<MembershipRow | undefined> {
  return db
    .selectFrom('membership')
    .selectAll()
    .where('org_id', '=', org)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
}

export async function upsertMembership(
  db: Db,
  member: { org_id: string; user_id: string; role: Role; created_at: Date; removed_at: Date | null },
): Promise<MembershipRow> {
  return db
    .insertInto('membership')
    .values(member)
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'user_id']).doUpdateSet((row) => ({
        role: member.role,
        removed_at: member.removed_at,
        revision: row('membership.revision', '+', 1),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function countAdmins(db: Db, org: string): Promise<number> {
  const { count } = await db
    .selectFrom('membership')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('org_id', '=', org)
    .where('role', '=', 'admin')
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertMembershipEvent(db: Db, event: Insertable<Tables['membership_event']>): Promise<void> {
  await db.insertInto('membership_event').values(event).execute();
  await insertEventNames(db, event.org_id, [event.user_name, event.login, event.changed_by]);
}

/** Everybody named in an event, so that the log can be searched for them. */
export async function insertEventNames(db: Db, org: string, names: readonly string[]): Promise<void> {
  await sql`
    insert into membership_event_name (org_id, name)
    select distinct ${org}::uuid, left(lower(named), 200) from unnest(${names}::text[]) as named
    on conflict do nothing`.execute(db);
}

/** The role of a member; undefined for others, former members included. */
export async function findRole(db: Db, org: string, userId: string): Promise<Role | undefined> {
  const row = await db
    .selectFrom('membership')
    .select('role')
    .where('org_id', '=', org)
    .where('user_id', '=', userId)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return row?.role;
}
