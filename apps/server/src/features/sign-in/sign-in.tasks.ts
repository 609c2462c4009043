import { sql } from 'kysely';
import { pruneBatches } from '../../platform/jobs/prune-batches.ts';
import type { Task } from '../../platform/jobs/task.ts';

/** How long a link is reported as used or expired; after that it is unknown. */
export const pruneSignInLinks: Task = {
  name: 'prune-sign-in-links',
  cron: '7 * * * *',
  async run(db) {
    await pruneBatches((limit) =>
      sql`
        delete from sign_in_link where id in (
          select id from sign_in_link where created_at < now() - interval '1 day' limit ${limit}
        )`.execute(db),
    );
  },
};
