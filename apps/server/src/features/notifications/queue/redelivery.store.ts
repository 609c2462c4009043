import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Moment } from '../../../platform/db/paginate.ts';

export interface KnownDelivery {
  readonly id: string;
  readonly target_id: string;
  readonly message_id: string;
  readonly trigger: string;
  readonly config_type: string | null;
  /** It is a mail that was delivered. */
  readonly has_arrived: boolean;
  readonly is_refused: boolean;
}

export async function findDelivery(db: Db, org: string, id: string): Promise<KnownDelivery | undefined> {
  const { rows } = await sql<KnownDelivery>`
    select d.id, d.target_id, d.message_id, m.trigger, m.config_type, r.address is not null as is_refused,
      d.state = 'delivered' and d.address is not null as has_arrived
    from delivery d
    join message m on m.org_id = d.org_id and m.id = d.message_id
    left join mail_refusal r on r.org_id = d.org_id and r.target_id = d.target_id and r.address = d.address
    where d.org_id = ${org} and d.id = ${id}`.execute(db);
  return rows[0];
}

export interface DeliveryRange {
  readonly from: Date;
  readonly to: Date;
  readonly state: 'failed' | 'dropped' | 'delivered' | 'all';
  /** All when absent. */
  readonly targets: readonly string[] | undefined;
  /** Whether to include what configurations of the org send. */
  readonly withConfigurations: boolean;
  readonly after: Moment | undefined;
}

export interface RangeRow {
  readonly id: string;
  readonly target_id: string;
  readonly created_at: Date;
  readonly place: number;
}

/** What may be redelivered, oldest first. A delivered mail may not, so that nobody is flooded with it. */
export async function listRange(db: Db, org: string, range: DeliveryRange, limit: number): Promise<RangeRow[]> {
  const { from, to, state, targets, after, withConfigurations } = range;
  const ofState = state === 'all' ? sql<SqlBool>`true` : sql<SqlBool>`d.state = ${state}`;
  const ofTargets = targets ? sql<SqlBool>`d.target_id = any(${targets}::uuid[])` : sql<SqlBool>`true`;
  const isAfter = after ? sql<SqlBool>`(d.created_at, d.place) > (${after.at}, ${after.receipt})` : sql<SqlBool>`true`;
  const { rows } = await sql<RangeRow>`
    select d.id, d.target_id, d.created_at, d.place
    from delivery d
    join message m on m.org_id = d.org_id and m.id = d.message_id
    join notification_target t on t.org_id = d.org_id and t.id = d.target_id
    join target_state s on s.org_id = d.org_id and s.target_id = d.target_id
    where d.org_id = ${org} and d.created_at between ${from} and ${to} and ${ofState} and ${ofTargets} and ${isAfter}
      and m.trigger <> 'TEST' and t.removed_at is null and s.disabled_at is null
      and (m.config_type is null or ${withConfigurations}) and not (d.state = 'delivered' and d.address is not null)
      and not exists (
        select from mail_refusal r where r.org_id = d.org_id and r.target_id = d.target_id and r.address = d.address
      )
    order by d.created_at, d.place
    limit ${limit}`.execute(db);
  return rows;
}

export interface LockedTarget {
  readonly id: string;
  readonly removed_at: Date | null;
  readonly disabled_at: Date | null;
}

/** Until the transaction ends nobody removes or disables them, or records attempts. */
export async function lockTargets(db: Db, org: string, ids: readonly string[]): Promise<LockedTarget[]> {
  const { rows } = await sql<LockedTarget>`
    select t.id, t.removed_at, s.disabled_at
    from notification_target t
    join target_state s on s.org_id = t.org_id and s.target_id = t.id
    where t.org_id = ${org} and t.id = any(${ids}::uuid[])
    order by t.id
    for share of t for update of s`.execute(db);
  return rows;
}

/** Puts deliveries to these targets back into the queue, in their old places, and ends pauses of the targets. */
export async function updateToWaiting(
  db: Db,
  org: string,
  deliveries: readonly string[],
  targets: readonly string[],
  now: Date,
) {
  const updated = await db
    .updateTable('delivery')
    .set((is) => ({
      state: 'waiting' as const,
      tries: 0,
      due_at: now,
      ended_at: null,
      dropped_because: null,
      redeliveries: is('redeliveries', '+', 1),
    }))
    .where('org_id', '=', org)
    .where(sql<SqlBool>`id = any(${deliveries}::uuid[])`)
    .where(sql<SqlBool>`target_id = any(${targets}::uuid[])`)
    .where(sql<SqlBool>`not (state = 'delivered' and address is not null)`)
    .returning(['id', 'redeliveries'])
    .execute();
  await db
    .updateTable('target_state')
    .set({ due_at: sql`least(due_at, ${now}::timestamptz)`, paused_until: null })
    .where('org_id', '=', org)
    .where(sql<SqlBool>`target_id = any(${targets}::uuid[])`)
    .execute();
  return updated;
}
