import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import type { Subscription } from './unsubscribe-link.ts';

export interface SubscriptionRow {
  readonly source_id: string;
  /** Name of the notification; null for messages that the service raises itself. */
  readonly source_name: string | null;
  readonly is_refused: boolean;
  readonly is_refused_by_org: boolean;
}

/**
 * Only while mail goes to the address: others learn no names. The last name of a deleted notification is in the mail,
 * and another one with that name may follow.
 */
export async function findSubscription(
  db: Db,
  { orgId, targetId, address }: Subscription,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await sql<SubscriptionRow>`
    select target.source_id, source.name as source_name,
      exists (
        select from mail_refusal as refusal
        where refusal.org_id = target.org_id and refusal.target_id = target.id
          and lower(refusal.address) = lower(${address})
      ) as is_refused,
      exists (
        select from org_mail_refusal as refusal
        where refusal.org_id = target.org_id and refusal.address = lower(${address})
      ) as is_refused_by_org
    from notification_target as target
    left join notification as source on source.org_id = target.org_id and source.id = target.source_id
    where target.org_id = ${orgId} and target.id = ${targetId} and target.kind = 'EMAIL' and not target.derived
      and exists (
        select from notification_target as receiver cross join unnest(receiver.emails) as email
        where receiver.org_id = target.org_id and receiver.source_id = target.source_id
          and receiver.kind = 'EMAIL' and not receiver.derived
          and (receiver.removed_at is null or receiver.removed_at = source.deleted_at)
          and lower(email) = lower(${address})
      )`.execute(db);
  return rows[0];
}

/** Held while recording something about the target. */
export async function lockTarget(db: Db, org: string, targetId: string): Promise<void> {
  await lockSubject(db, org, 'target', targetId);
  await db
    .selectFrom('notification_target')
    .select('id')
    .where('org_id', '=', org)
    .where('id', '=', targetId)
    .forNoKeyUpdate()
    .execute();
}

/**
 * Without it a new target and a refusal at the same time would miss each other. It is always the last lock taken: its
 * holder waits for no row of a target.
 */
export function lockRefusals(db: Db, org: string): Promise<void> {
  return lockSubject(db, org, 'mail refusals', org);
}

/** For the target of the link, and for all targets of its notification and of those with the same name. */
export function insertRefusals(db: Db, subscription: Subscription, sourceId: string, now: Date): Promise<string[]> {
  return refuseFor(db, subscription, sql`source_id in (${sameSources(subscription.orgId, sourceId)})`, now);
}

/** For all existing targets; later ones get theirs when they are created. */
export async function insertRefusalsOfOrg(db: Db, subscription: Subscription, now: Date): Promise<string[]> {
  const { orgId, address } = subscription;
  await sql`
    insert into org_mail_refusal (org_id, address, refused_at)
    values (${orgId}, lower(${address}), ${now})
    on conflict do nothing`.execute(db);
  return refuseFor(db, subscription, sql`true`, now);
}

async function refuseFor(
  db: Db,
  { orgId, targetId, address }: Subscription,
  isMeant: RawBuilder<unknown>,
  now: Date,
): Promise<string[]> {
  const { rows } = await sql<{ target_id: string }>`
    insert into mail_refusal (org_id, target_id, address, refused_at)
    select org_id, id, email, ${now}::timestamptz
    from notification_target cross join unnest(emails) as email
    where org_id = ${orgId} and kind = 'EMAIL' and not derived and lower(email) = lower(${address}) and ${isMeant}
    union
    select ${orgId}::uuid, ${targetId}::uuid, ${address}::text, ${now}::timestamptz
    on conflict do nothing
    returning target_id`.execute(db);
  return rows.map((row) => row.target_id);
}

/** Drops deliveries that wait for refused addresses. Every change of deliveries locks the state of the target first. */
export async function dropWaiting(db: Db, org: string, targetId: string, now: Date): Promise<void> {
  await db
    .selectFrom('target_state')
    .select('target_id')
    .where('org_id', '=', org)
    .where('target_id', '=', targetId)
    .forUpdate()
    .execute();
  await sql`
    update delivery set state = 'dropped', ended_at = ${now}
    where org_id = ${org} and target_id = ${targetId} and state = 'waiting'
      and address in (select address from mail_refusal where org_id = ${org} and target_id = ${targetId})`.execute(db);
}

export async function updateRevision(db: Db, org: string, targetId: string): Promise<number> {
  const { revision } = await db
    .updateTable('notification_target')
    .set({ revision: sql`revision + 1` })
    .where('org_id', '=', org)
    .where('id', '=', targetId)
    .returning('revision')
    .executeTakeFirstOrThrow();
  return revision;
}

export async function insertKnownRefusals(db: Db, org: string, sourceId: string): Promise<void> {
  await sql`
    with refused as (
      select lower(refusal.address) as address, refusal.refused_at
      from mail_refusal as refusal
      join notification_target as earlier on earlier.org_id = refusal.org_id and earlier.id = refusal.target_id
      where refusal.org_id = ${org} and earlier.source_id in (${sameSources(org, sourceId)})
      union all
      select address, refused_at from org_mail_refusal where org_id = ${org}
    )
    insert into mail_refusal (org_id, target_id, address, refused_at)
    select target.org_id, target.id, email, min(refused.refused_at)
    from notification_target as target
    cross join unnest(target.emails) as email
    join refused on refused.address = lower(email)
    where target.org_id = ${org} and target.source_id = ${sourceId} and target.removed_at is null
      and target.kind = 'EMAIL' and not target.derived
    group by target.org_id, target.id, email
    on conflict do nothing`.execute(db);
}

/** Readers of mail know a notification by its name; one that was deleted and created again is the same to them. */
function sameSources(org: string, sourceId: string) {
  return sql`
    select ${sourceId}::uuid
    union
    select same.id
    from notification as same
    join notification as this on this.org_id = same.org_id and this.kind = same.kind and this.name = same.name
    where same.org_id = ${org} and this.id = ${sourceId}`;
}
