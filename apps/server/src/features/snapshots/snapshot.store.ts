import type { Db } from '../../platform/db/db.ts';
import { statement, unprepared } from '../../platform/db/statement.ts';
import { appendEntryFrom, type attribution } from '../../platform/journal/journal.ts';
import type { RunCompliance } from '../verdicts/judge-runs.ts';
import type { CurrentRun } from './run-changes.ts';

/** Where an environment stands, read while nobody else changes it. */
export interface Standing {
  readonly id: string;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly snapshot_count: number;
  readonly last_changed_at: Date | null;
  readonly run_count: number;
  readonly content_digest: Buffer | null;
  /** Of the latest snapshot. */
  readonly compliance: 'compliant' | 'non-compliant' | 'unknown';
  readonly artifact_count: number;
  readonly compliant_count: number;
  readonly non_compliant_count: number;
  readonly event_total: number;
  readonly policy_set_id: string | null;
}

export interface OfEnvironment {
  readonly [param: string]: unknown;
  readonly org_id: string;
  readonly environment_id: string;
}

const AT = 'org_id = :org_id and environment_id = :environment_id';

/** Not of archived ones. */
export const readStandings = statement<{ org_id: string; ids: readonly string[] }, Standing>(
  'read_standings',
  `select environment.id, environment.name, environment.snapshot_count, environment.last_changed_at,
     environment.run_count, environment.content_digest, environment.compliance,
     coalesce(latest.artifact_count, 0) as artifact_count, coalesce(latest.compliant_count, 0) as compliant_count,
     coalesce(latest.non_compliant_count, 0) as non_compliant_count, coalesce(latest.event_total, 0) as event_total,
     latest.policy_set_id,
     coalesce((select jsonb_object_agg(key, value) from tag
       where tag.org_id = :org_id and subject_kind = 'environment' and subject_id = environment.id), '{}') as tags
   from environment
   left join snapshot as latest on latest.org_id = environment.org_id and latest.environment_id = environment.id
     and latest.index = environment.snapshot_count
   where environment.org_id = :org_id and environment.id = any(:ids::uuid[]) and environment.archived_at is null`,
);

/** Control characters, which none of the texts can hold. */
const FIELD = '\u0001';
const ROW = '\u0002';

/** Rows of a table as one text: thousands of rows of a few fields each are read several times as fast. */
function asText(fields: readonly string[], table: string): string {
  return `(select string_agg(${fields.join(` || E'\\x01' || `)}, E'\\x02' order by no) from ${table}
     where ${AT} and until_index is null)`;
}

function fieldsOf(text: string | null): string[][] {
  return text === null ? [] : text.split(ROW).map((row) => row.split(FIELD));
}

const readRuns = unprepared<OfEnvironment, { runs: string | null; instances: string | null }>(
  'read_runs',
  `select ${asText(['no', 'fingerprint', 'name'], 'running')} as runs,
     ${asText(['no', 'count', 'detail'], 'running_instances')} as instances`,
);

/**
 * The tables are put together here, as both are in the order of the runs: a plan that takes all environments for small
 * ones compares each row with each.
 */
export async function listRuns(db: Db, at: OfEnvironment): Promise<CurrentRun[]> {
  const [found] = await readRuns(db, at);
  const instances = fieldsOf(found?.instances ?? null);
  return fieldsOf(found?.runs ?? null).map(([no = '', fingerprint = '', name = ''], i) => {
    const [of, count = '', detail = ''] = instances[i] ?? [];
    if (of !== no) throw new Error(`run ${no} of environment ${at.environment_id} has no instances`);
    return { no: Number(no), fingerprint, name, count: Number(count), detail };
  });
}

/** What runs, with all that was said of it. */
export interface KnownRun {
  readonly environmentId: string;
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly artifactIds: readonly string[];
  readonly replacedNo: number | null;
  readonly compliance: RunCompliance;
  readonly evidenceId: string | null;
  readonly decisionIds: readonly string[];
  readonly listingId: string | null;
}

const listOf = (column: string) => `array_to_string(${column}, ',')`;
const orNothing = (column: string) => `coalesce(${column}::text, '')`;
/** In the order in which `toKnownRun` takes them. */
const SAID = [
  listOf('artifact_ids'),
  orNothing('replaced_no'),
  'compliance',
  orNothing('evidence_id'),
  listOf('decision_ids'),
  orNothing('allow_listing_id'),
];

const readAllKnown = unprepared<OfEnvironment, { runs: string | null; verdicts: string | null }>(
  'read_known_runs',
  `select ${asText(['no', 'fingerprint', 'name'], 'running')} as runs,
     ${asText(['no', ...SAID], 'running_verdict')} as verdicts`,
);

