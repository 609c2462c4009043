import { type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type EnvironmentRow = Selectable<Tables['environment']>;

/** Finds an active environment by its name, or by one it had before. */
export async function findEnvironment(db: Db, org: string, name: string): Promise<EnvironmentRow | undefined> {
  return (await listByName(db, org, [name])).get(name);
}

/**
 * The active environments that have or had these names, by the requested name. One statement: while a name moves
 * between two environments, two statements could find neither.
 */
export async function listByName(
  db: Db,
  org: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, EnvironmentRow>> {
  const { rows } = await sql<EnvironmentRow & { asked: string }>`
    select asked.name as asked, environment.*
    from unnest(${names}::text[]) as asked (name)
    join environment on environment.org_id = ${org} and environment.archived_at is null and environment.id = coalesce(
      (select id from environment as named
       where named.org_id = ${org} and named.name = asked.name and named.archived_at is null),
      (select environment_id from environment_alias
       where environment_alias.org_id = ${org} and environment_alias.name = asked.name))`.execute(db);
  return new Map(rows.map(({ asked, ...row }) => [asked, row]));
}

export function findByCurrentName(db: Db, org: string, name: string): Promise<EnvironmentRow | undefined> {
  return db
    .selectFrom('environment')
    .selectAll()
    .where('org_id', '=', org)
    .where('name', '=', name)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
}

/** Returns the active members of a logical environment in the order in which they were given. */
export function listActiveMembers(db: Db, org: string, logicalId: string): Promise<EnvironmentRow[]> {
  return db
    .selectFrom('environment_member')
    .innerJoin('environment', (join) =>
      join
        .onRef('environment.org_id', '=', 'environment_member.org_id')
        .onRef('environment.id', '=', 'environment_member.physical_id'),
    )
    .selectAll('environment')
    .where('environment_member.org_id', '=', org)
    .where('environment_member.logical_id', '=', logicalId)
    .where('environment.archived_at', 'is', null)
    .orderBy('environment_member.position')
    .orderBy('environment.name')
    .execute();
}
