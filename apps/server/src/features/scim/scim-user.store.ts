import type { Role } from '@waymark/contract';
import { type Comparison, type Email, type Page, refuse, type ScimName, type ScimUser } from '@waymark/scim';
import { type Expression, type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { isId } from '../../platform/ids.ts';

type Row = Selectable<Tables['scim_user']>;
export type UserRow = Omit<Row, 'name' | 'emails'> & { name: ScimName; emails: Email[] };

function columnsOf(user: ScimUser) {
  return {
    user_name: user.userName,
    external_id: user.externalId,
    active: user.active,
    display_name: user.displayName,
    name: JSON.stringify(user.name),
    emails: JSON.stringify(user.emails),
    addresses: user.emails.map((email) => email.value.toLowerCase()),
  };
}

export function toScimUser(row: UserRow): ScimUser {
  return {
    userName: row.user_name,
    externalId: row.external_id,
    active: row.active,
    displayName: row.display_name,
    name: row.name,
    emails: row.emails,
  };
}

export function insertUser(
  db: Db,
  key: { org_id: string; id: string; user_id: string; at: Date },
  user: ScimUser,
): Promise<UserRow> {
  const { at, ...ids } = key;
  return db
    .insertInto('scim_user')
    .values({ ...ids, ...columnsOf(user), created_at: at, last_modified_at: at })
    .returningAll()
    .$castTo<UserRow>()
    .executeTakeFirstOrThrow();
}

export function updateUser(db: Db, org: string, id: string, user: ScimUser, at: Date): Promise<UserRow> {
  return db
    .updateTable('scim_user')
    .set((row) => ({ ...columnsOf(user), last_modified_at: at, revision: row('revision', '+', 1) }))
    .where('org_id', '=', org)
    .where('id', '=', id)
    .returningAll()
    .$castTo<UserRow>()
    .executeTakeFirstOrThrow();
}

export async function deleteUser(db: Db, org: string, id: string): Promise<void> {
  await db.deleteFrom('scim_user').where('org_id', '=', org).where('id', '=', id).execute();
}

export function findUser(db: Db, org: string, id: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('scim_user')
    .selectAll()
    .where('org_id', '=', org)
    .where('id', '=', id)
    .$castTo<UserRow>()
    .executeTakeFirst();
}

/** Another user with that name or account. */
export function findRival(
  db: Db,
  org: string,
  wanted: { userName: string; userId?: string; exceptId?: string },
): Promise<UserRow | undefined> {
  const { userName, userId, exceptId } = wanted;
  return db
    .selectFrom('scim_user')
    .selectAll()
    .where('org_id', '=', org)
    .where((row) =>
      row.or([
        row(row.fn('lower', ['user_name']), '=', row.fn('lower', [row.val(userName)])),
        ...(userId === undefined ? [] : [row('user_id', '=', userId)]),
      ]),
    )
    .$if(exceptId !== undefined, (query) => query.where('id', '<>', exceptId ?? ''))
    .$castTo<UserRow>()
    .executeTakeFirst();
}

export async function listUsers(
  db: Db,
  org: string,
  filter: readonly Comparison[],
  page: Page,
): Promise<{ total: number; users: UserRow[] }> {
  const found = db
    .selectFrom('scim_user')
    .where('org_id', '=', org)
    .where((row) => row.and(filter.map((comparison) => conditionOf(row, comparison))));
  const { total } = await found.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  if (page.count === 0 || total < page.startIndex) return { total, users: [] };
  const users = await found
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .limit(page.count)
    .offset(page.startIndex - 1)
    .$castTo<UserRow>()
    .execute();
  return { total, users };
}

function conditionOf(row: ExpressionBuilder<Tables, 'scim_user'>, comparison: Comparison): Expression<SqlBool> {
  const { attribute, value } = comparison;
  if (attribute === 'active') return row('active', '=', String(value).toLowerCase() === 'true');
  const text = String(value);
  switch (attribute) {
    case 'id':
      return isId(text) ? row('id', '=', text) : row.lit(false);
    case 'username':
      return sameText(row, 'user_name', text);
    case 'displayname':
      return sameText(row, 'display_name', text);
    case 'externalid':
      return row('external_id', '=', text);
    case 'emails':
    case 'emails.value':
      return sql<SqlBool>`addresses @> array[${text.toLowerCase()}]::text[]`;
    default:
      throw refuse('invalidFilter', `Users cannot be filtered by '${attribute}'`);
  }
}

/** PostgreSQL lowercases both sides by the same rules. */
function sameText(row: ExpressionBuilder<Tables, 'scim_user'>, column: 'user_name' | 'display_name', text: string) {
  return row(row.fn('lower', [column]), '=', row.fn('lower', [row.val(text)]));
}

export interface ScimMember {
  readonly id: string;
  readonly user_id: string;
  /** The person's name at the identity provider. */
  readonly provider_name: string;
  readonly active: boolean;
  readonly role_given: boolean;
  /** The role from their groups. */
  readonly roles: Role[];
}

export async function listMembers(db: Db, org: string, ids: readonly string[]): Promise<ScimMember[]> {
  const { rows } = await sql<ScimMember>`
    select scim_user.id, scim_user.user_id,
      coalesce(scim_user.display_name, scim_user.name->>'formatted',
        nullif(concat_ws(' ', scim_user.name->>'givenName', scim_user.name->>'familyName'), ''),
        scim_user.user_name) as provider_name, scim_user.active,
      scim_user.role_given,
      array(select distinct scim_group.role from scim_group_member as member
        join scim_group on scim_group.org_id = member.org_id and scim_group.id = member.group_id
        where member.org_id = scim_user.org_id and member.user_id = scim_user.id and scim_group.role is not null) as roles
    from scim_user
    where scim_user.org_id = ${org} and scim_user.id = any(${ids}::uuid[])`.execute(db);
  return rows;
}

export async function markRoleGiven(db: Db, org: string, ids: readonly string[]): Promise<void> {
  await db
    .updateTable('scim_user')
    .set({ role_given: true })
    .where('org_id', '=', org)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
}

export async function listUserIds(db: Db, org: string): Promise<string[]> {
  const users = await db.selectFrom('scim_user').select('id').where('org_id', '=', org).execute();
  return users.map(({ id }) => id);
}

/** Those ids that are users. */
export async function listKnownIds(db: Db, org: string, ids: readonly string[]): Promise<Set<string>> {
  const users = await db
    .selectFrom('scim_user')
    .select('id')
    .where('org_id', '=', org)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  return new Set(users.map(({ id }) => id));
}
