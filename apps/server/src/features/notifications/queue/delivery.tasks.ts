import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { pruneBatches } from '../../../platform/jobs/prune-batches.ts';
import type { Task } from '../../../platform/jobs/task.ts';

/** Messages and their deliveries are retained for 30 days. Waiting ones stay until they have ended. */
export const pruneMessages: Task = {
  name: 'prune-messages',
  cron: '43 * * * *',
  async run(db) {
    await pruneBatches((limit) => deleteOldMessages(db, limit));
    await pruneBatches((limit) => deleteOldEntries(db, limit));
    await pruneBatches((limit) => deleteOldMailedEvents(db, limit));
    await deleteOldCounts(db);
  },
};

/**
 * Deliveries may wait for a target that is not due: the worker that released it read an earlier clock or snapshot than
 * the one in which they were added. That is rare, so checking now and then is enough.
 */
export const wakeTargets: Task = {
  name: 'wake-targets',
  cron: '* * * * *',
  async run(db) {
    await sql`
      with recursive waiting as (
        (
          select org_id, target_id from delivery where delivery.state = 'waiting'
          order by org_id, target_id
          limit 1
        )
        union all
        select next.org_id, next.target_id
        from waiting
        cross join lateral (
          select org_id, target_id from delivery
          where delivery.state = 'waiting' and (org_id, target_id) > (waiting.org_id, waiting.target_id)
          order by org_id, target_id
          limit 1
        ) as next
      )
      update target_state as forgotten
      set due_at = greatest(now(), forgotten.paused_until)
      from waiting
      where forgotten.org_id = waiting.org_id and forgotten.target_id = waiting.target_id and forgotten.due_at is null`.execute(
      db,
    );
  },
};

/** A redelivery at the same moment wins: rows that it locked or made wait again stay. */
function deleteOldMessages(db: Db, limit: number) {
  return sql`
    with aged as (
      select org_id, id from message
      where created_at < now() - interval '30 days' and open_until is null
        and not exists (
          select from delivery
          where delivery.org_id = message.org_id and delivery.message_id = message.id and delivery.state = 'waiting'
        )
      order by created_at
      limit ${limit}
    ), locked as (
      select delivery.org_id, delivery.id, delivery.message_id, delivery.state
      from aged
      join delivery on delivery.org_id = aged.org_id and delivery.message_id = aged.id
      for update of delivery skip locked
    ), old as (
      select aged.org_id, aged.id from aged
      where not exists (
        select from delivery
        where delivery.org_id = aged.org_id and delivery.message_id = aged.id
          and delivery.id not in (select locked.id from locked where locked.state <> 'waiting')
      )
    ), gone as (
      delete from delivery using old where delivery.org_id = old.org_id and delivery.message_id = old.id
      returning delivery.org_id, delivery.id
    ), attempts as (
      delete from delivery_attempt using gone
      where delivery_attempt.org_id = gone.org_id and delivery_attempt.delivery_id = gone.id
    )
    delete from message using old where message.org_id = old.org_id and message.id = old.id`.execute(db);
}

function deleteOldEntries(db: Db, limit: number) {
  return sql`
    delete from message_entry where (org_id, entry_id, trigger) in (
      select org_id, entry_id, trigger from message_entry
      where created_at < now() - interval '30 days' limit ${limit}
    )`.execute(db);
}

/** Retained as long as messages: what is retried for days is still known then. */
function deleteOldMailedEvents(db: Db, limit: number) {
  return sql`
    delete from mailed_event where (org_id, address, event) in (
      select org_id, address, event from mailed_event
      where mailed_at < now() - interval '30 days' limit ${limit}
    )`.execute(db);
}

/** One row for each address and day. */
async function deleteOldCounts(db: Db): Promise<void> {
  await pruneBatches((limit) =>
    sql`
      delete from mail_count where (org_id, day, address) in (
        select org_id, day, address from mail_count where day < current_date - 7 limit ${limit}
      )`.execute(db),
  );
  await pruneBatches((limit) =>
    sql`
      delete from confirmation_count where (address, day) in (
        select address, day from confirmation_count where day < current_date - 7 limit ${limit}
      )`.execute(db),
  );
}
