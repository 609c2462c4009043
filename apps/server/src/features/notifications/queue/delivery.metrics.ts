import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Metrics } from '../../../platform/metrics.ts';

/** For operators: whether workers keep up with the queue. Targets that a worker is sending to are left out. */
export function observeDeliveries(metrics: Metrics, db: Db): void {
  metrics.observe('delivery_due_targets', 'Targets with messages due now, up to 10,000', async () => {
    const { rows } = await sql<{ failing: boolean; targets: number }>`
      select failures > 0 as failing, count(*) as targets from (${waiting}) as due group by 1`.execute(db);
    return rows.map(({ failing, targets }) => ({ value: targets, labels: { failing: String(failing) } }));
  });
  metrics.observe('delivery_oldest_due_seconds', 'How long the first target with messages due has waited', async () => {
    const { rows } = await sql<{ seconds: number }>`
      select coalesce(extract(epoch from now() - min(since)), 0)::float8 as seconds from (${waiting}) as due`.execute(
      db,
    );
    return rows.map(({ seconds }) => ({ value: seconds, labels: {} }));
  });
}

const waiting = sql`
  select org_id, failures, greatest(due_at, paused_until) as since
  from target_state
  where due_at <= now() and (paused_until is null or paused_until <= now()) and (held_until is null or held_until < now())
  order by due_at
  limit 10000`;
