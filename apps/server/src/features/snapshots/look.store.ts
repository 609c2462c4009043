import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';
import type { SnapshotTrigger } from '../../platform/db/tables.ts';
import { appendEntryFrom, type attribution } from '../../platform/journal/journal.ts';
import type { RunCompliance } from '../verdicts/judge-runs.ts';
import type { Standing } from './snapshot.store.ts';

/** Of many subjects, in one order for all. */
const lockAll = statement<{ org_id: string; ids: readonly string[] }, never>(
  'lock_environments',
  `select pg_advisory_xact_lock(hashtextextended('environment ' || id, uuid_hash_extended(:org_id::uuid, 0)))::text as done
   from (select id from unnest(:ids::text[]) as id order by id offset 0) as environment`,
);

/** Nobody else changes these environments until the transaction ends. */
export async function lockEnvironments(db: Db, org: string, ids: readonly string[]): Promise<void> {
  await lockAll(db, { org_id: org, ids });
}

const tryLockAll = statement<{ org_id: string; ids: readonly string[] }, { id: string }>(
  'try_lock_environments',
  `select id from unnest(:ids::text[]) as id
   where pg_try_advisory_xact_lock(hashtextextended('environment ' || id, uuid_hash_extended(:org_id::uuid, 0)))`,
);

/** The same for those that nobody else changes just now, without waiting for the others. */
export async function tryLockEnvironments(db: Db, org: string, ids: readonly string[]): Promise<string[]> {
  const locked = await tryLockAll(db, { org_id: org, ids });
  return locked.map(({ id }) => id);
}

export const listStatuses = statement<{ org_id: string; ids: readonly string[] }, { id: string; status: string }>(
  'list_decision_statuses',
  'select id, status from decision where org_id = :org_id and id = any(:ids::uuid[])',
);

/** A snapshot in which nothing moved: something else is known, or said, of what runs. */
export interface LookToRecord {
  readonly environmentId: string;
  readonly index: number;
  readonly createdAt: Date;
  readonly trigger: SnapshotTrigger;
  readonly compliance: Standing['compliance'];
  readonly artifactCount: number;
  readonly compliantCount: number;
  readonly nonCompliantCount: number;
  readonly eventTotal: number;
  readonly policySetId: string | null;
  readonly verdicts: readonly VerdictToRecord[];
  readonly entries: readonly { id: string; payload: string; nonce: Buffer; digest: Buffer }[];
}

export interface VerdictToRecord {
  readonly no: number;
  readonly cause: 'verdict' | 'provenance' | 'restated';
  readonly compliance: RunCompliance;
  readonly artifactIds: readonly string[];
  readonly replacedNo: number | null;
  /** Where it changed. */
  readonly lineage: string | null;
  readonly evidenceId: string | null;
  readonly decisionIds: readonly string[];
  readonly listingId: string | null;
}

