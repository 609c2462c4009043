import type { Db } from '../../../platform/db/db.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import { appendEntryFrom, type attribution } from '../../../platform/journal/journal.ts';
import { OF_ENVIRONMENT } from '../read/run-intervals.reads.ts';
import type { EnvironmentState } from './current-runs.reads.ts';

/** A snapshot that a report makes. */
export interface ReportedSnapshot {
  readonly index: number;
  readonly created_at: Date;
  readonly compliance: EnvironmentState['compliance'];
  readonly artifact_count: number;
  readonly compliant_count: number;
  readonly non_compliant_count: number;
  readonly event_total: number;
  readonly policy_set_id: string | null;
  readonly run_count: number;
  readonly content_digest: Buffer;
  readonly started_no: readonly number[];
  readonly started_fingerprint: readonly string[];
  readonly started_name: readonly string[];
  readonly started_lineage: readonly string[];
  /** Arrays of different lengths, as PostgreSQL writes them. */
  readonly started_deployments: readonly string[];
  readonly started_artifacts: readonly string[];
  readonly started_replaced: readonly (number | null)[];
  readonly started_compliance: readonly RunCompliance[];
  readonly started_evidence: readonly (string | null)[];
  readonly started_decisions: readonly string[];
  readonly started_waiver: readonly (string | null)[];
  readonly started_count: readonly number[];
  readonly started_detail: readonly string[];
  readonly exited_no: readonly number[];
  readonly restated_no: readonly number[];
  readonly restated_count: readonly number[];
  readonly restated_detail: readonly string[];
}

/** Parameters of a statement that appends one journal entry or several. */
export interface EntryParams extends ReturnType<typeof attribution> {
  readonly [param: string]: unknown;
  readonly environment_id: string;
  readonly entry_type: string;
  readonly entry_version: number;
  readonly entry_ids: readonly string[];
  readonly payloads: readonly string[];
  readonly nonces: readonly Buffer[];
  readonly digests: readonly Buffer[];
}

/** The revision of the environment includes the entries already. */
const APPEND_ENTRIES = `entry as (
     select moved.id as subject_id, moved.revision - cardinality(:entry_ids::uuid[]) + sealed.place as subject_seq, sealed.*
     from moved cross join unnest(:entry_ids::uuid[], :payloads::text[], :nonces::bytea[], :digests::bytea[])
       with ordinality as sealed (entry_id, payload, nonce, digest, place)
   ), recorded as (${appendEntryFrom('entry order by place', {
     subjectKind: 'environment',
     id: 'entry_id',
     type: ':entry_type::text',
     version: ':entry_version::integer',
     payload: 'payload',
     nonce: 'nonce',
     digest: 'digest',
   })}
   )`;

