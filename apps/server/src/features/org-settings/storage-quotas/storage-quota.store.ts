import { STORAGE_WARNING_PERCENT } from '@waymark/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { StorageQuota } from '../../../platform/http/storage-quota.ts';
import { laneOf } from '../../../platform/journal/lanes.ts';
import type { Entry } from '../../../platform/journal/processor.ts';

/** Entry types that add to what an org stores. */
export const COUNTED_TYPES = {
  attestations: ['attestation.recorded', 'attestation.overridden'],
  artifacts: ['artifact.reported'],
  approvals: ['approval.recorded'],
  trails: ['trail.begun', 'trail.updated'],
  snapshots: ['snapshot.recorded'],
} as const;

/**
 * The rows and bytes that entries added, by org, from a relation `entry`. An updated trail's earlier content is only in
 * the journal. Sizes of texts are known without reading them.
 */
const ADDED = sql`
  select entry.org_id, 1 + coalesce((
      select stored_rows from sbom where sbom.org_id = entry.org_id and sbom.attestation_id = entry.subject_id
    ), 0) as rows, coalesce(octet_length(content), 0) + octet_length(verdict) + coalesce((
      select stored_bytes from attestation_reading as reading
      where reading.org_id = entry.org_id and reading.attestation_id = entry.subject_id
    ), 0) as bytes
  from entry join attestation on attestation.org_id = entry.org_id and attestation.id = entry.subject_id
  where entry.type = any(${COUNTED_TYPES.attestations})
  union all
  select entry.org_id, 1, octet_length(content)
  from entry join artifact on artifact.org_id = entry.org_id and artifact.id = entry.subject_id
  where entry.type = any(${COUNTED_TYPES.artifacts})
  union all
  select entry.org_id, 1, octet_length(content)
  from entry join approval on approval.org_id = entry.org_id and approval.id = entry.subject_id
  where entry.type = any(${COUNTED_TYPES.approvals})
  union all
  select entry.org_id, 1, coalesce(octet_length(payload), 0)
  from entry join journal on journal.org_id = entry.org_id and journal.seq = entry.seq
  where entry.type = any(${COUNTED_TYPES.trails})`;

/**
 * Counts what entries added. A snapshot has several entries and is counted with the first: how far each environment is
 * counted is stored.
 */
export async function addToStorage(db: Db, entries: readonly Entry[]): Promise<void> {
  await sql`
    with entry as materialized (
      select * from unnest(
        ${entries.map(({ org_id }) => org_id)}::uuid[], ${entries.map(({ seq }) => seq)}::bigint[],
        ${entries.map(({ type }) => type)}::text[], ${entries.map(({ subject_id }) => subject_id)}::uuid[]
      ) as entry (org_id, seq, type, subject_id)
    ), environment as (
      select distinct org_id, subject_id as environment_id from entry where type = any(${COUNTED_TYPES.snapshots})
    ), snapshots as materialized (
      select org_id, environment_id, max(snapshot.index) as index, sum(stored_rows) as rows, sum(stored_bytes) as bytes
      from environment
      left join counted_snapshot as counted using (org_id, environment_id)
      join snapshot using (org_id, environment_id)
      where snapshot.index > coalesce(counted.index, 0)
      group by org_id, environment_id
    ), moved as (
      insert into counted_snapshot (org_id, environment_id, index)
      select org_id, environment_id, index from snapshots
      on conflict (org_id, environment_id) do update set index = excluded.index
    ), added as (
      ${ADDED}
      union all
      select org_id, rows, bytes from snapshots
    )
    insert into org_storage (org_id, content_bytes, row_count)
    select org_id, sum(bytes), sum(rows) from added group by org_id order by org_id
    on conflict (org_id) do update set content_bytes = org_storage.content_bytes + excluded.content_bytes,
      row_count = org_storage.row_count + excluded.row_count`.execute(db);
}

/** Inserts the row of an org that stores nothing yet. */
export async function ensureStorage(db: Db, org: string): Promise<void> {
  await db
    .insertInto('org_storage')
    .values({ org_id: org })
    .onConflict((row) => row.doNothing())
    .execute();
}

