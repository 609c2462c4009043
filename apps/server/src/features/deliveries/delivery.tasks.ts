import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Task } from '../../platform/jobs/task.ts';

const BATCH = 5_000;

/** What was told, and how that went, can be looked up for 30 days. What still waits stays until it has ended. */
export const pruneMessages: Task = {
  name: 'prune-messages',
  cron: '43 * * * *',
  async run(db) {
    while ((await deleteOldMessages(db)) === BATCH);
    while ((await deleteOldEntries(db)) === BATCH);
  },
};

async function deleteOldMessages(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    with old as (
      select org_id, id from message
      where created_at < now() - interval '30 days' and open_until is null
        and not exists (
          select from delivery
          where delivery.org_id = message.org_id and delivery.message_id = message.id and delivery.state = 'waiting'
        )
      order by created_at
      limit ${BATCH}
    ), gone as (
      delete from delivery using old where delivery.org_id = old.org_id and delivery.message_id = old.id
      returning delivery.org_id, delivery.id
    ), attempts as (
      delete from delivery_attempt using gone
      where delivery_attempt.org_id = gone.org_id and delivery_attempt.delivery_id = gone.id
    )
    delete from message using old where message.org_id = old.org_id and message.id = old.id`.execute(db);
  return Number(numAffectedRows ?? 0);
}

async function deleteOldEntries(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from message_entry where (org_id, entry_id, source_id, trigger) in (
      select org_id, entry_id, source_id, trigger from message_entry
      where created_at < now() - interval '30 days' limit ${BATCH}
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}
