import type { RecordType } from '@waymark/contract';
import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type RetentionSettingRow = Selectable<Tables['retention_setting']>;

/**
 * Serializes everything that decides whether records of the org are kept: settings, holds, and erasures. Each takes it
 * before any other lock, so an erasure is either committed before a hold or a longer minimum, or is refused by it.
 */
export async function lockKeeping(db: Db, org: string): Promise<void> {
  await lockSubject(db, org, 'keeping', org);
}

export function listInForce(db: Db, org: string): Promise<RetentionSettingRow[]> {
  return db
    .selectFrom('retention_setting')
    .selectAll()
    .where('org_id', '=', org)
    .where('replaced_at', 'is', null)
    .execute();
}

/** All versions, the oldest first. */
export function listSettings(db: Db, org: string): Promise<RetentionSettingRow[]> {
  return db.selectFrom('retention_setting').selectAll().where('org_id', '=', org).orderBy('version').execute();
}

export async function updateToReplaced(db: Db, setting: RetentionSettingRow, at: Date): Promise<void> {
  await db
    .updateTable('retention_setting')
    .set({ replaced_at: at })
    .where('org_id', '=', setting.org_id)
    .where('record_type', '=', setting.record_type)
    .where('version', '=', setting.version)
    .execute();
}

export async function insertSetting(db: Db, setting: Insertable<Tables['retention_setting']>): Promise<void> {
  await db.insertInto('retention_setting').values(setting).execute();
}

/** The longest minimum that was in force at any time since the record was made, in years. */
export async function findLongestSince(db: Db, org: string, recordType: RecordType, recordedAt: Date): Promise<number> {
  const { years } = await db
    .selectFrom('retention_setting')
    .select((row) => row.fn.max('minimum_years').as('years'))
    .where('org_id', '=', org)
    .where('record_type', '=', recordType)
    .where((is) => is.or([is('replaced_at', 'is', null), is('replaced_at', '>=', recordedAt)]))
    .executeTakeFirstOrThrow();
  return years ?? 0;
}
