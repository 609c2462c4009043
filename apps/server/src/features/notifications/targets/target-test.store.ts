import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';

export async function findNotificationName(db: Db, org: string, id: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('notification')
    .select('name')
    .where('org_id', '=', org)
    .where('id', '=', id)
    .executeTakeFirst();
  return found?.name;
}

/** Counts the change, and locks the target until the transaction ends. */
export async function updateRevision(db: Db, org: string, id: string): Promise<number | undefined> {
  const updated = await db
    .updateTable('notification_target')
    .set((is) => ({ revision: is('revision', '+', 1) }))
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .returning('revision')
    .executeTakeFirst();
  return updated?.revision;
}

/** Whether a test that began after `since` has not ended. */
export async function hasTestUnderWay(db: Db, org: string, targetId: string, since: Date): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from delivery d
      join message m on m.org_id = d.org_id and m.id = d.message_id
      where d.org_id = ${org} and d.target_id = ${targetId} and d.created_at > ${since}
        and m.trigger = 'TEST' and d.ended_at is null
    ) as found`.execute(db);
  return rows[0]?.found === true;
}

/** When tests began after `since`, the newest first. */
export async function listTestTimes(db: Db, org: string, targetId: string, since: Date): Promise<Date[]> {
  const { rows } = await sql<{ began: Date }>`
    select m.created_at as began
    from delivery d
    join message m on m.org_id = d.org_id and m.id = d.message_id
    where d.org_id = ${org} and d.target_id = ${targetId} and d.created_at > ${since} and m.trigger = 'TEST'
    group by m.id, m.created_at
    order by m.created_at desc`.execute(db);
  return rows.map(({ began }) => began);
}

export async function listRefused(db: Db, org: string, targetId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('mail_refusal')
    .select('address')
    .where('org_id', '=', org)
    .where('target_id', '=', targetId)
    .execute();
  return new Set(rows.map(({ address }) => address));
}

export interface NewTest {
  readonly messageId: string;
  readonly sourceId: string;
  readonly configType: 'api_key_expiry' | null;
  readonly targetId: string;
  readonly content: string;
  readonly deliveries: readonly { readonly id: string; readonly address: string | null }[];
  readonly now: Date;
}

/** It is not queued: the caller sends it, and if that fails, it was not sent. */
export async function insertTest(db: Db, org: string, test: NewTest): Promise<void> {
  await db
    .insertInto('message')
    .values({
      org_id: org,
      id: test.messageId,
      source_id: test.sourceId,
      config_type: test.configType,
      scope_id: org,
      trigger: 'TEST',
      sequence: null,
      count: 1,
      content: test.content,
      created_at: test.now,
      open_until: null,
    })
    .execute();
  await db
    .insertInto('delivery')
    .values(
      test.deliveries.map(({ id, address }) => ({
        org_id: org,
        id,
        target_id: test.targetId,
        message_id: test.messageId,
        address,
        state: 'failed' as const,
        due_at: test.now,
        created_at: test.now,
      })),
    )
    .execute();
}

/** A test is tried once, whatever the outcome. */
export async function endTest(db: Db, org: string, deliveries: readonly string[], now: Date): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ ended_at: now })
    .where('org_id', '=', org)
    .where(sql<SqlBool>`id = any(${deliveries}::uuid[])`)
    .where('ended_at', 'is', null)
    .execute();
}
