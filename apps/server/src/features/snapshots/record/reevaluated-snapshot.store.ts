import { arrayText } from '../../../platform/db/array-text.ts';
import type { Db } from '../../../platform/db/db.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { RunCompliance, SnapshotTrigger } from '../../../platform/db/tables.ts';
import { appendEntryFrom, type attribution } from '../../../platform/journal/journal.ts';
import type { EnvironmentState } from './current-runs.reads.ts';
import type { SealedEntry } from './snapshot-journal.ts';

/** A snapshot in which nothing started or exited, but provenance or verdicts changed. */
export interface ReevaluatedSnapshot {
  readonly environmentId: string;
  readonly index: number;
  readonly createdAt: Date;
  readonly trigger: SnapshotTrigger;
  readonly compliance: EnvironmentState['compliance'];
  readonly artifactCount: number;
  readonly compliantCount: number;
  readonly nonCompliantCount: number;
  readonly eventTotal: number;
  readonly policySetId: string | null;
  readonly runs: readonly ReevaluatedRun[];
}

export interface ReevaluatedRun {
  readonly no: number;
  readonly cause: 'verdict' | 'provenance' | 'restated';
  readonly compliance: RunCompliance;
  readonly artifactIds: readonly string[];
  readonly replacedNo: number | null;
  /** Only where it changed. */
  readonly lineage: string | null;
  readonly evidenceId: string | null;
  readonly decisionIds: readonly string[];
  readonly waiverId: string | null;
}

/** Inserts the snapshots of many environments in one round trip. */
const insertAll = statement<Record<string, unknown>, never>(
  'insert_reevaluated_snapshots',
  `with reevaluated as materialized (
     select * from unnest(:environment_ids::uuid[], :indexes::integer[], :created_at::timestamptz[], :triggers::text[],
       :compliances::text[], :artifact_counts::integer[], :compliant_counts::integer[], :non_compliant_counts::integer[],
       :event_totals::bigint[], :policy_set_ids::uuid[], :entry_counts::integer[], :verdict_counts::integer[])
       as reevaluated (environment_id, index, created_at, trigger, compliance, artifact_count, compliant_count,
         non_compliant_count, event_total, policy_set_id, entry_count, verdict_count)
   ), verdict as materialized (
     select * from unnest(:verdict_environments::uuid[], :verdict_indexes::integer[], :nos::integer[], :causes::text[],
       :verdicts::text[], :artifacts::text[], :replaced::integer[], :lineages::text[], :evidence::uuid[],
       :decisions::text[], :waivers::uuid[])
       as verdict (environment_id, index, no, cause, compliance, artifact_ids, replaced_no, lineage, evidence_id,
         decision_ids, waiver_id)
   ), ended as (
     update running_verdict as stored set until_index = verdict.index from verdict
     where stored.org_id = :org_id and stored.environment_id = verdict.environment_id and stored.no = verdict.no
       and stored.until_index is null
   ), begun as (
     insert into running_verdict (org_id, environment_id, no, from_index, cause, compliance, artifact_ids, replaced_no,
       evidence_id, decision_ids, waiver_id)
     select :org_id::uuid, environment_id, no, index, cause, compliance, artifact_ids::uuid[], replaced_no, evidence_id,
       decision_ids::uuid[], waiver_id
     from verdict
   ), renamed as (
     update running set lineage = verdict.lineage from verdict
     where running.org_id = :org_id and running.environment_id = verdict.environment_id and running.no = verdict.no
       and verdict.lineage is not null
   ), made as (
     insert into snapshot (org_id, environment_id, index, created_at, created_by, trigger, compliance, artifact_count,
       compliant_count, non_compliant_count, started_count, event_total, policy_set_id, stored_rows)
     select :org_id, environment_id, index, created_at, :actor_name::text, trigger, compliance, artifact_count,
       compliant_count, non_compliant_count, 0, event_total, policy_set_id, 1 + verdict_count
     from reevaluated
   ), moved as (
     update environment set snapshot_count = reevaluated.index, last_changed_at = reevaluated.created_at,
       compliance = reevaluated.compliance,
       revision = revision + reevaluated.entry_count
     from reevaluated where environment.org_id = :org_id and environment.id = reevaluated.environment_id
     returning environment.id, environment.revision, reevaluated.entry_count
   ), entry as (
     select moved.id as subject_id, moved.revision - moved.entry_count + sealed.place as subject_seq, sealed.*
     from unnest(:entry_environments::uuid[], :entry_places::integer[], :entry_ids::uuid[], :payloads::text[],
       :nonces::bytea[], :digests::bytea[]) as sealed (environment_id, place, entry_id, payload, nonce, digest)
     join moved on moved.id = sealed.environment_id
   ), recorded as (${appendEntryFrom('entry order by environment_id, place', {
     subjectKind: 'environment',
     id: 'entry_id',
     type: ':entry_type::text',
     version: ':entry_version::integer',
     payload: 'payload',
     nonce: 'nonce',
     digest: 'digest',
   })}
   )
   select from moved`,
);

