import type { Db } from '../../../platform/db/db.ts';
import { statement, unprepared } from '../../../platform/db/statement.ts';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import { OF_ENVIRONMENT } from '../read/run-intervals.reads.ts';

export interface EnvironmentStamp {
  readonly id: string;
  /** Changes with everything recorded about the environment, and with the policies that judge it. */
  readonly stamp: string;
}

const STAMP = `concat_ws(' ', environment.revision, (
       select string_agg(policy.id::text || ':' || policy.version, ',' order by policy.id)
       from environment_policy as attached
       join policy on policy.org_id = attached.org_id and policy.id = attached.policy_id
       where attached.org_id = environment.org_id and attached.environment_id = environment.id)) as stamp`;

/** Excludes archived environments. */
export const readStamps = statement<{ org_id: string; ids: readonly string[] }, EnvironmentStamp>(
  'read_environment_stamps',
  `select environment.id, ${STAMP} from environment
   where org_id = :org_id and id = any(:ids::uuid[]) and archived_at is null`,
);

/** An environment and its latest snapshot. */
export interface EnvironmentState extends EnvironmentStamp {
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

/** An artifact that runs according to the latest snapshot. */
export interface CurrentRun {
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly count: number;
  readonly detail: string;
}

export interface OfEnvironment {
  readonly [param: string]: unknown;
  readonly org_id: string;
  readonly environment_id: string;
}

/** Excludes archived environments. */
export const readStates = statement<{ org_id: string; ids: readonly string[] }, EnvironmentState>(
  'read_environment_states',
  `select environment.id, environment.name, environment.snapshot_count, environment.last_changed_at,
     environment.run_count, environment.content_digest, environment.compliance,
     coalesce(latest.artifact_count, 0) as artifact_count, coalesce(latest.compliant_count, 0) as compliant_count,
     coalesce(latest.non_compliant_count, 0) as non_compliant_count, coalesce(latest.event_total, 0) as event_total,
     latest.policy_set_id, ${STAMP},
     coalesce((select jsonb_object_agg(key, value) from tag
       where tag.org_id = :org_id and subject_kind = 'environment' and subject_id = environment.id), '{}') as tags
   from environment
   left join snapshot as latest on latest.org_id = environment.org_id and latest.environment_id = environment.id
     and latest.index = environment.snapshot_count
   where environment.org_id = :org_id and environment.id = any(:ids::uuid[]) and environment.archived_at is null`,
);

/** Separators: control characters, which no text here can hold. */
const FIELD = '\u0001';
const ROW = '\u0002';

/** Reads rows as one text: thousands of small rows arrive several times as fast. */
function asText(fields: readonly string[], table: string): string {
  return `(select string_agg(${fields.join(` || E'\\x01' || `)}, E'\\x02' order by no) from ${table}
     where ${OF_ENVIRONMENT} and until_index is null)`;
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
 * Joins the tables here, as both are in the order of the runs: a plan made for small environments compares each row
 * with each.
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

/** A run with its verdict. */
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
  readonly waiverId: string | null;
}

const listOf = (column: string) => `array_to_string(${column}, ',')`;
const orNothing = (column: string) => `coalesce(${column}::text, '')`;
/** In the order in which `toKnownRun` takes them. */
const VERDICT_COLUMNS = [
  listOf('artifact_ids'),
  orNothing('replaced_no'),
  'compliance',
  orNothing('evidence_id'),
  listOf('decision_ids'),
  orNothing('waiver_id'),
];

const readAllKnown = unprepared<OfEnvironment, { runs: string | null; verdicts: string | null }>(
  'read_known_runs',
  `select ${asText(['no', 'fingerprint', 'name'], 'running')} as runs,
     ${asText(['no', ...VERDICT_COLUMNS], 'running_verdict')} as verdicts`,
);

/** All that runs in an environment. */
export async function listKnownRuns(db: Db, at: OfEnvironment): Promise<KnownRun[]> {
  const [found] = await readAllKnown(db, at);
  const verdicts = fieldsOf(found?.verdicts ?? null);
  return fieldsOf(found?.runs ?? null).map((run, i) => {
    const [of, ...verdict] = verdicts[i] ?? [];
    if (of !== run[0]) throw new Error(`run ${run[0]} of environment ${at.environment_id} has no verdict`);
    return toKnownRun([at.environment_id, ...run], verdict);
  });
}

const readSomeKnown = statement<
  { org_id: string; environment_ids: readonly string[]; fingerprints: readonly string[] },
  { runs: string | null }
>(
  'read_runs_of_artifacts',
  `select string_agg(array_to_string(array[run.environment_id::text, run.no::text, run.fingerprint, run.name,
     ${VERDICT_COLUMNS.join(', ')}], E'\\x01'), E'\\x02' order by run.environment_id, run.no) as runs
   from unnest(:environment_ids::uuid[], :fingerprints::text[]) as wanted (environment_id, fingerprint)
   cross join lateral (
     select running.environment_id, running.no, running.fingerprint, running.name from running
     where running.org_id = :org_id and running.environment_id = wanted.environment_id
       and running.fingerprint = wanted.fingerprint and running.until_index is null
     offset 0
   ) as run
   cross join lateral (
     select artifact_ids, replaced_no, compliance, evidence_id, decision_ids, waiver_id from running_verdict
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

function toKnownRun(run: readonly string[], verdict: readonly string[]): KnownRun {
  const [environmentId = '', no = '', fingerprint = '', name = ''] = run;
  const [artifacts = '', replaced = '', compliance, evidence = '', decisions = '', waiver = ''] = verdict;
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
    waiverId: waiver || null,
  };
}

/** Counts the compliant and non-compliant ones of these runs. */
export const countCompliance = statement<
  OfEnvironment & { nos: readonly number[] },
  { compliant: number; non_compliant: number }
>(
  'count_compliance',
  `select count(*) filter (where compliance in ('compliant', 'waived'))::integer as compliant,
     count(*) filter (where compliance = 'non-compliant')::integer as non_compliant
   from running_verdict where ${OF_ENVIRONMENT} and until_index is null and no = any(:nos::integer[])`,
);
