import { sql } from 'kysely';
import type { Task } from '../jobs/task.ts';

/** Creates the monthly partitions of the journal ahead of time. */
export const makeJournalMonths: Task = {
  name: 'make-journal-months',
  cron: '5 */6 * * *',
  async run(db) {
    await sql`select ensure_journal_months((now() at time zone 'UTC')::date, 3)`.execute(db);
  },
};
