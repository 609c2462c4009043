import { STORAGE_WARNING_PERCENT, type Storage } from '@waymark/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { StorageQuota } from '../../../platform/http/storage-quota.ts';
import { readQuotas } from '../../orgs/storage-quota.reads.ts';
import { readPeople } from '../../users/user.reads.ts';

/** What an org stores, and the quotas that apply to it. */
export interface StorageView {
  readonly bytes: number;
  readonly rows: number;
  readonly quota_bytes: number | null;
  readonly quota_rows: number | null;
}

export async function readStorage(db: Db, org: string, standard: StorageQuota): Promise<StorageView> {
  const known = (await readQuotas(db, [org], standard)).get(org);
  if (!known) throw new Error('an org is not there');
  const { rows } = await sql<Pick<StorageView, 'bytes' | 'rows'>>`
    select file_bytes + content_bytes as bytes, row_count as rows from org_storage where org_id = ${org}`.execute(db);
  const { bytes, rows: count } = { bytes: 0, rows: 0, ...rows[0] };
  return { bytes, rows: count, quota_bytes: known.quota.bytes, quota_rows: known.quota.rows };
}

export interface OrgStorage extends StorageView {
  readonly name: string;
  /** The login of the person who created the org. */
  readonly created_by: string | null;
}

/** The orgs that store the most, for the operator. */
export async function listLargest(db: Db, standard: StorageQuota, limit: number): Promise<OrgStorage[]> {
  const { rows } = await sql<Pick<StorageView, 'bytes' | 'rows'> & { org_id: string }>`
    select org_id, file_bytes + content_bytes as bytes, row_count as rows from org_storage
    order by file_bytes + content_bytes desc, row_count desc, org_id limit ${limit}`.execute(db);
  const orgs = await readQuotas(
    db,
    rows.map(({ org_id }) => org_id),
    standard,
  );
  const creators = await readPeople(
    db,
    [...orgs.values()].flatMap(({ creatingUser }) => creatingUser ?? []),
  );
  const largest = rows.flatMap(({ org_id, bytes, rows: count }) => {
    const org = orgs.get(org_id);
    if (!org) return [];
    const { name, creatingUser, quota } = org;
    const created_by = creators.get(creatingUser ?? '')?.login ?? null;
    return [{ name, created_by, bytes, rows: count, quota_bytes: quota.bytes, quota_rows: quota.rows }];
  });
  return largest.sort((one, other) => other.bytes - one.bytes || other.rows - one.rows || byName(one, other));
}

function byName(one: OrgStorage, other: OrgStorage): number {
  return one.name < other.name ? -1 : 1;
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
