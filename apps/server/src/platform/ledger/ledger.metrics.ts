import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import type { Metrics } from '../metrics.ts';
import { shareRunning } from '../share-running.ts';

interface SealerFigures {
  readonly pass: number;
  readonly sealed: number;
  readonly is_unsigned: boolean;
  readonly is_stopped: boolean;
  readonly checkpoints: number;
}

/** For operators: how far the sealer is behind the sequencer, and whether it signs. */
export function observeLedger(metrics: Metrics, db: Db): void {
  const readRows = shareRunning(() =>
    sql<SealerFigures>`
      select pass, sealed, not has_key as is_unsigned, stopped_at is not null as is_stopped,
        (select coalesce(max(number), 0) from region_checkpoint where epoch = sealer.epoch) as checkpoints
      from sealer`.execute(db),
  );
  const read = (value: (figures: SealerFigures) => number) => async () => {
    const { rows } = await readRows();
    return rows.map((figures) => ({ value: value(figures), labels: {} }));
  };
  metrics.observeSum(
    'ledger_sealer_passes_total',
    'Passes of the sealer',
    read(({ pass }) => pass),
  );
  metrics.observeSum(
    'ledger_sealed_entries_total',
    'Entries that are in the logs of their orgs',
    read(({ sealed }) => sealed),
  );
  metrics.observe(
    'ledger_checkpoints',
    'Checkpoints of the region log in the current epoch',
    read(({ checkpoints }) => checkpoints),
  );
  metrics.observe(
    'ledger_unsigned',
    '1 while there is no key to sign checkpoints with',
    read(({ is_unsigned }) => Number(is_unsigned)),
  );
  metrics.observe(
    'ledger_signing_stopped',
    '1 while signing is stopped, because the log would not extend an earlier checkpoint; must be 0',
    read(({ is_stopped }) => Number(is_stopped)),
  );
  observeLag(metrics, db);
}

function observeLag(metrics: Metrics, db: Db): void {
  metrics.observe('ledger_sealer_lag_entries', 'Entries in order that are not in the logs of their orgs', async () => {
    const { rows } = await sql<{ value: number }>`
      select coalesce(sum(head.size - coalesce(log.size, 0)), 0)::bigint as value
      from ledger_head as head left join org_log as log on log.org_id = head.org_id`.execute(db);
    return rows.map(({ value }) => ({ value, labels: {} }));
  });
  metrics.observe('ledger_unprovable_seconds', 'Age of the oldest entry that no signed checkpoint covers', async () => {
    const { rows } = await sql<{ value: number }>`
      select coalesce(extract(epoch from now() - min(entry.sequenced_at)), 0)::float8 as value
      from (
        select head.org_id, coalesce(signed.size, 0) as size
        from ledger_head as head
        left join org_log_checkpoint as signed
          on signed.org_id = head.org_id and signed.epoch = (select epoch from sealer)
        where head.size > coalesce(signed.size, 0) and (select has_key from sealer)
        limit 100
      ) as behind
      cross join lateral (
        select sequenced_at from ledger
        where ledger.org_id = behind.org_id and ledger.index = behind.size
        limit 1
      ) as entry`.execute(db);
    return rows.map(({ value }) => ({ value, labels: {} }));
  });
  metrics.observe(
    'ledger_stopped_orgs',
    'Orgs whose entries in the ledger are not what they were; must be 0',
    async () => {
      const { rows } = await sql<{ value: number }>`
      select count(org_id) as value from org_log where stopped_because is not null`.execute(db);
      return rows.map(({ value }) => ({ value, labels: {} }));
    },
  );
  metrics.observe(
    'ledger_archive_lag_leaves',
    'Signed leaves in full tiles that are not in the object store yet',
    async () => {
      const { rows } = await sql<{ value: number }>`
      select coalesce(sum(size / 256 * 256 - archived_size), 0)::bigint as value from (
        select size, archived_size from org_log_checkpoint where org_id is not null and epoch = (select epoch from sealer)
        union all
        select size, archived_size from region_log where epoch = (select epoch from sealer)
      ) as log`.execute(db);
      return rows.map(({ value }) => ({ value, labels: {} }));
    },
  );
}
