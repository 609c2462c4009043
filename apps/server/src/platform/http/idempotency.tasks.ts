import { sql } from 'kysely';
import { pruneBatches } from '../jobs/prune-batches.ts';
import type { Task } from '../jobs/task.ts';

/** Domain rule: responses are stored for 24 hours. */
export const pruneIdempotentReplies: Task = {
  name: 'prune-idempotent-replies',
  cron: '47 * * * *',
  async run(db) {
    await pruneBatches((limit) =>
      sql`
        delete from idempotent_reply where (org_id, actor_id, key) in (
          select org_id, actor_id, key from idempotent_reply
          where created_at < now() - interval '24 hours' limit ${limit}
        )`.execute(db),
    );
  },
};