/** Prevents the processor from counting this org until the transaction ends. */
export async function lockCounting(db: Db, org: string, processor: string): Promise<void> {
  await sql`
    select from processor_position
    where processor = ${processor} and lane = ${laneOf(org)} for update`.execute(db);
  await ensureStorage(db, org);
  await sql`select from org_storage where org_id = ${org} for update`.execute(db);
}

/**
 * Recounts everything the org stores, except what the processor has yet to count. One statement, so that it sees one
 * moment.
 */
export async function recountStorage(db: Db, org: string, processor: string): Promise<void> {
  await sql`
    with entry as materialized (
      select journal.org_id, journal.seq, journal.type, journal.subject_id from journal
      where journal.org_id = ${org} and not exists (
        select from ledger join processor_position as reached
          on reached.processor = ${processor} and reached.lane = ledger.lane and reached.position >= ledger.position
        where ledger.org_id = journal.org_id and ledger.entry_seq = journal.seq
      )
    ), waiting as (
      select coalesce(sum(rows), 0) as rows, coalesce(sum(bytes), 0) as bytes from (${ADDED}) as added
    ), counted as (
      insert into counted_snapshot (org_id, environment_id, index)
      select org_id, environment_id, max(index) from snapshot where org_id = ${org} group by org_id, environment_id
      on conflict (org_id, environment_id) do update set index = excluded.index
    ), stored as (
      select count(*) as rows, sum(coalesce(octet_length(content), 0) + octet_length(verdict)) as bytes
      from attestation where org_id = ${org}
      union all
      select count(*), 0 from component where org_id = ${org}
      union all
      select 0, sum(octet_length(content)) from reading where org_id = ${org}
      union all
      select count(*), sum(octet_length(content)) from artifact where org_id = ${org}
      union all
      select count(*), sum(octet_length(content)) from approval where org_id = ${org}
      union all
      select count(*), sum(octet_length(payload)) from journal
      where org_id = ${org} and type = any(${COUNTED_TYPES.trails})
      union all
      select sum(stored_rows), sum(stored_bytes) from snapshot where org_id = ${org}
    )
    update org_storage set
      file_bytes = (select coalesce(sum(size), 0) from evidence_file where org_id = ${org}),
      content_bytes = (select coalesce(sum(bytes), 0) from stored) - (select bytes from waiting),
      row_count = (select coalesce(sum(rows), 0) from stored) - (select rows from waiting)
    where org_id = ${org}`.execute(db);
}

/** Subtracts what was erased of something that an entry added, if it was counted. In a transaction that locked counting. */
export async function subtractFromStorage(
  db: Db,
  org: string,
  processor: string,
  { entrySeq, bytes, rows }: { readonly entrySeq: number; readonly bytes: number; readonly rows: number },
): Promise<void> {
  await sql`
    update org_storage set content_bytes = greatest(content_bytes - ${bytes}::bigint, 0),
      row_count = greatest(row_count - ${rows}::bigint, 0)
    where org_id = ${org} and exists (
      select from ledger join processor_position as reached
        on reached.processor = ${processor} and reached.lane = ledger.lane and reached.position >= ledger.position
      where ledger.org_id = ${org} and ledger.entry_seq = ${entrySeq})`.execute(db);
}

/** Orgs whose admins should be warned, or whose warning has passed. */
export async function listMoved(db: Db, standard: StorageQuota, limit: number): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`
    select storage.org_id from org_storage as storage join org on org.id = storage.org_id
    cross join lateral (
      select coalesce(org.storage_quota_bytes, ${standard.bytes}::bigint) as bytes,
        coalesce(org.storage_quota_rows, ${standard.rows}::bigint) as rows
    ) as quota
    where org.storage_warned_percent <> case
      when file_bytes + content_bytes >= quota.bytes or row_count >= quota.rows then 100
      when (file_bytes + content_bytes) * 100 >= quota.bytes * ${STORAGE_WARNING_PERCENT}::bigint
        or row_count * 100 >= quota.rows * ${STORAGE_WARNING_PERCENT}::bigint then ${STORAGE_WARNING_PERCENT}
      else 0 end
    limit ${limit}`.execute(db);
  return rows.map(({ org_id }) => org_id);
}
