import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { givenDelivery, givenNotification, givenTarget } from '../../../test/given/deliveries.ts';
import { startApi } from '../../../test/harness.ts';
import { newId } from '../../platform/ids.ts';
import { pruneMessages } from './delivery.tasks.ts';

const api = await startApi();
const DAY_MS = 24 * 3_600_000;

async function counted(table: 'message' | 'delivery' | 'delivery_attempt' | 'message_entry'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where org_id = ${api.org.id}`.execute(api.db);
  return rows[0]?.count ?? 0;
}

it('forgets what is older than 30 days, and keeps what waits', async () => {
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
    source_id: target.sourceId,
    trigger: 'ON_STARTED_TRAIL',
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
