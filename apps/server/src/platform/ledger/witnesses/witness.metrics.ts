import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { Metrics } from '../../metrics.ts';
import { shareRunning } from '../../share-running.ts';

interface WitnessFigures {
  readonly name: string;
  readonly cosignatures: number;
  readonly failures: number;
  readonly contradicts: boolean;
  readonly delay_seconds: number;
  readonly lag_seconds: number;
  readonly size: number;
}

/** For operators: whether witnesses cosign, and how long after a checkpoint was signed. */
export function observeWitnesses(metrics: Metrics, db: Db): void {
  const readRows = shareRunning(() =>
    sql<WitnessFigures>`
      select name, cosignatures, failures, contradicts, size, delay_ms::float8 / 1000 as delay_seconds,
        coalesce((
          select extract(epoch from now() - signed_at) from region_checkpoint as later
          where later.epoch = newest.epoch
            and later.size > case when witness.epoch = newest.epoch then witness.size else 0 end
          order by later.size limit 1
        ), 0)::float8 as lag_seconds
      from witness left join lateral (
        select epoch from region_checkpoint order by epoch desc, number desc limit 1
      ) as newest on true`.execute(db),
  );
  const read = (value: (witness: WitnessFigures) => number) => async () => {
    const { rows } = await readRows();
    return rows.map((witness) => ({ value: value(witness), labels: { witness: witness.name } }));
  };
  metrics.observeSum(
    'ledger_witness_cosignatures_total',
    'Cosignatures of a witness',
    read(({ cosignatures }) => cosignatures),
  );
  metrics.observeSum(
    'ledger_witness_delay_seconds_total',
    'From signed to cosigned; divided by the cosignatures, the delay of one',
    read(({ delay_seconds }) => delay_seconds),
  );
  metrics.observeSum(
    'ledger_witness_failures_total',
    'Requests to a witness that failed',
    read(({ failures }) => failures),
  );
  metrics.observe(
    'ledger_witness_lag_seconds',
    'Age of the oldest checkpoint that a witness has not cosigned, itself or by a later one; 0 for none',
    read(({ lag_seconds }) => lag_seconds),
  );
  metrics.observe(
    'ledger_witness_cosigned_size',
    'Size of the region log that a witness cosigned last',
    read(({ size }) => size),
  );
  metrics.observe(
    'ledger_witness_contradicts',
    '1 if a witness has cosigned what is not in the region log: alert on it',
    read(({ contradicts }) => (contradicts ? 1 : 0)),
  );
}
