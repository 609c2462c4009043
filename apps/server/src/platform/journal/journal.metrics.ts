import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import type { Metrics } from '../metrics.ts';
import { shareRunning } from '../share-running.ts';

interface Lag {
  name: string;
  entries: number;
}

/** For operators: how far the sequencer, the publisher and each processor are behind, and what needs attention. */
export function observeJournal(metrics: Metrics, db: Db, { hasStream }: { hasStream: boolean }): void {
  observeSequencer(metrics, db);
  if (hasStream) observePublisher(metrics, db);
  observeProcessors(metrics, db);
}

interface SequencerState {
  readonly pass: number;
  readonly sequenced: number;
  readonly found_late: number;
  readonly waiting: number;
  readonly gaps: number;
  readonly oldest_gap: number;
}

function observeSequencer(metrics: Metrics, db: Db): void {
  const readRows = shareRunning(() =>
    sql<SequencerState>`
      select pass, sequenced, found_late,
        (
          select count(*) from (select org_id from journal where seq > sequencer.high_water limit 10000) as entry
        ) as waiting,
        (select count(*) from journal_gap) as gaps,
        (select coalesce(extract(epoch from now() - min(noticed_at)), 0)::float8 from journal_gap) as oldest_gap
      from sequencer`.execute(db),
  );
  const read = (value: (state: SequencerState) => number) => async () => {
    const { rows } = await readRows();
    return rows.map((state) => ({ value: value(state), labels: {} }));
  };
  metrics.observeSum(
    'journal_sequencer_passes_total',
    'Passes of the sequencer that put entries in order',
    read(({ pass }) => pass),
  );
  metrics.observeSum(
    'journal_sequenced_entries_total',
    'Entries that have their place in the order; divided by the passes, the size of a batch',
    read(({ sequenced }) => sequenced),
  );
  metrics.observe(
    'journal_sequencer_lag_entries',
    'Committed entries without a place in the order, up to 10,000',
    read(({ waiting }) => waiting),
  );
  metrics.observe(
    'journal_gaps',
    'Ranges of numbers that a running or rolled-back transaction has drawn',
    read(({ gaps }) => gaps),
  );
  metrics.observe(
    'journal_oldest_gap_seconds',
    'The age of the oldest of them: for how long a transaction that has written has been running',
    read(({ oldest_gap }) => oldest_gap),
  );
  metrics.observeSum(
    'journal_entries_found_late_total',
    'Entries that only the comparison of the journal with the ledger found; must be 0',
    read(({ found_late }) => found_late),
  );
}

function observePublisher(metrics: Metrics, db: Db): void {
  metrics.observe('journal_publisher_lag_entries', 'Entries in order that are not yet published', async () => {
    const { rows } = await sql<Lag>`
      select 'publisher' as name, sum(head.position - cursor.position)::bigint as entries
      from event_cursor as cursor join lane_head as head using (lane)`.execute(db);
    return rows.map(({ entries }) => ({ value: entries, labels: {} }));
  });
}

function observeProcessors(metrics: Metrics, db: Db): void {
  metrics.observe('journal_processor_lag_entries', 'Entries in order that are not yet applied', async () => {
    const { rows } = await sql<Lag>`
      select reached.processor as name, sum(head.position - reached.position)::bigint as entries
      from processor_position as reached join lane_head as head using (lane)
      group by reached.processor`.execute(db);
    return rows.map(({ name, entries }) => ({ value: entries, labels: { processor: name } }));
  });
  metrics.observe('journal_dead_letters', 'Entries waiting for an operator', async () => {
    const { rows } = await sql<Lag>`
      select processor as name, count(*)::bigint as entries from dead_letter
      where replayed_at is null group by processor`.execute(db);
    return rows.map(({ name, entries }) => ({ value: entries, labels: { processor: name } }));
  });
  metrics.observe('journal_stray_entries', 'Entries outside of every range; must be 0', async () => {
    const { rows } = await sql<Lag>`
      select 'stray' as name, count(*)::bigint as entries from (select from journal_default limit 10000) as stray`.execute(
      db,
    );
    return rows.map(({ entries }) => ({ value: entries, labels: {} }));
  });
}
