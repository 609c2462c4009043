import type { ArtifactContent, Provenance } from '@waymark/messages';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { readEventReasons } from '../environment-events/event-reason.reads.ts';

/** A run in an environment, as it was known in a snapshot; null for any that is there now, or none. */
export interface RunKey {
  readonly environmentId: string;
  readonly name: string;
  readonly fingerprint: string;
  readonly lastKnown: number | null;
}

/** What has to be looked up for a message. */
export interface Wants {
  readonly run?: RunKey;
  readonly failing?: { readonly environmentId: string; readonly index: number };
  readonly standing?: { readonly environmentId: string; readonly at: Date };
  readonly artifactId?: string;
  readonly attestationId?: string;
}

type RunCompliance = 'compliant' | 'non-compliant' | 'unknown' | 'waived';

interface Said {
  readonly compliance: RunCompliance;
  readonly decision_ids: string[];
  readonly allow_listing_id: string | null;
}
interface RunFacts extends Said {
  readonly artifact_id: string | null;
}
interface FailingRun extends RunFacts {
  readonly name: string;
  readonly fingerprint: string;
}
interface Standing {
  readonly index: number;
  readonly compliance: 'compliant' | 'non-compliant' | 'unknown';
  readonly trigger: string;
  readonly made_at: Date;
  /** Of the snapshot before. */
  readonly was: string | null;
  readonly isSilent: boolean;
}
interface AttestationFacts {
  readonly complaint: string | null;
  readonly fingerprint: string;
  readonly filename: string | null;
  readonly artifact_id: string | null;
}

export interface Facts {
  readonly run?: RunFacts | undefined;
  readonly failing?: { readonly count: number; readonly runs: readonly FailingRun[] } | undefined;
  readonly standing?: Standing | undefined;
  readonly attestation?: AttestationFacts | undefined;
  readonly provenance?: Provenance | undefined;
  /** Why the run, or the first that fails, is judged as it is. */
  readonly reason: string;
}

const FAILING_NAMED = 3;

/** What many messages need to know, by a few queries for all of them together. */
export async function readFacts(db: Db, org: string, all: readonly Wants[]): Promise<Facts[]> {
  const runs = await readRuns(db, org, all);
  const failing = await readFailing(db, org, all);
  const standings = await readStandings(db, org, all);
  const attestations = await readAttestations(db, org, all);
  const saidOf = (wants: Wants) => runs.get(wants) ?? failing.get(wants)?.runs[0];
  const reasonOf = await readEventReasons(
    { db, org },
    all.flatMap((wants) => saidOf(wants) ?? []),
  );
  const reportOf = (wants: Wants) =>
    wants.artifactId ?? saidOf(wants)?.artifact_id ?? attestations.get(wants)?.artifact_id ?? '';
  const provenances = await readProvenances(db, org, all.map(reportOf));
  return all.map((wants) => {
    const said = saidOf(wants);
    return {
      run: runs.get(wants),
      failing: failing.get(wants),
      standing: standings.get(wants),
      attestation: attestations.get(wants),
      provenance: provenances.get(reportOf(wants)),
      reason: said ? reasonOf(said) : '',
    };
  });
}

/** An artifact of an environment with what is known of it. */
export function artifactOf(
  { name, fingerprint }: { name: string; fingerprint: string },
  facts: Facts,
): ArtifactContent {
  const { run, provenance } = facts;
  const isJudged = run !== undefined && run.compliance !== 'unknown';
  return {
    name,
    fingerprint,
    compliant: isJudged ? run.compliance !== 'non-compliant' : null,
    provenance: provenance ?? null,
  };
}

/** Those that want something, with what they want. */
function wanting<Part extends keyof Wants>(all: readonly Wants[], part: Part) {
  return all.flatMap((wants) => {
    const wanted = wants[part];
    return wanted === undefined ? [] : [{ wants, wanted: wanted as NonNullable<Wants[Part]> }];
  });
}

