import { sql } from 'kysely';
import { pruneBatches } from '../../../platform/jobs/prune-batches.ts';
import type { Task } from '../../../platform/jobs/task.ts';

/** A listener that was away for longer than this has to reload. */
export const pruneFeed: Task = {
  name: 'prune-feed',
  cron: '17 * * * *',
  async run(db) {
    await pruneBatches((limit) =>
      sql`
        delete from feed_event where (org_id, position) in (
          select org_id, position from feed_event where recorded_at < now() - interval '7 days' limit ${limit}
        )`.execute(db),
    );
  },
};
