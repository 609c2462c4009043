import type { ArtifactContent, ArtifactLine, Provenance } from '@waymark/messages';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import { readStored } from '../../../platform/stored-json.ts';
import { readEventReasons } from '../../environment-history/events/event-reason.reads.ts';
import { UNREADABLE_ATTESTATION } from '../../trails/judgement.reads.ts';

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
  /** How compliant these are, too. */
  readonly others?: readonly RunKey[];
  readonly failing?: { readonly environmentId: string; readonly index: number };
  /** What it was at a time, and by what it became compliant since another. */
  readonly state?: { readonly environmentId: string; readonly at: Date; readonly since?: Date };
  readonly artifactId?: string;
  readonly attestationId?: string;
}

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
interface EnvironmentStateThen {
  readonly index: number;
  readonly compliance: 'compliant' | 'non-compliant' | 'unknown';
  /** What the snapshot came by that made it compliant, if it was made since then. */
  readonly turnedBy: string | null;
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
  /** In the order in which they were asked for. */
  readonly others: readonly (RunFacts | undefined)[];
  readonly failing?: { readonly count: number; readonly runs: readonly FailingRun[] } | undefined;
  readonly state?: EnvironmentStateThen | undefined;
  readonly attestation?: AttestationFacts | undefined;
  readonly provenance?: Provenance | undefined;
  /** Why the run, or the first that fails, is judged as it is. */
  readonly reason: string;
  /** What would put right what is not compliant, as far as it can be said in brief. */
  readonly fix: string | undefined;
}

const FAILING_NAMED = 3;
const FIX_LONGEST = 300;
/** A decision may give many reasons. */
const DECISIONS_TOGETHER = 500;

/** What many messages need to know, by a few queries for all of them together. */
export async function readFacts(db: Db, org: string, all: readonly Wants[]): Promise<Facts[]> {
  const { runs, others } = await readAllRuns(db, org, all);
  const failing = await readFailing(db, org, all);
  const states = await readEnvironmentStates(db, org, all);
  const attestations = await readAttestations(db, org, all);
  const messageOf = (wants: Wants) => runs.get(wants) ?? failing.get(wants)?.runs[0];
  const reasonOf = await readEventReasons(
    { db, org },
    all.flatMap((wants) => messageOf(wants) ?? []),
  );
  const fixOf = await readFixes(
    db,
    org,
    all.flatMap((wants) => messageOf(wants) ?? []),
  );
  const reportOf = (wants: Wants) =>
    wants.artifactId ?? messageOf(wants)?.artifact_id ?? attestations.get(wants)?.artifact_id ?? '';
  const provenances = await readProvenances(db, org, all.map(reportOf));
  return all.map((wants) => {
    const said = messageOf(wants);
    return {
      run: runs.get(wants),
      others: others.get(wants) ?? [],
      failing: failing.get(wants),
      state: states.get(wants),
      attestation: attestations.get(wants),
      provenance: provenances.get(reportOf(wants)),
      reason: said ? reasonOf(said) : '',
      fix: said && fixOf(said),
    };
  });
}

/** The first thing that a policy advises. */
async function readFixes(db: Db, org: string, all: readonly Said[]): Promise<(said: Said) => string | undefined> {
  const idsOf = ({ compliance, decision_ids }: Said) => (compliance === 'non-compliant' ? decision_ids : []);
  const ids = [...new Set(all.flatMap(idsOf))];
  const fixes = new Map<string, string>();
  for (let at = 0; at < ids.length; at += DECISIONS_TOGETHER) {
    const { rows } = await sql<{ id: string; reasons: string }>`
      select id, reasons from decision
      where org_id = ${org} and id = any(${ids.slice(at, at + DECISIONS_TOGETHER)}::uuid[])
        and status = 'NON-COMPLIANT'`.execute(db);
    for (const { id, reasons } of rows) {
      const [first] = readStored<{ readonly fix?: string }[]>(reasons) ?? [];
      if (first?.fix && first.fix.length <= FIX_LONGEST) fixes.set(id, first.fix);
    }
  }
  return (said) => idsOf(said).flatMap((id) => fixes.get(id) ?? [])[0];
}

