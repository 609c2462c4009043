import { type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type SetupRow = Selectable<Tables['scim_setup']>;

export function findSetup(db: Db, org: string): Promise<SetupRow | undefined> {
  return db.selectFrom('scim_setup').selectAll().where('org_id', '=', org).executeTakeFirst();
}

export function upsertSetup(
  db: Db,
  org: string,
  change: Partial<Pick<SetupRow, 'service_account_id' | 'key_id' | 'enabled_at' | 'default_role'>>,
): Promise<SetupRow> {
  const empty = { service_account_id: null, key_id: null, enabled_at: null, default_role: null };
  return db
    .insertInto('scim_setup')
    .values({ org_id: org, ...empty, ...change, revision: 1 })
    .onConflict((conflict) =>
      conflict.column('org_id').doUpdateSet((row) => ({ ...change, revision: row('scim_setup.revision', '+', 1) })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The account that was made for SCIM, unless it was deleted. */
export function findAccount(db: Db, org: string, id: string): Promise<{ id: string; name: string } | undefined> {
  return db
    .selectFrom('service_account')
    .select(['id', 'name'])
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
}

export async function listAccountNames(db: Db, org: string, beginning: string): Promise<Set<string>> {
  const accounts = await db
    .selectFrom('service_account')
    .select('name')
    .where('org_id', '=', org)
    .where((row) => row(row.fn('starts_with', ['name', row.val(beginning)]), '=', true))
    .execute();
  return new Set(accounts.map(({ name }) => name));
}

export interface ManagedCounts {
  readonly users: number;
  readonly groups: number;
  readonly unmanaged_members: number;
}

/** How many the identity provider manages, and how many members it does not. */
export async function countManaged(db: Db, org: string): Promise<ManagedCounts> {
  const { rows } = await sql<ManagedCounts>`
    select (select count(*) from scim_user where org_id = ${org}) as users,
      (select count(*) from scim_group where org_id = ${org}) as groups,
      (select count(*) from membership where org_id = ${org} and removed_at is null and not exists (
        select from scim_user where scim_user.org_id = membership.org_id and scim_user.user_id = membership.user_id
      )) as unmanaged_members`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the query gives one row');
  return row;
}
