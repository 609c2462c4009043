import { sql } from 'kysely';
import type { Task } from '../../platform/jobs/task.ts';

/** Sessions are long over by then; who signed in when stays in the journal. */
export const pruneSessions: Task = {
  name: 'prune-sessions',
  cron: '27 * * * *',
  async run(db) {
    await sql`
      delete from session where id in (
        select id from session where created_at < now() - interval '30 days' limit 100000
      )`.execute(db);
  },
};
