import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { shareRunning } from '../../platform/share-running.ts';

interface Found {
  readonly problems: number;
  readonly orgs: number;
  readonly oldest: number;
}

/** For operators: whether the records are as the ledger says, and how long ago that was last compared. */
export function observeLedgerChecks(metrics: Metrics, db: Db): void {
  const readRows = shareRunning(() =>
    sql<Found>`
      select (coalesce(sum(greatest(problems, found)), 0) + coalesce((select problems from region_check), 0))::bigint as problems,
        count(*) filter (where greatest(problems, found) > 0)::integer as orgs,
        coalesce(extract(epoch from now() - min(coalesce(at, began_at))), 0)::float8 as oldest
      from ledger_check where org_id = org_id`.execute(db),
  );
  const read = (value: (found: Found) => number) => async () => {
    const { rows } = await readRows();
    return rows.map((found) => ({ value: value(found), labels: {} }));
  };
  metrics.observe(
    'ledger_check_problems',
    'Differences between the ledger and the records that the last self-checks found; must be 0',
    read(({ problems }) => problems),
  );
  metrics.observe(
    'ledger_check_oldest_seconds',
    'The age of the oldest self-check among those of all orgs',
    read(({ oldest }) => oldest),
  );
}
