import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { Metrics } from '../../metrics.ts';
import { shareRunning } from '../../share-running.ts';

/** For operators: whether checkpoints get time stamps. */
export function observeTimeStamps(metrics: Metrics, db: Db): void {
  const readRows = shareRunning(() =>
    sql<{ stamps: number; failures: number; is_failing: boolean }>`
      select stamps, failures, error is not null as is_failing from time_stamping`.execute(db),
  );
  const read = (column: 'stamps' | 'failures' | 'is_failing') => async () => {
    const { rows } = await readRows();
    return rows.map((row) => ({ value: Number(row[column]), labels: {} }));
  };
  metrics.observeSum('ledger_time_stamps_total', 'Time stamps that were stored', read('stamps'));
  metrics.observeSum(
    'ledger_time_stamp_failures_total',
    'Requests to the authority for time stamps that failed',
    read('failures'),
  );
  metrics.observe('ledger_time_stamp_failing', '1 if the last request for a time stamp failed', read('is_failing'));
  metrics.observe(
    'ledger_time_stamp_age_seconds',
    'Age of the newest time stamp; no value before the first',
    async () => {
      const { rows } = await sql<{ value: number }>`
      select extract(epoch from now() - stamped_at)::float8 as value from time_stamp
      order by epoch desc, number desc limit 1`.execute(db);
      return rows.map(({ value }) => ({ value, labels: {} }));
    },
  );
}
