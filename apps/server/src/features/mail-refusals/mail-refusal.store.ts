import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Subscription } from './unsubscribe-link.ts';

export interface SubscriptionRow {
  readonly org_name: string;
  /** Of the notification; null for what the service raises itself. */
  readonly source_name: string | null;
  readonly is_refused: boolean;
}

export function findSubscription(
  db: Db,
  { orgId, targetId, address }: Subscription,
): Promise<SubscriptionRow | undefined> {
  return db
    .selectFrom('notification_target as target')
    .innerJoin('org', 'org.id', 'target.org_id')
    .leftJoin('notification', (join) =>
      join.onRef('notification.org_id', '=', 'target.org_id').onRef('notification.id', '=', 'target.source_id'),
    )
    .leftJoin('mail_refusal as refusal', (join) =>
      join
        .onRef('refusal.org_id', '=', 'target.org_id')
        .onRef('refusal.target_id', '=', 'target.id')
        .on('refusal.address', '=', address),
    )
    .select(['org.name as org_name', 'notification.name as source_name'])
    .select(sql<boolean>`refusal.refused_at is not null`.as('is_refused'))
    .where('target.org_id', '=', orgId)
    .where('target.id', '=', targetId)
    .where('target.kind', '=', 'EMAIL')
    .executeTakeFirst();
}

export async function lockTarget(db: Db, org: string, targetId: string): Promise<void> {
  await db
    .selectFrom('notification_target')
    .select('id')
    .where('org_id', '=', org)
    .where('id', '=', targetId)
    .forNoKeyUpdate()
    .execute();
}

export async function insertRefusal(db: Db, { orgId, targetId, address }: Subscription, now: Date): Promise<void> {
  const refusal = { org_id: orgId, target_id: targetId, address, refused_at: now };
  await db.insertInto('mail_refusal').values(refusal).execute();
}

export async function dropWaiting(db: Db, { orgId, targetId, address }: Subscription, now: Date): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ state: 'dropped', ended_at: now })
    .where('org_id', '=', orgId)
    .where('target_id', '=', targetId)
    .where('address', '=', address)
    .where('state', '=', 'waiting')
    .execute();
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

export async function insertRefusalsOfSource(db: Db, org: string, sourceId: string): Promise<void> {
  await sql`
    insert into mail_refusal (org_id, target_id, address, refused_at)
    select target.org_id, target.id, email, min(refusal.refused_at)
    from notification_target as target
    cross join unnest(target.emails) as email
    join notification_target as earlier
      on earlier.org_id = target.org_id and earlier.source_id = target.source_id and earlier.kind = 'EMAIL'
    join mail_refusal as refusal
      on refusal.org_id = earlier.org_id and refusal.target_id = earlier.id and lower(refusal.address) = lower(email)
    where target.org_id = ${org} and target.source_id = ${sourceId} and target.removed_at is null
      and target.kind = 'EMAIL'
    group by target.org_id, target.id, email
    on conflict do nothing`.execute(db);
}
