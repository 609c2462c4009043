import type { Role } from '@waymark/contract';
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { isRoleAbove } from '../../../platform/db/role-rank.ts';
import type { Tables } from '../../../platform/db/tables.ts';

/** Returns those that were added: a person has at most one open departure. */
export function insertDepartures(
  db: Db,
  departures: readonly Insertable<Tables['departure']>[],
): Promise<{ id: string; user_id: string }[]> {
  return db
    .insertInto('departure')
    .values([...departures])
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id']).where('settled_at', 'is', null).doNothing())
    .returning(['id', 'user_id'])
    .execute();
}

/** Settles the departures of people who regained their role, or a higher one. */
export async function settleReturned(
  db: Db,
  org: string,
  people: readonly { readonly id: string; readonly role: Role }[],
  now: Date,
): Promise<void> {
  await sql`
    update departure set settled_at = ${now}
    from unnest(${people.map(({ id }) => id)}::uuid[], ${people.map(({ role }) => role)}::text[]) as back (id, role)
    where departure.org_id = ${org} and departure.user_id = back.id and departure.settled_at is null
      and not ${isRoleAbove(sql`departure.previous_role`, sql`back.role`)}`.execute(db);
}

/** Over all orgs, the longest waiting first. */
export async function listDue(db: Db, now: Date, limit: number): Promise<{ org_id: string; id: string }[]> {
  return db
    .selectFrom('departure')
    .select(['org_id', 'id'])
    .where('settled_at', 'is', null)
    .where('suspend_at', '<=', now)
    .orderBy('suspend_at')
    .limit(limit)
    .execute();
}

export function findDue(db: Db, org: string, id: string, now: Date) {
  return db
    .selectFrom('departure')
    .select(['user_id', 'scim_key_id'])
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where('settled_at', 'is', null)
    .where('suspend_at', '<=', now)
    .executeTakeFirst();
}

export async function settle(db: Db, org: string, id: string, now: Date): Promise<void> {
  await db
    .updateTable('departure')
    .set({ settled_at: now })
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where('settled_at', 'is', null)
    .execute();
}

export async function hasten(db: Db, org: string, hours: number): Promise<void> {
  await sql`
    update departure set suspend_at = least(suspend_at, departed_at + ${hours} * interval '1 hour')
    where org_id = ${org} and settled_at is null`.execute(db);
}