export async function insertReevaluated(
  db: Db,
  by: ReturnType<typeof attribution> & { entry_type: string; entry_version: number },
  snapshots: readonly (ReevaluatedSnapshot & { readonly entries: readonly SealedEntry[] })[],
): Promise<void> {
  const verdicts = snapshots.flatMap((snapshot) => snapshot.runs.map((verdict) => ({ snapshot, verdict })));
  const entries = snapshots.flatMap((snapshot) =>
    snapshot.entries.map((entry, i) => ({ snapshot, entry, place: i + 1 })),
  );
  await insertAll(db, {
    ...by,
    environment_ids: snapshots.map((snapshot) => snapshot.environmentId),
    indexes: snapshots.map((snapshot) => snapshot.index),
    created_at: snapshots.map((snapshot) => snapshot.createdAt),
    triggers: snapshots.map((snapshot) => snapshot.trigger),
    compliances: snapshots.map((snapshot) => snapshot.compliance),
    artifact_counts: snapshots.map((snapshot) => snapshot.artifactCount),
    compliant_counts: snapshots.map((snapshot) => snapshot.compliantCount),
    non_compliant_counts: snapshots.map((snapshot) => snapshot.nonCompliantCount),
    event_totals: snapshots.map((snapshot) => snapshot.eventTotal),
    policy_set_ids: snapshots.map((snapshot) => snapshot.policySetId),
    entry_counts: snapshots.map((snapshot) => snapshot.entries.length),
    verdict_counts: snapshots.map((snapshot) => snapshot.runs.length),
    verdict_environments: verdicts.map(({ snapshot }) => snapshot.environmentId),
    verdict_indexes: verdicts.map(({ snapshot }) => snapshot.index),
    nos: verdicts.map(({ verdict }) => verdict.no),
    causes: verdicts.map(({ verdict }) => verdict.cause),
    verdicts: verdicts.map(({ verdict }) => verdict.compliance),
    artifacts: verdicts.map(({ verdict }) => arrayText(verdict.artifactIds)),
    replaced: verdicts.map(({ verdict }) => verdict.replacedNo),
    lineages: verdicts.map(({ verdict }) => verdict.lineage),
    evidence: verdicts.map(({ verdict }) => verdict.evidenceId),
    decisions: verdicts.map(({ verdict }) => arrayText(verdict.decisionIds)),
    waivers: verdicts.map(({ verdict }) => verdict.waiverId),
    entry_environments: entries.map(({ snapshot }) => snapshot.environmentId),
    entry_places: entries.map(({ place }) => place),
    entry_ids: entries.map(({ entry }) => entry.id),
    payloads: entries.map(({ entry }) => entry.payload),
    nonces: entries.map(({ entry }) => entry.nonce),
    digests: entries.map(({ entry }) => entry.digest),
  });
}
