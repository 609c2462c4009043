import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { countWarned } from '../../orgs/storage-quota.reads.ts';

/** For operators: how much evidence there is in all, and which orgs need more room. */
export function observeStorage(metrics: Metrics, db: Db): void {
  metrics.observe('storage_bytes', 'Bytes of evidence stored by all orgs', async () => {
    const { rows } = await sql<{ kind: string; bytes: number }>`
      select kind, bytes::bigint from (
        select coalesce(sum(file_bytes), 0) as files, coalesce(sum(content_bytes), 0) as content from org_storage
        where org_id is not null
      ) as stored cross join lateral (values ('files', files), ('content', content)) as part (kind, bytes)`.execute(db);
    return rows.map(({ kind, bytes }) => ({ value: bytes, labels: { kind } }));
  });
  metrics.observe('storage_rows', 'Rows of evidence stored by all orgs', async () => {
    const { rows } = await sql<{ rows: number }>`
      select coalesce(sum(row_count), 0)::bigint as rows from org_storage where org_id is not null`.execute(db);
    return rows.map((row) => ({ value: row.rows, labels: {} }));
  });
  metrics.observe('storage_quota_orgs', 'Orgs that were warned about their storage quota, by percent', async () => {
    return (await countWarned(db)).map(({ percent, orgs }) => ({ value: orgs, labels: { percent: String(percent) } }));
  });
}
