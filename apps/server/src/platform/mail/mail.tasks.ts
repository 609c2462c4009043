import { sql } from 'kysely';
import { pruneBatches } from '../jobs/prune-batches.ts';
import type { Task } from '../jobs/task.ts';

/** How long mails that were sent or given up stay visible. */
export const pruneMails: Task = {
  name: 'prune-mails',
  cron: '37 * * * *',
  async run(db) {
    await pruneBatches((limit) =>
      sql`
        delete from mail where id in (
          select id from mail where created_at < now() - interval '30 days' limit ${limit}
        )`.execute(db),
    );
  },
};
