import { sql } from 'kysely';
import { pruneBatches } from '../../../platform/jobs/prune-batches.ts';
import type { Task } from '../../../platform/jobs/task.ts';

/** Sessions have long ended by then; the journal still has who signed in when. */
export const pruneSessions: Task = {
  name: 'prune-sessions',
  cron: '27 * * * *',
  async run(db) {
    await pruneBatches((limit) =>
      sql`
        delete from session where id in (
          select id from session where created_at < now() - interval '30 days' limit ${limit}
        )`.execute(db),
    );
  },
};
