import { sql } from 'kysely';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Task } from '../../platform/jobs/task.ts';
import type { Logger } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { systemClock } from '../../platform/time.ts';
import { sweepFiles } from './file-sweep.service.ts';

/** Removes evidence files that nothing refers to. */
export function sweepEvidenceFiles(blobs: BlobStore, log: Logger, now: () => Date = systemClock): Task {
  return {
    name: 'sweep-evidence-files',
    cron: '*/5 * * * *',
    run: (db) => sweepFiles({ db, blobs, log, now }),
  };
}

/** For operators: whether files go that should go. */
export function observeRemovals(metrics: Metrics, db: Db): void {
  metrics.observe('evidence_files_removing', 'Evidence files that are about to be removed', async () => {
    const { rows } = await sql<{ files: number }>`
      select count(*)::integer as files from evidence_file
      where org_id is not null and removing_since is not null and removed_at is null`.execute(db);
    return rows.map(({ files }) => ({ value: files, labels: {} }));
  });
  metrics.observe('erasure_pending_seconds', 'Age of the oldest erasure whose file is not removed yet', async () => {
    const { rows } = await sql<{ seconds: number }>`
      select coalesce(extract(epoch from now() - min(erased_at)), 0)::float8 as seconds from erasure
      where org_id is not null and attachment = 'pending'`.execute(db);
    return rows.map(({ seconds }) => ({ value: seconds, labels: {} }));
  });
}
