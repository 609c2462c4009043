import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import type { Tables } from '../../../platform/db/tables.ts';

export type NotificationRow = Selectable<Tables['notification']>;
export type NotificationKind = NotificationRow['kind'];

export interface NotificationScope {
  readonly id: string;
  readonly name: string;
}

/** Held while changing a notification of the org: names and numbers are assigned one at a time. */
export function lockNotifications(db: Db, org: string): Promise<void> {
  return lockSubject(db, org, 'notifications', org);
}

export function findByName(
  db: Db,
  org: string,
  kind: NotificationKind,
  name: string,
): Promise<NotificationRow | undefined> {
  return db
    .selectFrom('notification')
    .selectAll()
    .where('org_id', '=', org)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

export function findByNumber(db: Db, org: string, number: number): Promise<NotificationRow | undefined> {
  return db
    .selectFrom('notification')
    .selectAll()
    .where('org_id', '=', org)
    .where('number', '=', number)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

export function listNotifications(db: Db, org: string, kind: NotificationKind | undefined): Promise<NotificationRow[]> {
  let query = db.selectFrom('notification').selectAll().where('org_id', '=', org).where('deleted_at', 'is', null);
  if (kind) query = query.where('kind', '=', kind);
  return query.orderBy('number').execute();
}

/** How many there are, and the highest number ever assigned. */
export function countNotifications(db: Db, org: string): Promise<{ active: number; highest: number }> {
  return db
    .selectFrom('notification')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('deleted_at', 'is', null).as('active'),
      fn.coalesce(fn.max('number'), sql<number>`0`).as('highest'),
    ])
    .where('org_id', '=', org)
    .executeTakeFirstOrThrow();
}

export function insertNotification(db: Db, notification: Insertable<Tables['notification']>): Promise<NotificationRow> {
  return db.insertInto('notification').values(notification).returningAll().executeTakeFirstOrThrow();
}

/** Call it once for each journal entry, as the revision counts them. */
export function updateNotification(
  db: Db,
  { org_id, id, revision }: NotificationRow,
  change: { name?: string; triggers?: string[]; last_modified_at: Date; deleted_at?: Date },
): Promise<NotificationRow> {
  return db
    .updateTable('notification')
    .set({ ...change, revision: revision + 1 })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteScopes(db: Db, org: string, notificationId: string): Promise<void> {
  await db
    .deleteFrom('notification_scope')
    .where('org_id', '=', org)
    .where('notification_id', '=', notificationId)
    .execute();
}

/** In this order. */
export async function insertScopes(
  db: Db,
  org: string,
  notificationId: string,
  scopeIds: readonly string[],
): Promise<void> {
  await sql`
    insert into notification_scope (org_id, notification_id, scope_id, position)
    select ${org}, ${notificationId}, scope.id, scope.position
    from unnest(${scopeIds}::uuid[]) with ordinality as scope (id, position)`.execute(db);
}

export async function countScopes(db: Db, org: string): Promise<number> {
  const { scopes } = await db
    .selectFrom('notification_scope')
    .select(({ fn }) => fn.countAll<number>().as('scopes'))
    .where('org_id', '=', org)
    .executeTakeFirstOrThrow();
  return scopes;
}

/** The scopes of notifications, by notification and in order, without archived ones. */
export async function listScopes(
  db: Db,
  org: string,
  notificationIds: readonly string[],
): Promise<(NotificationScope & { readonly notification_id: string })[]> {
  const { rows } = await sql<NotificationScope & { notification_id: string }>`
    select scope.notification_id, scope.scope_id as id, coalesce(environment.name, flow.name) as name
    from notification_scope as scope
    left join environment on environment.org_id = ${org} and environment.id = scope.scope_id
      and environment.archived_at is null
    left join flow on flow.org_id = ${org} and flow.id = scope.scope_id and flow.archived_at is null
    where scope.org_id = ${org} and scope.notification_id = any(${notificationIds}::uuid[])
      and coalesce(environment.id, flow.id) is not null
    order by scope.notification_id, scope.position`.execute(db);
  return rows;
}

/** The active environments or flows that have or had these names, by the requested name. */
export async function findScopes(
  db: Db,
  org: string,
  kind: NotificationKind,
  names: readonly string[],
): Promise<ReadonlyMap<string, NotificationScope>> {
  const { rows } = await (kind === 'env' ? environmentsNamed(org, names) : flowsNamed(org, names)).execute(db);
  return new Map(rows.map(({ asked, id, name }) => [asked, { id, name }]));
}

function environmentsNamed(org: string, names: readonly string[]) {
  return sql<NotificationScope & { asked: string }>`
    select asked.name as asked, environment.id, environment.name
    from unnest(${names}::text[]) as asked (name)
    join environment on environment.org_id = ${org} and environment.archived_at is null and environment.id = coalesce(
      (select id from environment as named
       where named.org_id = ${org} and named.name = asked.name and named.archived_at is null),
      (select environment_id from environment_alias
       where environment_alias.org_id = ${org} and environment_alias.name = asked.name))`;
}

function flowsNamed(org: string, names: readonly string[]) {
  return sql<NotificationScope & { asked: string }>`
    select asked.name as asked, flow.id, flow.name
    from unnest(${names}::text[]) as asked (name)
    join flow on flow.org_id = ${org} and flow.archived_at is null and flow.id = coalesce(
      (select id from flow as named
       where named.org_id = ${org} and named.name = asked.name and named.archived_at is null),
      (select flow_id from flow_alias
       where flow_alias.org_id = ${org} and flow_alias.name = asked.name))`;
}
