import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';

export interface User {
  readonly id: string;
  readonly login: string;
  readonly displayName: string | null;
  readonly email: string | null;
  readonly personalOrg: string;
}

const USER_COLUMNS = ['id', 'login', 'display_name as displayName', 'email', 'personal_org_id as personalOrg'] as const;

/** Matches any spelling. PostgreSQL lowercases both sides by the same rules, which differ from JavaScript's. */
export function findUserByEmail(db: Db, email: string): Promise<User | undefined> {
  return db
    .selectFrom('user_account')
    .select(USER_COLUMNS)
    .where((row) => row(row.fn('lower', ['email']), '=', row.fn('lower', [row.val(email)])))
    .executeTakeFirst();
}

export function findUserById(db: Db, id: string): Promise<User | undefined> {
  return db.selectFrom('user_account').select(USER_COLUMNS).where('id', '=', id).executeTakeFirst();
}

export function findUserByLogin(db: Db, login: string): Promise<User | undefined> {
  return db.selectFrom('user_account').select(USER_COLUMNS).where('login', '=', login).executeTakeFirst();
}

/** Ids of the users who have these addresses, in any spelling, by address as given. */
export async function readOwners(db: Db, addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (addresses.length === 0) return new Map();
  const { rows } = await sql<{ address: string; id: string }>`
    select given.address, person.id
    from unnest(${addresses}::text[]) as given (address)
    join user_account as person on lower(person.email) = lower(given.address)`.execute(db);
  return new Map(rows.map(({ address, id }) => [address, id]));
}

/** People by id, for rows of an org that name them. */
export async function readPeople(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, User>> {
  if (ids.length === 0) return new Map();
  const people = await db
    .selectFrom('user_account')
    .select(USER_COLUMNS)
    .where(sql<SqlBool>`id = any(${[...new Set(ids)]}::uuid[])`)
    .execute();
  return new Map(people.map((person) => [person.id, person]));
}

/** The name of the default org, as long as the user is a member of it. */
export async function findDefaultOrg(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('user_account')
    .innerJoin('membership', (join) =>
      join
        .onRef('membership.org_id', '=', 'user_account.default_org_id')
        .onRef('membership.user_id', '=', 'user_account.id'),
    )
    .innerJoin('org', 'org.id', 'membership.org_id')
    .select('org.name')
    .where('user_account.id', '=', id)
    .where('membership.removed_at', 'is', null)
    .executeTakeFirst();
  return row?.name;
}
