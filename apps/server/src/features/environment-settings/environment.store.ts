import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';
import type { EnvironmentRow } from '../environments/environment-row.reads.ts';

/** Held while giving the name to an environment. Taken before the lock on an environment; at most one is held. */
export function lockEnvironmentName(db: Db, org: string, name: string): Promise<void> {
  return lockSubject(db, org, 'environment name', name);
}

/** Held while changing the environment. Its holder never waits for a name. */
export function lockEnvironment(db: Db, org: string, id: string): Promise<void> {
  return lockSubject(db, org, 'environment', id);
}

export function insertEnvironment(db: Db, environment: Insertable<Tables['environment']>): Promise<EnvironmentRow> {
  return db.insertInto('environment').values(environment).returningAll().executeTakeFirstOrThrow();
}

/** Call it once for each journal entry, as the revision counts them. */
export function updateEnvironment(
  db: Db,
  environment: EnvironmentRow,
  change: Omit<Updateable<Tables['environment']>, 'revision'> & { last_modified_at: Date },
): Promise<EnvironmentRow> {
  return db
    .updateTable('environment')
    .set({ ...change, revision: environment.revision + 1 })
    .where('org_id', '=', environment.org_id)
    .where('id', '=', environment.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function upsertAlias(db: Db, org: string, name: string, environmentId: string): Promise<void> {
  await db
    .insertInto('environment_alias')
    .values({ org_id: org, name, environment_id: environmentId })
    .onConflict((conflict) => conflict.columns(['org_id', 'name']).doUpdateSet({ environment_id: environmentId }))
    .execute();
}

export async function deleteAlias(db: Db, org: string, name: string): Promise<void> {
  await db.deleteFrom('environment_alias').where('org_id', '=', org).where('name', '=', name).execute();
}

export async function deleteAliases(db: Db, org: string, environmentId: string): Promise<void> {
  await db
    .deleteFrom('environment_alias')
    .where('org_id', '=', org)
    .where('environment_id', '=', environmentId)
    .execute();
}

/** Orders the members by the given ids, and adds those that are missing. */
export async function upsertMembers(db: Db, org: string, logicalId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    insert into environment_member as member (org_id, logical_id, physical_id, position)
    select ${org}, ${logicalId}, wanted.id, wanted.position
    from unnest(${ids}::uuid[]) with ordinality as wanted (id, position)
    on conflict (org_id, logical_id, physical_id) do update set position = excluded.position
      where member.org_id = ${org} and member.position <> excluded.position`.execute(db);
}

export async function deleteMembers(db: Db, org: string, logicalId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db
    .deleteFrom('environment_member')
    .where('org_id', '=', org)
    .where('logical_id', '=', logicalId)
    .where('physical_id', 'in', ids)
    .execute();
}
