import { sql } from 'kysely';
import type { Db } from '../../src/platform/db/db.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TestApi } from '../harness.ts';
import { contentOf, type GivenTarget } from './deliveries.ts';

/** Messages that were just numbered, each with one delivery that waits for the target. Returns their ids. */
export async function givenWaiting(
  api: TestApi,
  target: GivenTarget,
  count = 1,
  address: string | null = null,
): Promise<string[]> {
  const { id, org, sourceId, configType } = target;
  const at = api.clock.now;
  const ids = Array.from({ length: count }, () => ({ message: newId(), delivery: newId() }));
  const scope = newId();
  await inOne(api.db, async (db) => {
    const messages = ids.map(({ message }, i) => ({
      org_id: org.id,
      id: message,
      source_id: sourceId,
      config_type: configType,
      scope_id: scope,
      trigger: 'ON_NON_COMPLIANT_ENV',
      sequence: i + 1,
      count: 1,
      content: JSON.stringify(contentOf()),
      created_at: at,
      open_until: null,
    }));
    await db.insertInto('message').values(messages).execute();
    const deliveries = ids.map(({ message, delivery }) => ({
      org_id: org.id,
      id: delivery,
      target_id: id,
      message_id: message,
      address,
      state: 'waiting' as const,
      due_at: at,
      created_at: at,
    }));
    await db.insertInto('delivery').values(deliveries).execute();
    await db
      .updateTable('target_state')
      .set({ due_at: sql`least(due_at, ${at}::timestamptz)` })
      .where('org_id', '=', org.id)
      .where('target_id', '=', id)
      .execute();
  });
  return ids.map(({ delivery }) => delivery);
}

function inOne(db: Db, work: (db: Db) => Promise<void>): Promise<void> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

export function deliveryRow(api: TestApi, id: string, org: string = api.org.id) {
  return api.db
    .selectFrom('delivery')
    .selectAll()
    .where('org_id', '=', org)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

export function attemptRows(api: TestApi, delivery: string, org: string = api.org.id) {
  return api.db
    .selectFrom('delivery_attempt')
    .selectAll()
    .where('org_id', '=', org)
    .where('delivery_id', '=', delivery)
    .orderBy('no')
    .execute();
}

export function stateRow(api: TestApi, { id, org }: GivenTarget) {
  return api.db
    .selectFrom('target_state')
    .selectAll()
    .where('org_id', '=', org.id)
    .where('target_id', '=', id)
    .executeTakeFirstOrThrow();
}
