import type { Role } from '@waymark/contract';
import { type Comparison, type Page, refuse } from '@waymark/scim';
import { type Expression, type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { isId } from '../../platform/ids.ts';

export type GroupRow = Selectable<Tables['scim_group']>;

export interface MemberRow {
  readonly group_id: string;
  readonly id: string;
  readonly display: string;
}

export function insertGroup(
  db: Db,
  group: { org_id: string; id: string; display_name: string; external_id: string | null; at: Date },
): Promise<GroupRow> {
  const { at, ...columns } = group;
  return db
    .insertInto('scim_group')
    .values({ ...columns, created_at: at, last_modified_at: at })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function updateGroup(
  db: Db,
  org: string,
  id: string,
  change: { display_name?: string; external_id?: string | null; role?: Role | null; last_modified_at: Date },
): Promise<GroupRow> {
  return db
    .updateTable('scim_group')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('org_id', '=', org)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteGroup(db: Db, org: string, id: string): Promise<void> {
  await db.deleteFrom('scim_group').where('org_id', '=', org).where('id', '=', id).execute();
}

export function findGroup(db: Db, org: string, id: string): Promise<GroupRow | undefined> {
  return db.selectFrom('scim_group').selectAll().where('org_id', '=', org).where('id', '=', id).executeTakeFirst();
}

export function lockGroup(db: Db, org: string, id: string): Promise<GroupRow | undefined> {
  return db
    .selectFrom('scim_group')
    .selectAll()
    .where('org_id', '=', org)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function isNameTaken(db: Db, org: string, displayName: string, exceptId: string): Promise<boolean> {
  const rival = await db
    .selectFrom('scim_group')
    .select('id')
    .where('org_id', '=', org)
    .where((row) => row(row.fn('lower', ['display_name']), '=', row.fn('lower', [row.val(displayName)])))
    .where('id', '<>', exceptId)
    .executeTakeFirst();
  return rival !== undefined;
}

export async function countGroups(db: Db, org: string): Promise<number> {
  const { count } = await db
    .selectFrom('scim_group')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('org_id', '=', org)
    .executeTakeFirstOrThrow();
  return count;
}

export async function listGroups(
  db: Db,
  org: string,
  filter: readonly Comparison[],
  page: Page,
): Promise<{ total: number; groups: GroupRow[] }> {
  const found = db
    .selectFrom('scim_group')
    .where('org_id', '=', org)
    .where((row) => row.and(filter.map((comparison) => conditionOf(row, org, comparison))));
  const { total } = await found.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  if (page.count === 0 || total < page.startIndex) return { total, groups: [] };
  const groups = await found
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .limit(page.count)
    .offset(page.startIndex - 1)
    .execute();
  return { total, groups };
}

function conditionOf(
  row: ExpressionBuilder<Tables, 'scim_group'>,
  org: string,
  { attribute, value }: Comparison,
): Expression<SqlBool> {
  const text = String(value);
  switch (attribute) {
    case 'id':
      return isId(text) ? row('id', '=', text) : row.lit(false);
    case 'displayname':
      return row(row.fn('lower', ['display_name']), '=', row.fn('lower', [row.val(text)]));
    case 'externalid':
      return row('external_id', '=', text);
    case 'members':
    case 'members.value':
      return isId(text)
        ? sql<SqlBool>`exists (select from scim_group_member as member
            where member.org_id = ${org} and member.group_id = scim_group.id and member.user_id = ${text})`
        : row.lit(false);
    default:
      throw refuse('invalidFilter', `Groups cannot be filtered by '${attribute}'`);
  }
}

export type MappedRow = Pick<GroupRow, 'id' | 'display_name' | 'external_id' | 'role'> & { members: number };

/** All groups, or one of them, with the number of members. */
export async function listMappedGroups(db: Db, org: string, id?: string): Promise<MappedRow[]> {
  return db
    .selectFrom('scim_group')
    .select(['id', 'display_name', 'external_id', 'role'])
    .select((row) =>
      row
        .selectFrom('scim_group_member as member')
        .select((count) => count.fn.countAll<number>().as('members'))
        .whereRef('member.org_id', '=', 'scim_group.org_id')
        .whereRef('member.group_id', '=', 'scim_group.id')
        .as('members'),
    )
    .where('org_id', '=', org)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .orderBy(sql`lower(display_name)`)
    .$castTo<MappedRow>()
    .execute();
}

export async function countMembers(db: Db, org: string, groups: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('scim_group_member')
    .select(['group_id', (row) => row.fn.countAll<number>().as('members')])
    .where('org_id', '=', org)
    .where('group_id', '=', sql<string>`any(${groups}::uuid[])`)
    .groupBy('group_id')
    .execute();
  return new Map(rows.map((row) => [row.group_id, row.members]));
}

export function listMembers(db: Db, org: string, groups: readonly string[]): Promise<MemberRow[]> {
  return db
    .selectFrom('scim_group_member as member')
    .innerJoin('scim_user', (join) =>
      join.onRef('scim_user.org_id', '=', 'member.org_id').onRef('scim_user.id', '=', 'member.user_id'),
    )
    .select(['member.group_id', 'scim_user.id'])
    .select((row) => row.fn.coalesce('scim_user.display_name', 'scim_user.user_name').as('display'))
    .where('member.org_id', '=', org)
    .where('member.group_id', '=', sql<string>`any(${groups}::uuid[])`)
    .orderBy('member.group_id')
    .orderBy('scim_user.created_at')
    .orderBy('scim_user.id')
    .execute();
}

export async function listMemberIds(db: Db, org: string, group: string): Promise<string[]> {
  const members = await db
    .selectFrom('scim_group_member')
    .select('user_id')
    .where('org_id', '=', org)
    .where('group_id', '=', group)
    .execute();
  return members.map(({ user_id }) => user_id);
}

/** Returns the users who were not members before. */
export async function insertMembers(db: Db, org: string, group: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    insert into scim_group_member (org_id, group_id, user_id)
    select ${org}, ${group}, id from unnest(${ids}::uuid[]) as added (id)
    on conflict do nothing
    returning user_id`.execute(db);
  return rows.map(({ user_id }) => user_id);
}

export async function deleteMembers(db: Db, org: string, group: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    delete from scim_group_member where org_id = ${org} and group_id = ${group} and user_id = any(${ids}::uuid[])
    returning user_id`.execute(db);
  return rows.map(({ user_id }) => user_id);
}
