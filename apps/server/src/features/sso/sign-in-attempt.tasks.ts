import { sql } from 'kysely';
import type { Task } from '../../platform/jobs/task.ts';

/** Attempts that nobody came back from. */
export const pruneSignInAttempts: Task = {
  name: 'prune-sign-in-attempts',
  cron: '*/10 * * * *',
  async run(db) {
    await sql`
      delete from sign_in_attempt where state_hash in (
        select state_hash from sign_in_attempt where expires_at < now() limit 100000
      )`.execute(db);
  },
};