/** Writes a snapshot in one round trip: rows for changes, and nothing for what stayed. */
export const insertSnapshot = statement<ReportedSnapshot & EntryParams, never>(
  'record_snapshot',
  `with ended as (
     update running set until_index = :index::integer
     where ${OF_ENVIRONMENT} and until_index is null and no = any(:exited_no::integer[])
   ), ended_instances as (
     update running_instances set until_index = :index::integer
     where ${OF_ENVIRONMENT} and until_index is null and no = any(:exited_no::integer[] || :restated_no::integer[])
   ), ended_verdicts as (
     update running_verdict set until_index = :index::integer
     where ${OF_ENVIRONMENT} and until_index is null and no = any(:exited_no::integer[])
   ), started as materialized (
     select * from unnest(:started_no::integer[], :started_fingerprint::text[], :started_name::text[],
       :started_lineage::text[], :started_deployments::text[], :started_artifacts::text[],
       :started_replaced::integer[], :started_compliance::text[], :started_evidence::uuid[],
       :started_decisions::text[], :started_waiver::uuid[], :started_count::integer[], :started_detail::text[])
       as started (no, fingerprint, name, lineage, deployments, artifact_ids, replaced_no, compliance, evidence_id,
         decision_ids, waiver_id, count, detail)
   ), begun as (
     insert into running (org_id, environment_id, no, fingerprint, name, from_index, lineage, started_with, deployments)
     select :org_id::uuid, :environment_id::uuid, no, fingerprint, name, :index::integer, lineage, count,
       deployments::integer[]
     from started
   ), begun_instances as (
     insert into running_instances (org_id, environment_id, no, from_index, count, detail)
     select :org_id, :environment_id, no, :index, count, detail from started
     union all
     select :org_id, :environment_id, no, :index, count, detail
     from unnest(:restated_no::integer[], :restated_count::integer[], :restated_detail::text[]) as restated (no, count, detail)
   ), begun_verdicts as (
     insert into running_verdict (org_id, environment_id, no, from_index, cause, compliance, artifact_ids, replaced_no,
       evidence_id, decision_ids, waiver_id)
     select :org_id, :environment_id, no, :index, 'started', compliance, artifact_ids::uuid[], replaced_no, evidence_id,
       decision_ids::uuid[], waiver_id
     from started
   ), made as (
     insert into snapshot (org_id, environment_id, index, created_at, created_by, trigger, compliance, artifact_count,
       compliant_count, non_compliant_count, started_count, event_total, policy_set_id, stored_rows, stored_bytes)
     values (:org_id, :environment_id, :index, :created_at::timestamptz, :actor_name::text, 'report',
       :compliance::text, :artifact_count::integer, :compliant_count::integer, :non_compliant_count::integer,
       cardinality(:started_no::integer[]), :event_total::bigint, :policy_set_id::uuid,
       1 + 3 * cardinality(:started_no::integer[]) + cardinality(:restated_no::integer[]),
       (select coalesce(sum(octet_length(name) + octet_length(detail)), 0) from started)
         + (select coalesce(sum(octet_length(detail)), 0) from unnest(:restated_detail::text[]) as restated (detail)))
   ), moved as (
     update environment set snapshot_count = :index, last_changed_at = :created_at, run_count = :run_count::integer,
       compliance = :compliance,
       content_digest = :content_digest::bytea,
       revision = revision + cardinality(:entry_ids::uuid[])
     where org_id = :org_id and id = :environment_id
     returning id, revision
   ), ${APPEND_ENTRIES}
   select from moved`,
);

/** Changed instance counts, which make no snapshot. */
export interface Scaling {
  readonly index: number;
  readonly content_digest: Buffer;
  readonly resized_no: readonly number[];
  readonly resized_count: readonly number[];
  readonly resized_detail: readonly string[];
}

/** Replaces the instances of the latest snapshot; earlier snapshots keep theirs. */
export const updateInstances = statement<Scaling & EntryParams, never>(
  'record_scaling',
  `with resized as materialized (
     select resized.no, resized.count, resized.detail, stored.from_index = :index::integer as is_of_latest
     from unnest(:resized_no::integer[], :resized_count::integer[], :resized_detail::text[]) as resized (no, count, detail)
     join running_instances as stored on stored.org_id = :org_id and stored.environment_id = :environment_id
       and stored.no = resized.no and stored.until_index is null
   ), changed as (
     update running_instances as stored set
       count = case when is_of_latest then resized.count else stored.count end,
       detail = case when is_of_latest then resized.detail else stored.detail end,
       until_index = case when is_of_latest then null else :index end
     from resized
     where stored.org_id = :org_id and stored.environment_id = :environment_id and stored.no = resized.no
       and stored.until_index is null
   ), begun as (
     insert into running_instances (org_id, environment_id, no, from_index, count, detail)
     select :org_id::uuid, :environment_id::uuid, no, :index, count, detail from resized where not is_of_latest
   ), moved as (
     update environment set content_digest = :content_digest::bytea,
       revision = revision + cardinality(:entry_ids::uuid[])
     where org_id = :org_id and id = :environment_id
     returning id, revision
   ), ${APPEND_ENTRIES}
   select from moved`,
);

/** Replaces the digest alone, for the same content under another way to compute it. */
export async function updateDigest(db: Db, org: string, environment: string, digest: Buffer): Promise<void> {
  await db
    .updateTable('environment')
    .set({ content_digest: digest })
    .where('org_id', '=', org)
    .where('id', '=', environment)
    .execute();
}
