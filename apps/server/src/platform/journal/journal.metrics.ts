import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import type { Metrics } from '../metrics.ts';

interface Lag {
  name: string;
  entries: number;
}

/** For operators: how far the relay and each processor are behind, and what needs attention. */
export function observeJournal(metrics: Metrics, db: Db, { hasStream }: { hasStream: boolean }): void {
  if (hasStream) observeRelay(metrics, db);
  observeProcessors(metrics, db);
}

function observeRelay(metrics: Metrics, db: Db): void {
  metrics.observe(
    'journal_relay_lag_entries',
    'Committed entries not yet published, up to 10,000 per lane',
    async () => {
      const { rows } = await sql<Lag>`
      select 'relay' as name, count(*)::bigint as entries from relay_cursor as cursor
      cross join lateral (
        select 1 from journal where lane = cursor.lane and (xid, seq) > (cursor.xid, cursor.seq) limit 10000
      ) as entry`.execute(db);
      return rows.map(({ entries }) => ({ value: entries, labels: {} }));
    },
  );
}

function observeProcessors(metrics: Metrics, db: Db): void {
  metrics.observe(
    'journal_processor_lag_entries',
    'Committed entries not yet applied, up to 10,000 per lane',
    async () => {
      const { rows } = await sql<Lag>`
      select position.processor as name, count(entry.*)::bigint as entries
      from processor_position as position
      left join lateral (
        select 1 from journal where lane = position.lane and (xid, seq) > (position.xid, position.seq) limit 10000
      ) as entry on true
      group by position.processor`.execute(db);
      return rows.map(({ name, entries }) => ({ value: entries, labels: { processor: name } }));
    },
  );
  metrics.observe('journal_dead_letters', 'Entries waiting for an operator', async () => {
    const { rows } = await sql<Lag>`
      select processor as name, count(*)::bigint as entries from dead_letter
      where replayed_at is null group by processor`.execute(db);
    return rows.map(({ name, entries }) => ({ value: entries, labels: { processor: name } }));
  });
  metrics.observe('journal_stray_entries', 'Entries outside of every partition; must be 0', async () => {
    const { rows } = await sql<Lag>`
      select 'stray' as name, count(*)::bigint as entries from (select from journal_default limit 10000) as stray`.execute(
      db,
    );
    return rows.map(({ entries }) => ({ value: entries, labels: {} }));
  });
}
