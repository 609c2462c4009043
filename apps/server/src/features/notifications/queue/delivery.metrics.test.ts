import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { givenNotification, givenTarget } from '../../../../test/given/deliveries.ts';
import { givenMetrics } from '../../../../test/given/metrics.ts';
import { startApi } from '../../../../test/harness.ts';
import { observeDeliveries } from './delivery.metrics.ts';

const api = await startApi();

it('exports how many targets wait, and how long the first of them has', async () => {
  const { metrics, read } = givenMetrics();
  observeDeliveries(metrics, api.db);
  const seconds = async () => (await read('delivery_oldest_due_seconds'))?.[0]?.value;
  expect(await read('delivery_due_targets')).toEqual([]);
  expect(await seconds()).toBe(0);

  const sourceId = await givenNotification(api, 1);
  for (const state of [
    sql`due_at = now() - interval '1 minute'`,
    sql`due_at = now() - interval '1 hour', failures = 3, paused_until = now() - interval '10 seconds'`,
    sql`due_at = now() - interval '1 hour', paused_until = now() + interval '10 seconds'`,
    sql`due_at = now() - interval '1 hour', held_until = now() + interval '10 seconds'`,
    sql`due_at = now() + interval '1 hour'`,
  ]) {
    const { id } = await givenTarget(api, { sourceId });
    await sql`update target_state set ${state} where org_id = ${api.org.id} and target_id = ${id}`.execute(api.db);
  }
  expect(await read('delivery_due_targets')).toEqual(
    expect.arrayContaining([
      { value: 1, labels: { failing: 'false' } },
      { value: 1, labels: { failing: 'true' } },
    ]),
  );
  expect(await seconds()).toBeGreaterThanOrEqual(60);
  expect(await seconds()).toBeLessThan(120);
});
