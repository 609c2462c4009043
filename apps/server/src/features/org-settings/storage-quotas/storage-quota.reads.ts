import { STORAGE_WARNING_PERCENT, type Storage } from '@waymark/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { StorageQuota } from '../../../platform/http/storage-quota.ts';

/** What an org stores, and the quotas that apply to it. */
export interface StorageView {
  readonly bytes: number;
  readonly rows: number;
  readonly quota_bytes: number | null;
  readonly quota_rows: number | null;
}

export async function readStorage(db: Db, org: string, standard: StorageQuota): Promise<StorageView> {
  const { rows } = await sql<StorageView>`
    select coalesce(file_bytes + content_bytes, 0) as bytes, coalesce(row_count, 0) as rows,
      coalesce(org.storage_quota_bytes, ${standard.bytes}::bigint) as quota_bytes,
      coalesce(org.storage_quota_rows, ${standard.rows}::bigint) as quota_rows
    from org left join org_storage as storage on storage.org_id = org.id
    where org.id = ${org}`.execute(db);
  if (!rows[0]) throw new Error('an org is not there');
  return rows[0];
}

export interface OrgStorage extends StorageView {
  readonly name: string;
  /** The login of the person who created the org. */
  readonly created_by: string | null;
}

/** The orgs that store the most, for the operator. */
export async function listLargest(db: Db, standard: StorageQuota, limit: number): Promise<OrgStorage[]> {
  const { rows } = await sql<OrgStorage>`
    select org.name, person.login as created_by, file_bytes + content_bytes as bytes, row_count as rows,
      coalesce(org.storage_quota_bytes, ${standard.bytes}::bigint) as quota_bytes,
      coalesce(org.storage_quota_rows, ${standard.rows}::bigint) as quota_rows
    from org_storage as storage join org on org.id = storage.org_id
    left join user_account as person on person.id = org.creating_user_id
    order by file_bytes + content_bytes desc, row_count desc, org.name limit ${limit}`.execute(db);
  return rows;
}

/** The share of the fuller quota, from the level at which admins are warned. */
export type WarnedPercent = 0 | 80 | 100;

export function warnedPercentOf({ bytes, rows, quota_bytes, quota_rows }: StorageView): WarnedPercent {
  const reaches = (percent: number) =>
    (quota_bytes !== null && bytes * 100 >= quota_bytes * percent) ||
    (quota_rows !== null && rows * 100 >= quota_rows * percent);
  if (reaches(100)) return 100;
  return reaches(STORAGE_WARNING_PERCENT) ? STORAGE_WARNING_PERCENT : 0;
}

const LEVELS = { 0: 'ok', 80: 'warning', 100: 'full' } as const;

export function toStorage(view: StorageView): Storage {
  return {
    bytes: { used: view.bytes, quota: view.quota_bytes },
    rows: { used: view.rows, quota: view.quota_rows },
    level: LEVELS[warnedPercentOf(view)],
  };
}
