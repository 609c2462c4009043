import { sql } from 'kysely';
import type { Task } from '../../platform/jobs/task.ts';

const BATCH = 10_000;

/** A listener that was away for longer than this is told to reload. */
export const pruneFeed: Task = {
  name: 'prune-feed',
  cron: '17 * * * *',
  async run(db) {
    let deleted: bigint | undefined;
    do {
      const result = await sql`
        delete from feed_event where (org_id, position) in (
          select org_id, position from feed_event where recorded_at < now() - interval '7 days' limit ${BATCH}
        )`.execute(db);
      deleted = result.numAffectedRows;
    } while (deleted === BigInt(BATCH));
  },
};
