import { type Insertable, type Selectable, type SqlBool, sql, type Updateable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type WaiverRow = Selectable<Tables['waiver']>;

export interface LockedEnvironment {
  readonly id: string;
  readonly name: string;
  readonly archived_at: Date | null;
}

/** Creating or ending a waiver in an environment takes its lock. */
export async function lockEnvironment(db: Db, org: string, id: string): Promise<LockedEnvironment> {
  await lockSubject(db, org, 'environment', id);
  return db
    .selectFrom('environment')
    .select(['id', 'name', 'archived_at'])
    .where('org_id', '=', org)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Raises the revision of the environment for one more journal entry. */
export async function updateRevision(db: Db, org: string, id: string): Promise<number> {
  const { revision } = await db
    .updateTable('environment')
    .set({ revision: sql<number>`revision + 1` })
    .where('org_id', '=', org)
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow();
  return revision;
}

/** The one without a recorded end; it may have expired. */
export function findUnended(
  db: Db,
  org: string,
  environmentId: string,
  fingerprint: string,
): Promise<WaiverRow | undefined> {
  return db
    .selectFrom('waiver')
    .selectAll()
    .where('org_id', '=', org)
    .where('environment_id', '=', environmentId)
    .where('fingerprint', '=', fingerprint)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
}

export function insertWaiver(db: Db, waiver: Insertable<Tables['waiver']>): Promise<WaiverRow> {
  return db.insertInto('waiver').values(waiver).returningAll().executeTakeFirstOrThrow();
}

export async function updateToEnded(db: Db, waiver: WaiverRow, end: Updateable<Tables['waiver']>): Promise<void> {
  await db.updateTable('waiver').set(end).where('org_id', '=', waiver.org_id).where('id', '=', waiver.id).execute();
}

export type Expired = Pick<WaiverRow, 'org_id' | 'environment_id' | 'id'>;

/** Over all orgs, oldest expiry first. */
export function listExpired(db: Db, now: Date, limit: number): Promise<Expired[]> {
  return db
    .selectFrom('waiver')
    .select(['org_id', 'environment_id', 'id'])
    .where('ended_at', 'is', null)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
}

/** Returns those that nobody else has ended. */
export function listUnended(db: Db, org: string, ids: readonly string[]): Promise<WaiverRow[]> {
  return db
    .selectFrom('waiver')
    .selectAll()
    .where('org_id', '=', org)
    .where(sql<SqlBool>`id = any(${ids}::uuid[])`)
    .where('ended_at', 'is', null)
    .orderBy('expires_at')
    .orderBy('id')
    .execute();
}
