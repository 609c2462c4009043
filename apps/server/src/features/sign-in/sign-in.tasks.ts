import { sql } from 'kysely';
import { pruneBatches } from '../../platform/jobs/prune-batches.ts';
import type { Task } from '../../platform/jobs/task.ts';

/** A link that is told to be used or too old for a day; after that it is not known any more. */
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
