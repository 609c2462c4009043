import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Metrics } from '../../../platform/metrics.ts';

/** Shows operators whether re-evaluations keep up, and which need attention. */
export function observeReevaluations(metrics: Metrics, db: Db): void {
  metrics.observe('reevaluations_waiting', 'Pending re-evaluations, up to 10,000', async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*) as waiting from (
        select org_id from environment_reevaluation where given_up_at is null limit 10000) as row`.execute(db);
    return rows.map(({ waiting }) => ({ value: waiting, labels: {} }));
  });
  metrics.observe('reevaluation_oldest_due_seconds', 'How long the first due re-evaluation has waited', async () => {
    const { rows } = await sql<{ seconds: number }>`
      select coalesce(extract(epoch from now() - min(requested_at)), 0)::float8 as seconds
      from (
        select requested_at from environment_reevaluation
        where given_up_at is null and requested_at <= now() and org_id is not null
        order by requested_at limit 1
      ) as oldest`.execute(db);
    return rows.map(({ seconds }) => ({ value: seconds, labels: {} }));
  });
  metrics.observe('reevaluation_dead_letters', 'Environments whose re-evaluation was abandoned', async () => {
    const { rows } = await sql<{ environments: number }>`
      select count(distinct (org_id, environment_id)) as environments from environment_reevaluation
      where given_up_at is not null`.execute(db);
    return rows.map(({ environments }) => ({ value: environments, labels: {} }));
  });
}