/** By the fingerprint: what runs without one has no known origin. */
async function readRuns(db: Db, org: string, all: readonly Wants[]): Promise<Map<Wants, RunFacts>> {
  const some = wanting(all, 'run');
  if (some.length === 0) return new Map();
  const { rows } = await sql<RunFacts & { place: number }>`
    select wanted.place, coalesce(said.compliance, 'unknown') as compliance,
      coalesce(said.decision_ids, '{}') as decision_ids, said.allow_listing_id,
      coalesce(said.artifact_ids[1], newest.id) as artifact_id
    from unnest(${some.map(({ wanted }) => wanted.environmentId)}::uuid[], ${some.map(({ wanted }) => wanted.name)}::text[],
      ${some.map(({ wanted }) => wanted.fingerprint)}::text[],
      ${some.map(({ wanted }) => wanted.lastKnown ?? 2 ** 31 - 1)}::integer[])
      with ordinality as wanted (environment_id, name, fingerprint, last_known, place)
    left join lateral (
      select verdict.* from (
        select no from running
        where org_id = ${org} and fingerprint <> '' and name = wanted.name
          and environment_id::text || ' ' || fingerprint = wanted.environment_id::text || ' ' || wanted.fingerprint
          and from_index <= wanted.last_known
        order by no desc limit 1
      ) as run
      cross join lateral (
        select compliance, decision_ids, allow_listing_id, artifact_ids from running_verdict
        where org_id = ${org} and environment_id = wanted.environment_id and no = run.no
          and from_index <= wanted.last_known
        order by from_index desc limit 1
      ) as verdict
    ) as said on true
    left join lateral (
      select id from artifact where org_id = ${org} and fingerprint = wanted.fingerprint
      order by receipt desc limit 1
    ) as newest on said.artifact_ids[1] is null`.execute(db);
  return byPlace(some, rows);
}

/** What has begun to fail with a snapshot: there is no other way for an environment to become non-compliant. */
async function readFailing(db: Db, org: string, all: readonly Wants[]) {
  const some = wanting(all, 'failing');
  const found = new Map<Wants, { count: number; runs: FailingRun[] }>();
  if (some.length === 0) return found;
  const { rows } = await sql<FailingRun & { place: number; count: number }>`
    select wanted.place, snapshot.non_compliant_count as count, failing.*
    from unnest(${some.map(({ wanted }) => wanted.environmentId)}::uuid[],
      ${some.map(({ wanted }) => wanted.index)}::integer[]) with ordinality as wanted (environment_id, index, place)
    join snapshot on snapshot.org_id = ${org} and snapshot.environment_id = wanted.environment_id
      and snapshot.index = wanted.index
    cross join lateral (
      select running.name, running.fingerprint, verdict.compliance, verdict.decision_ids, verdict.allow_listing_id,
        verdict.artifact_ids[1] as artifact_id
      from (
        select no from running
        where org_id = ${org} and environment_id = wanted.environment_id and from_index = wanted.index
        union
        select no from running_verdict
        where org_id = ${org} and environment_id = wanted.environment_id and from_index = wanted.index
          and cause <> 'started'
      ) as changed
      join running_verdict as verdict on verdict.org_id = ${org} and verdict.environment_id = wanted.environment_id
        and verdict.no = changed.no and verdict.from_index = wanted.index and verdict.compliance = 'non-compliant'
      join running on running.org_id = ${org} and running.environment_id = wanted.environment_id
        and running.no = changed.no
      order by running.name, running.fingerprint limit ${FAILING_NAMED}
    ) as failing
    order by wanted.place, failing.name, failing.fingerprint`.execute(db);
  for (const [place, runs] of Map.groupBy(rows, (row) => row.place)) {
    const wants = some[place - 1]?.wants;
    if (wants) found.set(wants, { count: runs[0]?.count ?? runs.length, runs });
  }
  return found;
}

