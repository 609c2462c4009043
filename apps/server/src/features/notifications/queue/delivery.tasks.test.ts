import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { givenDelivery, givenNotification, givenTarget } from '../../../../test/given/deliveries.ts';
import { startApi } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';
import { pruneMessages, wakeTargets } from './delivery.tasks.ts';

const api = await startApi();
const DAY_MS = 24 * 3_600_000;

async function counted(table: 'message' | 'delivery' | 'delivery_attempt' | 'message_entry'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where org_id = ${api.org.id}`.execute(api.db);
  return rows[0]?.count ?? 0;
}

it('deletes messages older than 30 days, and retains what waits', async () => {
  const target = await givenTarget(api, { sourceId: await givenNotification(api, 1) });
  const old = new Date(Date.now() - 30 * DAY_MS - 60_000);
  const young = new Date(Date.now() - 30 * DAY_MS + 60_000);
  const ids = [
    await givenDelivery(api, target, { at: old, state: 'delivered' }),
    await givenDelivery(api, target, { at: old, state: 'waiting' }),
    await givenDelivery(api, target, { at: young, state: 'failed' }),
  ];
  const attempts = ids.map((delivery_id) => ({
    org_id: api.org.id,
    delivery_id,
    no: 1,
    at: old,
    request_id: newId(),
    outcome: 'failed' as const,
    status: 500,
    latency_ms: 1,
    error: 'x',
  }));
  await api.db.insertInto('delivery_attempt').values(attempts).execute();
  const entries = [old, young].map((created_at) => ({
    org_id: api.org.id,
    entry_id: newId(),
    trigger: 'ON_STARTED_TRAIL',
    sources: [target.sourceId],
    created_at,
  }));
  await api.db.insertInto('message_entry').values(entries).execute();

  for (let run = 0; run < 2; run++) {
    await pruneMessages.run(api.db);
    const left = await api.db.selectFrom('delivery').select('id').where('org_id', '=', api.org.id).execute();
    expect(left.map(({ id }) => id).sort()).toEqual(ids.slice(1).sort());
    expect([await counted('message'), await counted('delivery_attempt'), await counted('message_entry')]).toEqual([
      2, 2, 1,
    ]);
  }
});

it('retains what is redelivered at the same moment', async () => {
  const target = await givenTarget(api, { sourceId: await givenNotification(api, 2) });
  const old = new Date(Date.now() - 31 * DAY_MS);
  const id = await givenDelivery(api, target, { at: old });
  const stays = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const redelivering = api.db.transaction().execute(async (db) => {
    await sql`update delivery set state = 'waiting' where org_id = ${api.org.id} and id = ${id}`.execute(db);
    begun.resolve();
    await stays.promise;
  });
  await begun.promise;
  const pruning = pruneMessages.run(api.db);
  await Promise.race([pruning, new Promise((resolve) => setTimeout(resolve, 300))]);
  stays.resolve();
  await Promise.all([redelivering, pruning]);
  const left = api.db.selectFrom('delivery').select('state').where('org_id', '=', api.org.id).where('id', '=', id);
  expect(await left.execute()).toEqual([{ state: 'waiting' }]);
});

it('finds deliveries of a target that no worker polls', async () => {
  const sourceId = await givenNotification(api, 3);
  const [forgotten, paused, due, idle] = [
    await givenTarget(api, { sourceId }),
    await givenTarget(api, { sourceId }),
    await givenTarget(api, { sourceId }),
    await givenTarget(api, { sourceId }),
  ];
  for (const target of [forgotten, paused, due]) await givenDelivery(api, target, { state: 'waiting' });
  await givenDelivery(api, idle, { state: 'failed' });
  const later = new Date(Date.now() + DAY_MS);
  await sql`update target_state set paused_until = ${later} where org_id = ${api.org.id} and target_id = ${paused.id}`.execute(
    api.db,
  );
  await sql`update target_state set due_at = ${later} where org_id = ${api.org.id} and target_id = ${due.id}`.execute(
    api.db,
  );
  await wakeTargets.run(api.db);
  const rows = api.db.selectFrom('target_state').select(['target_id', 'due_at']).where('org_id', '=', api.org.id);
  const dueOf = new Map((await rows.execute()).map(({ target_id, due_at }) => [target_id, due_at]));
  expect(dueOf.get(forgotten.id)?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  expect([dueOf.get(paused.id), dueOf.get(due.id), dueOf.get(idle.id)]).toEqual([later, later, null]);
});