/** An artifact of an environment with what is known of it. */
export function artifactOf(run: { name: string; fingerprint: string }, facts: Facts): ArtifactContent {
  return { ...toldOf(run, facts.run?.compliance), provenance: facts.provenance ?? null };
}

export function toldOf(
  { name, fingerprint }: { name: string; fingerprint: string },
  compliance: string | undefined,
): ArtifactLine {
  const isJudged = compliance !== undefined && compliance !== 'unknown';
  return { name, fingerprint, compliant: isJudged ? compliance !== 'non-compliant' : null };
}

/** Those that want something, with what they want. */
function wanting<Part extends keyof Wants>(all: readonly Wants[], part: Part) {
  return all.flatMap((wants) => {
    const wanted = wants[part];
    return wanted === undefined ? [] : [{ wants, wanted: wanted as NonNullable<Wants[Part]> }];
  });
}

async function readAllRuns(db: Db, org: string, all: readonly Wants[]) {
  const some = all.flatMap((wants) => [
    ...(wants.run ? [{ wants, wanted: wants.run }] : []),
    ...(wants.others ?? []).map((wanted) => ({ wants, wanted })),
  ]);
  const runs = new Map<Wants, RunFacts>();
  const others = new Map<Wants, (RunFacts | undefined)[]>();
  for (const [i, facts] of (await readRuns(db, org, some)).entries()) {
    const { wants, wanted } = some[i] ?? {};
    if (!wants) continue;
    if (wanted !== wants.run) others.set(wants, [...(others.get(wants) ?? []), facts]);
    else if (facts) runs.set(wants, facts);
  }
  return { runs, others };
}

/** By the fingerprint: what runs without one has no known origin. */
async function readRuns(
  db: Db,
  org: string,
  some: readonly { readonly wanted: RunKey }[],
): Promise<(RunFacts | undefined)[]> {
  if (some.length === 0) return [];
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
  const found = new Map(rows.map((row) => [row.place, row]));
  return some.map((_, i) => found.get(i + 1));
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
async function readEnvironmentStates(
  db: Db,
  org: string,
  all: readonly Wants[],
): Promise<Map<Wants, EnvironmentStateThen>> {
  const some = wanting(all, 'state');
  if (some.length === 0) return new Map();
  const { rows } = await sql<EnvironmentStateThen & { place: number }>`
    select wanted.place, latest.index, latest.compliance, turned.trigger as "turnedBy",
      coalesce(beat.silent_since <= wanted.at, false) as "isSilent"
    from unnest(${some.map(({ wanted }) => wanted.environmentId)}::uuid[],
      ${some.map(({ wanted }) => wanted.at)}::timestamptz[],
      ${some.map(({ wanted }) => wanted.since ?? null)}::timestamptz[])
      with ordinality as wanted (environment_id, at, since, place)
    cross join lateral (
      select index, compliance from snapshot
      where org_id = ${org} and environment_id = wanted.environment_id and created_at <= wanted.at
      order by created_at desc, index desc limit 1
    ) as latest
    left join lateral (
      select snapshot.trigger from snapshot
      left join snapshot as before on before.org_id = ${org} and before.environment_id = wanted.environment_id
        and before.index = snapshot.index - 1
      where snapshot.org_id = ${org} and snapshot.environment_id = wanted.environment_id
        and snapshot.created_at between wanted.since and wanted.at
        and snapshot.compliance = 'compliant' and before.compliance is distinct from 'compliant'
      order by snapshot.created_at desc, snapshot.index desc limit 1
    ) as turned on true
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
  const kept = readStored<{ reasons?: readonly string[] }>(verdict) ?? { reasons: [UNREADABLE_ATTESTATION] };
  return kept.reasons?.[0] ?? null;
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
