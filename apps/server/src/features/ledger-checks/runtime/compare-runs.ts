import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { OnDifference } from '../difference.ts';
import { FIRST_UNSEQUENCED } from '../order/unsequenced.ts';

interface Totals {
  readonly id: string;
  readonly snapshot_count: number;
  readonly run_count: number;
  readonly compliance: string;
  readonly snapshots: number;
  readonly highest: number | null;
  readonly latest: string | null;
  readonly recorded: number | null;
}

/** Compares what an environment counts with its snapshots, and finds rows of snapshots that do not exist. */
export async function compareRuns(db: Db, org: string, onDifference: OnDifference): Promise<void> {
  const { rows } = await sql<Totals>`
    select environment.id, snapshot_count, run_count, environment.compliance,
      (select count(*) from snapshot where org_id = ${org} and environment_id = environment.id) as snapshots,
      (select max(no) from running where org_id = ${org} and environment_id = environment.id) as highest,
      (select compliance from snapshot where org_id = ${org} and environment_id = environment.id
       order by index desc limit 1) as latest,
      (select substring(readable_json(payload) ->> 'index' from '^[0-9]{1,9}$')::integer
       from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
       where ledger.org_id = ${org} and journal.org_id = ${org} and ledger.subject_id = environment.id
         and journal.type = 'snapshot.recorded' and payload is not null
       order by ledger.entry_seq desc limit 1) as recorded
    from environment where environment.org_id = ${org} and not exists (
      select from journal
      where journal.org_id = ${org} and seq > ${FIRST_UNSEQUENCED} and journal.subject_id = environment.id)
    order by environment.id`.execute(db);
  for (const found of rows) compareTotals(org, found, onDifference);
  await findSnapshotsOfNothing(db, org, onDifference);
  await findRowsOfNoSnapshot(db, org, onDifference);
}

function compareTotals(org: string, found: Totals, report: OnDifference): void {
  const { id, snapshots, recorded, snapshot_count, run_count, highest, compliance, latest } = found;
  const about = { org, table: 'environment', row: id, index: null };
  if (snapshots !== (recorded ?? 0))
    report({
      ...about,
      table: 'snapshot',
      column: null,
      says: `there are ${snapshots}, but the entries record ${recorded ?? 0}`,
    });
  if (snapshot_count !== (recorded ?? 0))
    report({
      ...about,
      column: 'snapshot_count',
      says: `is ${snapshot_count}, but the entries record ${recorded ?? 0}`,
    });
  if (run_count !== (highest ?? 0))
    report({ ...about, column: 'run_count', says: `is ${run_count}, but its last run has number ${highest ?? 0}` });
  if (compliance !== (latest ?? 'unknown'))
    report({
      ...about,
      column: 'compliance',
      says: `is ${compliance}, but its latest snapshot is ${latest ?? 'unknown'}`,
    });
}

async function findSnapshotsOfNothing(db: Db, org: string, report: OnDifference): Promise<void> {
  const { rows } = await sql<{ environment_id: string; index: number }>`
    select environment_id, index from snapshot where org_id = ${org} and not exists (
      select from environment where environment.org_id = ${org} and environment.id = snapshot.environment_id)
    limit 1000`.execute(db);
  for (const { environment_id, index } of rows) {
    const about = { org, table: 'snapshot', row: `${environment_id} ${index}`, column: null, index: null };
    report({ ...about, says: 'is of an environment that does not exist' });
  }
}

const OF_SNAPSHOTS = ['running', 'running_instances', 'running_verdict'] as const;

async function findRowsOfNoSnapshot(db: Db, org: string, report: OnDifference): Promise<void> {
  for (const table of OF_SNAPSHOTS) {
    const { rows } = await sql<{ environment_id: string; no: number; from_index: number; until_index: number | null }>`
      select environment_id, no, from_index, until_index from ${sql.id(table)} as stored
      where org_id = ${org} and (
        not exists (select from snapshot where snapshot.org_id = ${org}
          and snapshot.environment_id = stored.environment_id and snapshot.index = stored.from_index)
        or until_index is not null and not exists (select from snapshot where snapshot.org_id = ${org}
          and snapshot.environment_id = stored.environment_id and snapshot.index = stored.until_index)
        or until_index <= from_index)
      limit 1000`.execute(db);
    for (const { environment_id, no, from_index, until_index } of rows) {
      const row = `${environment_id} ${no} ${from_index}`;
      const says = `is from snapshot ${from_index} until ${until_index ?? 'now'}, which do not exist`;
      report({ org, table, row, column: null, index: null, says });
    }
  }
}
