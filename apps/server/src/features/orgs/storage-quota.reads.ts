import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { StorageQuota } from '../../platform/http/storage-quota.ts';

export interface OrgQuota {
  readonly name: string;
  /** The person who created the org. */
  readonly creatingUser: string | null;
  readonly quota: StorageQuota;
}

/** The storage quotas of orgs, by id. `standard` is for those without a quota of their own. */
export async function readQuotas(
  db: Db,
  ids: readonly string[],
  standard: StorageQuota,
): Promise<ReadonlyMap<string, OrgQuota>> {
  const orgs = await db
    .selectFrom('org')
    .select(['id', 'name', 'creating_user_id', 'storage_quota_bytes', 'storage_quota_rows'])
    .where(sql<SqlBool>`id = any(${ids}::uuid[])`)
    .execute();
  return new Map(
    orgs.map((org) => {
      const quota = {
        bytes: org.storage_quota_bytes ?? standard.bytes,
        rows: org.storage_quota_rows ?? standard.rows,
      };
      return [org.id, { name: org.name, creatingUser: org.creating_user_id, quota }];
    }),
  );
}

/** How many orgs were warned at each level, in percent of their quota. */
export async function countWarned(db: Db): Promise<{ percent: number; orgs: number }[]> {
  const { rows } = await sql<{ percent: number; orgs: number }>`
    select percent, count(org.id) as orgs from (values (80), (100)) as level (percent)
    left join org on org.storage_warned_percent = percent group by percent`.execute(db);
  return rows;
}