/** All that runs in an environment. */
export async function listKnownRuns(db: Db, at: OfEnvironment): Promise<KnownRun[]> {
  const [found] = await readAllKnown(db, at);
  const verdicts = fieldsOf(found?.verdicts ?? null);
  return fieldsOf(found?.runs ?? null).map((run, i) => {
    const [of, ...said] = verdicts[i] ?? [];
    if (of !== run[0]) throw new Error(`run ${run[0]} of environment ${at.environment_id} has no verdict`);
    return toKnownRun([at.environment_id, ...run], said);
  });
}

const readSomeKnown = statement<
  { org_id: string; environment_ids: readonly string[]; fingerprints: readonly string[] },
  { runs: string | null }
>(
  'read_runs_of_artifacts',
  `select string_agg(array_to_string(array[run.environment_id::text, run.no::text, run.fingerprint, run.name,
     ${SAID.join(', ')}], E'\\x01'), E'\\x02' order by run.environment_id, run.no) as runs
   from unnest(:environment_ids::uuid[], :fingerprints::text[]) as wanted (environment_id, fingerprint)
   cross join lateral (
     select running.environment_id, running.no, running.fingerprint, running.name from running
     where running.org_id = :org_id and running.environment_id = wanted.environment_id
       and running.fingerprint = wanted.fingerprint and running.until_index is null
     offset 0
   ) as run
   cross join lateral (
     select artifact_ids, replaced_no, compliance, evidence_id, decision_ids, allow_listing_id from running_verdict
     where org_id = :org_id and environment_id = run.environment_id and no = run.no and until_index is null
     offset 0
   ) as verdict`,
);

/** Runs of some artifacts, each in one environment. */
export async function listRunsOfArtifacts(
  db: Db,
  org: string,
  wanted: readonly { environmentId: string; fingerprint: string }[],
): Promise<KnownRun[]> {
  if (wanted.length === 0) return [];
  const [found] = await readSomeKnown(db, {
    org_id: org,
    environment_ids: wanted.map((artifact) => artifact.environmentId),
    fingerprints: wanted.map((artifact) => artifact.fingerprint),
  });
  return fieldsOf(found?.runs ?? null).map((fields) => toKnownRun(fields.slice(0, 4), fields.slice(4)));
}

function toKnownRun(run: readonly string[], said: readonly string[]): KnownRun {
  const [environmentId = '', no = '', fingerprint = '', name = ''] = run;
  const [artifacts = '', replaced = '', compliance, evidence = '', decisions = '', listing = ''] = said;
  return {
    environmentId,
    no: Number(no),
    name,
    fingerprint,
    artifactIds: artifacts === '' ? [] : artifacts.split(','),
    replacedNo: replaced === '' ? null : Number(replaced),
    compliance: compliance as RunCompliance,
    evidenceId: evidence || null,
    decisionIds: decisions === '' ? [] : decisions.split(','),
    listingId: listing || null,
  };
}

/** How many of these runs count as compliant, and how many do not. */
export const countCompliance = statement<
  OfEnvironment & { nos: readonly number[] },
  { compliant: number; non_compliant: number }
>(
  'count_compliance',
  `select count(*) filter (where compliance in ('compliant', 'waived'))::integer as compliant,
     count(*) filter (where compliance = 'non-compliant')::integer as non_compliant
   from running_verdict where ${AT} and until_index is null and no = any(:nos::integer[])`,
);

/** What went before a run: the starts of the same fingerprint, and the run whose place it takes. */
export interface Forerunner {
  readonly place: number;
  readonly deployments: number[];
  readonly replaced_no: number | null;
}

const DEPLOYMENTS_KEPT = 100;

/** Of a lineage the last few runs are looked at, as one artifact may come and go for ever without another. */
export const listForerunners = statement<
  OfEnvironment & { fingerprints: readonly string[]; lineages: readonly string[]; before_no: readonly number[] },
  Forerunner
>(
  'list_forerunners',
  `select wanted.place::integer as place,
     coalesce(same.deployments, '{}') as deployments, replaced.no as replaced_no
   from unnest(:fingerprints::text[], :lineages::text[], :before_no::integer[])
     with ordinality as wanted (fingerprint, lineage, before_no, place)
   left join lateral (
     select deployments from running
     where org_id = :org_id and environment_id::text || ' ' || fingerprint = :environment_id::text || ' ' || wanted.fingerprint
       and fingerprint <> ''
     order by no desc limit 1
   ) as same on true
   left join lateral (
     select no from (
       select no, fingerprint from running
       where org_id = :org_id and environment_id::text || ' ' || lineage = :environment_id::text || ' ' || wanted.lineage
         and no < wanted.before_no
       order by no desc limit 20
     ) as recent
     where fingerprint <> wanted.fingerprint
     order by no desc limit 1
   ) as replaced on true`,
);