/** The snapshots of many environments in one round trip. */
const insertLooks = statement<Record<string, unknown>, never>(
  'record_looks',
  `with look as materialized (
     select * from unnest(:environment_ids::uuid[], :indexes::integer[], :created_at::timestamptz[], :triggers::text[],
       :compliances::text[], :artifact_counts::integer[], :compliant_counts::integer[], :non_compliant_counts::integer[],
       :event_totals::bigint[], :policy_set_ids::uuid[], :entry_counts::integer[], :verdict_counts::integer[])
       as look (environment_id, index, created_at, trigger, compliance, artifact_count, compliant_count,
         non_compliant_count, event_total, policy_set_id, entry_count, verdict_count)
   ), verdict as materialized (
     select * from unnest(:verdict_environments::uuid[], :verdict_indexes::integer[], :nos::integer[], :causes::text[],
       :verdicts::text[], :artifacts::text[], :replaced::integer[], :lineages::text[], :evidence::uuid[],
       :decisions::text[], :listings::uuid[])
       as verdict (environment_id, index, no, cause, compliance, artifact_ids, replaced_no, lineage, evidence_id,
         decision_ids, allow_listing_id)
   ), ended as (
     update running_verdict as stored set until_index = verdict.index from verdict
     where stored.org_id = :org_id and stored.environment_id = verdict.environment_id and stored.no = verdict.no
       and stored.until_index is null
   ), begun as (
     insert into running_verdict (org_id, environment_id, no, from_index, cause, compliance, artifact_ids, replaced_no,
       evidence_id, decision_ids, allow_listing_id)
     select :org_id::uuid, environment_id, no, index, cause, compliance, artifact_ids::uuid[], replaced_no, evidence_id,
       decision_ids::uuid[], allow_listing_id
     from verdict
   ), renamed as (
     update running set lineage = verdict.lineage from verdict
     where running.org_id = :org_id and running.environment_id = verdict.environment_id and running.no = verdict.no
       and verdict.lineage is not null
   ), made as (
     insert into snapshot (org_id, environment_id, index, created_at, created_by, trigger, compliance, artifact_count,
       compliant_count, non_compliant_count, started_count, event_total, policy_set_id, kept_rows)
     select :org_id, environment_id, index, created_at, :actor_name::text, trigger, compliance, artifact_count,
       compliant_count, non_compliant_count, 0, event_total, policy_set_id, 1 + verdict_count
     from look
   ), moved as (
     update environment set snapshot_count = look.index, last_changed_at = look.created_at,
       compliance = look.compliance,
       revision = revision + look.entry_count
     from look where environment.org_id = :org_id and environment.id = look.environment_id
     returning environment.id, environment.revision, look.entry_count
   ), told as (
     select moved.id as subject_id, moved.revision - moved.entry_count + entry.place as subject_seq, entry.*
     from unnest(:entry_environments::uuid[], :entry_places::integer[], :entry_ids::uuid[], :payloads::text[],
       :nonces::bytea[], :digests::bytea[]) as entry (environment_id, place, entry_id, payload, nonce, digest)
     join moved on moved.id = entry.environment_id
   ), recorded as (${appendEntryFrom('told order by environment_id, place', {
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

export async function recordLooks(
  db: Db,
  by: ReturnType<typeof attribution> & { entry_type: string; entry_version: number },
  looks: readonly LookToRecord[],
): Promise<void> {
  const verdicts = looks.flatMap((look) => look.verdicts.map((verdict) => ({ look, verdict })));
  const entries = looks.flatMap((look) => look.entries.map((entry, i) => ({ look, entry, place: i + 1 })));
  await insertLooks(db, {
    ...by,
    environment_ids: looks.map((look) => look.environmentId),
    indexes: looks.map((look) => look.index),
    created_at: looks.map((look) => look.createdAt),
    triggers: looks.map((look) => look.trigger),
    compliances: looks.map((look) => look.compliance),
    artifact_counts: looks.map((look) => look.artifactCount),
    compliant_counts: looks.map((look) => look.compliantCount),
    non_compliant_counts: looks.map((look) => look.nonCompliantCount),
    event_totals: looks.map((look) => look.eventTotal),
    policy_set_ids: looks.map((look) => look.policySetId),
    entry_counts: looks.map((look) => look.entries.length),
    verdict_counts: looks.map((look) => look.verdicts.length),
    verdict_environments: verdicts.map(({ look }) => look.environmentId),
    verdict_indexes: verdicts.map(({ look }) => look.index),
    nos: verdicts.map(({ verdict }) => verdict.no),
    causes: verdicts.map(({ verdict }) => verdict.cause),
    verdicts: verdicts.map(({ verdict }) => verdict.compliance),
    artifacts: verdicts.map(({ verdict }) => arrayText(verdict.artifactIds)),
    replaced: verdicts.map(({ verdict }) => verdict.replacedNo),
    lineages: verdicts.map(({ verdict }) => verdict.lineage),
    evidence: verdicts.map(({ verdict }) => verdict.evidenceId),
    decisions: verdicts.map(({ verdict }) => arrayText(verdict.decisionIds)),
    listings: verdicts.map(({ verdict }) => verdict.listingId),
    entry_environments: entries.map(({ look }) => look.environmentId),
    entry_places: entries.map(({ place }) => place),
    entry_ids: entries.map(({ entry }) => entry.id),
    payloads: entries.map(({ entry }) => entry.payload),
    nonces: entries.map(({ entry }) => entry.nonce),
    digests: entries.map(({ entry }) => entry.digest),
  });
}

/** An array as PostgreSQL writes it, of values that need no quotes. */
export function arrayText(values: readonly (string | number)[]): string {
  return `{${values.join()}}`;
}