/** The latest snapshot of a time, and whether the environment is silent. */
async function readStandings(db: Db, org: string, all: readonly Wants[]): Promise<Map<Wants, Standing>> {
  const some = wanting(all, 'standing');
  if (some.length === 0) return new Map();
  const { rows } = await sql<Standing & { place: number }>`
    select wanted.place, latest.index, latest.compliance, latest.trigger, latest.created_at as made_at,
      before.compliance as was, coalesce(beat.silent_since <= wanted.at, false) as "isSilent"
    from unnest(${some.map(({ wanted }) => wanted.environmentId)}::uuid[],
      ${some.map(({ wanted }) => wanted.at)}::timestamptz[]) with ordinality as wanted (environment_id, at, place)
    cross join lateral (
      select index, compliance, trigger, created_at from snapshot
      where org_id = ${org} and environment_id = wanted.environment_id and created_at <= wanted.at
      order by created_at desc, index desc limit 1
    ) as latest
    left join snapshot as before on before.org_id = ${org} and before.environment_id = wanted.environment_id
      and before.index = latest.index - 1
    left join environment_heartbeat as beat on beat.org_id = ${org}
      and beat.environment_id = wanted.environment_id`.execute(db);
  return byPlace(some, rows);
}

async function readAttestations(db: Db, org: string, all: readonly Wants[]): Promise<Map<Wants, AttestationFacts>> {
  const some = wanting(all, 'attestationId');
  if (some.length === 0) return new Map();
  const { rows } = await sql<Omit<AttestationFacts, 'complaint'> & { place: number; verdict: string | null }>`
    select wanted.place, case when not attestation.is_compliant then attestation.verdict end as verdict,
      coalesce(attestation.fingerprint, '') as fingerprint, report.filename, report.id as artifact_id
    from unnest(${some.map(({ wanted }) => wanted)}::uuid[]) with ordinality as wanted (id, place)
    join attestation on attestation.org_id = ${org} and attestation.id = wanted.id
    left join lateral (
      select artifact.id, artifact.filename from artifact
      where artifact.org_id = ${org} and artifact.fingerprint = attestation.fingerprint
        and artifact.trail_id = attestation.trail_id
      order by artifact.receipt desc limit 1
    ) as report on true`.execute(db);
  return byPlace(
    some,
    rows.map(({ verdict, ...row }) => ({ ...row, complaint: complaintOf(verdict) })),
  );
}

function complaintOf(verdict: string | null): string | null {
  if (verdict === null) return null;
  const { reasons } = JSON.parse(verdict) as { reasons?: readonly string[] };
  return reasons?.[0] ?? null;
}

async function readProvenances(db: Db, org: string, artifactIds: readonly string[]): Promise<Map<string, Provenance>> {
  const ids = [...new Set(artifactIds)].filter((id) => id !== '');
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{
    id: string;
    flow: string;
    trail: string;
    commit_sha: string | null;
    commit_url: string;
    build_url: string;
  }>`
    select artifact.id, flow.name as flow, trail.name as trail, artifact.commit_sha, artifact.commit_url,
      artifact.build_url
    from artifact
    join flow on flow.org_id = artifact.org_id and flow.id = artifact.flow_id
    join trail on trail.org_id = artifact.org_id and trail.id = artifact.trail_id
    where artifact.org_id = ${org} and artifact.id = any(${ids}::uuid[])`.execute(db);
  return new Map(
    rows.map(({ id, flow, trail, commit_sha, commit_url, build_url }) => [
      id,
      { flow, trail, commit: commit_sha ?? '', commitUrl: commit_url, buildUrl: build_url, artifactId: id },
    ]),
  );
}

function byPlace<Row extends { place: number }>(
  some: readonly { wants: Wants }[],
  rows: readonly Row[],
): Map<Wants, Row> {
  const found = new Map<Wants, Row>();
  for (const row of rows) {
    const wants = some[row.place - 1]?.wants;
    if (wants) found.set(wants, row);
  }
  return found;
}