export interface SnapshotToRecord extends Told {
  readonly environment_id: string;
  readonly index: number;
  readonly created_at: Date;
  readonly compliance: Standing['compliance'];
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
  readonly started_listing: readonly (string | null)[];
  readonly started_count: readonly number[];
  readonly started_detail: readonly string[];
  readonly exited_no: readonly number[];
  readonly restated_no: readonly number[];
  readonly restated_count: readonly number[];
  readonly restated_detail: readonly string[];
}

/** Who tells what, in one entry or several. */
export interface Told extends ReturnType<typeof attribution> {
  readonly [param: string]: unknown;
  readonly entry_type: string;
  readonly entry_version: number;
  readonly entry_ids: readonly string[];
  readonly payloads: readonly string[];
  readonly nonces: readonly Buffer[];
  readonly digests: readonly Buffer[];
}

/** The environment has counted the entries already. */
const TOLD = `told as (
     select moved.id as subject_id, moved.revision - cardinality(:entry_ids::uuid[]) + entry.place as subject_seq, entry.*
     from moved cross join unnest(:entry_ids::uuid[], :payloads::text[], :nonces::bytea[], :digests::bytea[])
       with ordinality as entry (entry_id, payload, nonce, digest, place)
   ), recorded as (${appendEntryFrom('told order by place', {
     subjectKind: 'environment',
     id: 'entry_id',
     type: ':entry_type::text',
     version: ':entry_version::integer',
     payload: 'payload',
     nonce: 'nonce',
     digest: 'digest',
   })}
   )`;

/** All of a snapshot in one round trip: rows for what changed, and nothing for what did not. */
export const recordSnapshot = statement<SnapshotToRecord, never>(
  'record_snapshot',
  `with ended as (
     update running set until_index = :index::integer
     where ${AT} and until_index is null and no = any(:exited_no::integer[])
   ), ended_instances as (
     update running_instances set until_index = :index::integer
     where ${AT} and until_index is null and no = any(:exited_no::integer[] || :restated_no::integer[])
   ), ended_verdicts as (
     update running_verdict set until_index = :index::integer
     where ${AT} and until_index is null and no = any(:exited_no::integer[])
   ), started as materialized (
     select * from unnest(:started_no::integer[], :started_fingerprint::text[], :started_name::text[],
       :started_lineage::text[], :started_deployments::text[], :started_artifacts::text[],
       :started_replaced::integer[], :started_compliance::text[], :started_evidence::uuid[],
       :started_decisions::text[], :started_listing::uuid[], :started_count::integer[], :started_detail::text[])
       as started (no, fingerprint, name, lineage, deployments, artifact_ids, replaced_no, compliance, evidence_id,
         decision_ids, allow_listing_id, count, detail)
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
       evidence_id, decision_ids, allow_listing_id)
     select :org_id, :environment_id, no, :index, 'started', compliance, artifact_ids::uuid[], replaced_no, evidence_id,
       decision_ids::uuid[], allow_listing_id
     from started
   ), made as (
     insert into snapshot (org_id, environment_id, index, created_at, created_by, trigger, compliance, artifact_count,
       compliant_count, non_compliant_count, started_count, event_total, policy_set_id, kept_rows, kept_bytes)
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
   ), ${TOLD}
   select from moved`,
);

export interface ScalingToRecord extends Told {
  readonly environment_id: string;
  readonly index: number;
  readonly content_digest: Buffer;
  readonly resized_no: readonly number[];
  readonly resized_count: readonly number[];
  readonly resized_detail: readonly string[];
}

/** Instances of the latest snapshot are replaced; what earlier snapshots show of them stays. */
export const recordScaling = statement<ScalingToRecord, never>(
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
   ), ${TOLD}
   select from moved`,
);

/** A digest that was made otherwise than it is now says nothing new. */
export async function keepDigest(db: Db, org: string, environment: string, digest: Buffer): Promise<void> {
  await db
    .updateTable('environment')
    .set({ content_digest: digest })
    .where('org_id', '=', org)
    .where('id', '=', environment)
    .execute();
}

export function lastDeployments(earlier: readonly number[], index: number): number[] {
  return [...earlier, index].slice(-DEPLOYMENTS_KEPT);
}
