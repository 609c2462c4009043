import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';

export interface MailRow {
  readonly is_refused: boolean;
  /** The same for all messages about one event, from whichever notifications. */
  readonly event: Buffer;
}

export async function findMail(db: Db, org: string, deliveryId: string): Promise<MailRow | undefined> {
  const { rows } = await sql<MailRow>`
    select exists (
        select from mail_refusal as refusal
        where refusal.org_id = delivery.org_id and refusal.target_id = delivery.target_id
          and refusal.address = delivery.address
      ) as is_refused,
      sha256(convert_to(concat_ws('|', message.scope_id, message.trigger, extract(epoch from message.created_at),
        message.count, message.content), 'UTF8')) as event
    from delivery
    join message on message.org_id = delivery.org_id and message.id = delivery.message_id
    where delivery.org_id = ${org} and delivery.id = ${deliveryId}`.execute(db);
  return rows[0];
}

/**
 * Claims an event for a delivery to an address. No row when another delivery has it, unless that was dropped or has
 * failed for good.
 */
export async function claimEvent(
  db: Db,
  claim: {
    readonly org: string;
    readonly address: string;
    readonly event: Buffer;
    readonly deliveryId: string;
    readonly now: Date;
  },
): Promise<{ readonly is_new: boolean } | undefined> {
  const { org, address, event, deliveryId, now } = claim;
  const { rows } = await sql<{ is_new: boolean }>`
    insert into mailed_event as mailed (org_id, address, event, delivery_id, mailed_at)
    values (${org}, lower(${address}), ${event}, ${deliveryId}, ${now})
    on conflict (org_id, address, event) do update set delivery_id = excluded.delivery_id
    where mailed.delivery_id = excluded.delivery_id or not exists (
      select from delivery as other
      where other.org_id = ${org} and other.id = mailed.delivery_id and other.state in ('waiting', 'delivered')
    )
    returning xmax = 0 as is_new`.execute(db);
  return rows[0];
}

/**
 * Counts one more mail in a day, to one address or, if that is empty, of the whole org; false when the limit is
 * reached.
 */
export async function countMail(db: Db, org: string, address: string, now: Date, limit: number): Promise<boolean> {
  const { rows } = await sql`
    insert into mail_count as counted (org_id, day, address, sent)
    values (${org}, (${now}::timestamptz at time zone 'UTC')::date, lower(${address}), 1)
    on conflict (org_id, day, address) do update set sent = counted.sent + 1 where counted.sent < ${limit}
    returning sent`.execute(db);
  return rows.length > 0;
}
