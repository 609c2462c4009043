import { sql } from 'kysely';
import { pruneBatches } from '../../platform/jobs/prune-batches.ts';
import type { Task } from '../../platform/jobs/task.ts';

/** Attempts that nobody came back from. */
export const pruneSignInAttempts: Task = {
  name: 'prune-sign-in-attempts',
  cron: '*/10 * * * *',
  async run(db) {
    await pruneBatches((limit) =>
      sql`
        delete from sign_in_attempt where state_hash in (
          select state_hash from sign_in_attempt where expires_at < now() limit ${limit}
        )`.execute(db),
    );
  },
};
