import type { ArtifactContent, ArtifactLine, Provenance } from '@waymark/messages';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import { readStored } from '../../../platform/stored-json.ts';
import { readEventReasons } from '../../environment-history/events/event-reason.reads.ts';
import { UNREADABLE_ATTESTATION } from '../../trails/judgement.reads.ts';

/** A run in an environment, as known in a snapshot; with null, a current one, if any. */
export interface RunKey {
  readonly environmentId: string;
  readonly name: string;
  readonly fingerprint: string;
  readonly lastKnown: number | null;
}

/** The facts to read for a message. */
export interface Needs {
  readonly run?: RunKey;
  /** Runs of which only the compliance is needed. */
  readonly others?: readonly RunKey[];
  readonly failing?: { readonly environmentId: string; readonly index: number };
  /** The state at a time, and what made the environment compliant since another time. */
  readonly state?: { readonly environmentId: string; readonly at: Date; readonly since?: Date };
  readonly artifactId?: string;
  readonly attestationId?: string;
}

interface RunVerdict {
  readonly compliance: RunCompliance;
  readonly decision_ids: string[];
  readonly waiver_id: string | null;
}
interface RunFacts extends RunVerdict {
  readonly artifact_id: string | null;
}
interface FailingRun extends RunFacts {
  readonly name: string;
  readonly fingerprint: string;
}
interface EnvironmentStateThen {
  readonly index: number;
  readonly compliance: 'compliant' | 'non-compliant' | 'unknown';
  /** The trigger of the snapshot that made it compliant, if it was made since then. */
  readonly turnedBy: string | null;
  readonly isStale: boolean;
}
interface AttestationFacts {
  readonly complaint: string | null;
  readonly fingerprint: string;
  readonly filename: string | null;
  readonly artifact_id: string | null;
}

export interface Facts {
  readonly run?: RunFacts | undefined;
  /** In the order of the request. */
  readonly others: readonly (RunFacts | undefined)[];
  readonly failing?: { readonly count: number; readonly runs: readonly FailingRun[] } | undefined;
  readonly state?: EnvironmentStateThen | undefined;
  readonly attestation?: AttestationFacts | undefined;
  readonly provenance?: Provenance | undefined;
  /** Why the run, or the first failing one, has its verdict. */
  readonly reason: string;
  /** How to fix what is non-compliant, if it is short. */
  readonly fix: string | undefined;
}

const FAILING_NAMED = 3;
const FIX_MAX_LENGTH = 300;
/** Small, because a decision may have many reasons. */
const DECISION_BATCH_SIZE = 500;

/** Reads the facts for many messages with a few queries. */
export async function readFacts(db: Db, org: string, all: readonly Needs[]): Promise<Facts[]> {
  const { runs, others } = await readAllRuns(db, org, all);
  const failing = await readFailing(db, org, all);
  const states = await readEnvironmentStates(db, org, all);
  const attestations = await readAttestations(db, org, all);
  const verdictOf = (needs: Needs) => runs.get(needs) ?? failing.get(needs)?.runs[0];
  const reasonOf = await readEventReasons(
    { db, org },
    all.flatMap((needs) => verdictOf(needs) ?? []),
  );
  const fixOf = await readFixes(
    db,
    org,
    all.flatMap((needs) => verdictOf(needs) ?? []),
  );
  const reportOf = (needs: Needs) =>
    needs.artifactId ?? verdictOf(needs)?.artifact_id ?? attestations.get(needs)?.artifact_id ?? '';
  const provenances = await readProvenances(db, org, all.map(reportOf));
  return all.map((needs) => {
    const verdict = verdictOf(needs);
    return {
      run: runs.get(needs),
      others: others.get(needs) ?? [],
      failing: failing.get(needs),
      state: states.get(needs),
      attestation: attestations.get(needs),
      provenance: provenances.get(reportOf(needs)),
      reason: verdict ? reasonOf(verdict) : '',
      fix: verdict && fixOf(verdict),
    };
  });
}

/** The first fix that a policy suggests. */
async function readFixes(
  db: Db,
  org: string,
  all: readonly RunVerdict[],
): Promise<(verdict: RunVerdict) => string | undefined> {
  const idsOf = ({ compliance, decision_ids }: RunVerdict) => (compliance === 'non-compliant' ? decision_ids : []);
  const ids = [...new Set(all.flatMap(idsOf))];
  const fixes = new Map<string, string>();
  for (let at = 0; at < ids.length; at += DECISION_BATCH_SIZE) {
    const { rows } = await sql<{ id: string; reasons: string }>`
      select id, reasons from decision
      where org_id = ${org} and id = any(${ids.slice(at, at + DECISION_BATCH_SIZE)}::uuid[])
        and status = 'NON-COMPLIANT'`.execute(db);
    for (const { id, reasons } of rows) {
      const [first] = readStored<{ readonly fix?: string }[]>(reasons) ?? [];
      if (first?.fix && first.fix.length <= FIX_MAX_LENGTH) fixes.set(id, first.fix);
    }
  }
  return (verdict) => idsOf(verdict).flatMap((id) => fixes.get(id) ?? [])[0];
}

/** An artifact in an environment, with what is known about it. */
export function artifactOf(run: { name: string; fingerprint: string }, facts: Facts): ArtifactContent {
  return { ...artifactLineOf(run, facts.run?.compliance), provenance: facts.provenance ?? null };
}

export function artifactLineOf(
  { name, fingerprint }: { name: string; fingerprint: string },
  compliance: string | undefined,
): ArtifactLine {
  const isJudged = compliance !== undefined && compliance !== 'unknown';
  return { name, fingerprint, compliant: isJudged ? compliance !== 'non-compliant' : null };
}

/** Those that need this part, with what they need. */
function needing<Part extends keyof Needs>(all: readonly Needs[], part: Part) {
  return all.flatMap((needs) => {
    const needed = needs[part];
    return needed === undefined ? [] : [{ needs, needed: needed as NonNullable<Needs[Part]> }];
  });
}

async function readAllRuns(db: Db, org: string, all: readonly Needs[]) {
  const some = all.flatMap((needs) => [
    ...(needs.run ? [{ needs, needed: needs.run }] : []),
    ...(needs.others ?? []).map((needed) => ({ needs, needed })),
  ]);
  const runs = new Map<Needs, RunFacts>();
  const others = new Map<Needs, (RunFacts | undefined)[]>();
  for (const [i, facts] of (await readRuns(db, org, some)).entries()) {
    const { needs, needed } = some[i] ?? {};
    if (!needs) continue;
    if (needed !== needs.run) others.set(needs, [...(others.get(needs) ?? []), facts]);
    else if (facts) runs.set(needs, facts);
  }
  return { runs, others };
}

/** By fingerprint: a run without one has no known provenance. */
async function readRuns(
  db: Db,
  org: string,
  some: readonly { readonly needed: RunKey }[],
): Promise<(RunFacts | undefined)[]> {
  if (some.length === 0) return [];
  const { rows } = await sql<RunFacts & { place: number }>`
    select needed.place, coalesce(judged.compliance, 'unknown') as compliance,
      coalesce(judged.decision_ids, '{}') as decision_ids, judged.waiver_id,
      coalesce(judged.artifact_ids[1], newest.id) as artifact_id
    from unnest(${some.map(({ needed }) => needed.environmentId)}::uuid[], ${some.map(({ needed }) => needed.name)}::text[],
      ${some.map(({ needed }) => needed.fingerprint)}::text[],
      ${some.map(({ needed }) => needed.lastKnown ?? 2 ** 31 - 1)}::integer[])
      with ordinality as needed (environment_id, name, fingerprint, last_known, place)
    left join lateral (
      select verdict.* from (
        select no from running
        where org_id = ${org} and fingerprint <> '' and name = needed.name
          and environment_id::text || ' ' || fingerprint = needed.environment_id::text || ' ' || needed.fingerprint
          and from_index <= needed.last_known
        order by no desc limit 1
      ) as run
      cross join lateral (
        select compliance, decision_ids, waiver_id, artifact_ids from running_verdict
        where org_id = ${org} and environment_id = needed.environment_id and no = run.no
          and from_index <= needed.last_known
        order by from_index desc limit 1
      ) as verdict
    ) as judged on true
    left join lateral (
      select id from artifact where org_id = ${org} and fingerprint = needed.fingerprint
      order by receipt desc limit 1
    ) as newest on judged.artifact_ids[1] is null`.execute(db);
  const found = new Map(rows.map((row) => [row.place, row]));
  return some.map((_, i) => found.get(i + 1));
}

/** The runs that began to fail with a snapshot: an environment cannot become non-compliant in any other way. */
async function readFailing(db: Db, org: string, all: readonly Needs[]) {
  const some = needing(all, 'failing');
  const found = new Map<Needs, { count: number; runs: FailingRun[] }>();
  if (some.length === 0) return found;
  const { rows } = await sql<FailingRun & { place: number; count: number }>`
    select needed.place, snapshot.non_compliant_count as count, failing.*
    from unnest(${some.map(({ needed }) => needed.environmentId)}::uuid[],
      ${some.map(({ needed }) => needed.index)}::integer[]) with ordinality as needed (environment_id, index, place)
    join snapshot on snapshot.org_id = ${org} and snapshot.environment_id = needed.environment_id
      and snapshot.index = needed.index
    cross join lateral (
      select running.name, running.fingerprint, verdict.compliance, verdict.decision_ids, verdict.waiver_id,
        verdict.artifact_ids[1] as artifact_id
      from (
        select no from running
        where org_id = ${org} and environment_id = needed.environment_id and from_index = needed.index
        union
        select no from running_verdict
        where org_id = ${org} and environment_id = needed.environment_id and from_index = needed.index
          and cause <> 'started'
      ) as changed
      join running_verdict as verdict on verdict.org_id = ${org} and verdict.environment_id = needed.environment_id
        and verdict.no = changed.no and verdict.from_index = needed.index and verdict.compliance = 'non-compliant'
      join running on running.org_id = ${org} and running.environment_id = needed.environment_id
        and running.no = changed.no
      order by running.name, running.fingerprint limit ${FAILING_NAMED}
    ) as failing
    order by needed.place, failing.name, failing.fingerprint`.execute(db);
  for (const [place, runs] of Map.groupBy(rows, (row) => row.place)) {
    const needs = some[place - 1]?.needs;
    if (needs) found.set(needs, { count: runs[0]?.count ?? runs.length, runs });
  }
  return found;
}

/** The latest snapshot at a time, and whether the environment is stale. */
async function readEnvironmentStates(
  db: Db,
  org: string,
  all: readonly Needs[],
): Promise<Map<Needs, EnvironmentStateThen>> {
  const some = needing(all, 'state');
  if (some.length === 0) return new Map();
  const { rows } = await sql<EnvironmentStateThen & { place: number }>`
    select needed.place, latest.index, latest.compliance, turned.trigger as "turnedBy",
      coalesce(beat.silent_since <= needed.at, false) as "isStale"
    from unnest(${some.map(({ needed }) => needed.environmentId)}::uuid[],
      ${some.map(({ needed }) => needed.at)}::timestamptz[],
      ${some.map(({ needed }) => needed.since ?? null)}::timestamptz[])
      with ordinality as needed (environment_id, at, since, place)
    cross join lateral (
      select index, compliance from snapshot
      where org_id = ${org} and environment_id = needed.environment_id and created_at <= needed.at
      order by created_at desc, index desc limit 1
    ) as latest
    left join lateral (
      select snapshot.trigger from snapshot
      left join snapshot as before on before.org_id = ${org} and before.environment_id = needed.environment_id
        and before.index = snapshot.index - 1
      where snapshot.org_id = ${org} and snapshot.environment_id = needed.environment_id
        and snapshot.created_at between needed.since and needed.at
        and snapshot.compliance = 'compliant' and before.compliance is distinct from 'compliant'
      order by snapshot.created_at desc, snapshot.index desc limit 1
    ) as turned on true
    left join environment_heartbeat as beat on beat.org_id = ${org}
      and beat.environment_id = needed.environment_id`.execute(db);
  return byPlace(some, rows);
}

async function readAttestations(db: Db, org: string, all: readonly Needs[]): Promise<Map<Needs, AttestationFacts>> {
  const some = needing(all, 'attestationId');
  if (some.length === 0) return new Map();
  const { rows } = await sql<Omit<AttestationFacts, 'complaint'> & { place: number; verdict: string | null }>`
    select needed.place, case when not attestation.is_compliant then attestation.verdict end as verdict,
      coalesce(attestation.fingerprint, '') as fingerprint, report.filename, report.id as artifact_id
    from unnest(${some.map(({ needed }) => needed)}::uuid[]) with ordinality as needed (id, place)
    join attestation on attestation.org_id = ${org} and attestation.id = needed.id
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
  const stored = readStored<{ reasons?: readonly string[] }>(verdict) ?? { reasons: [UNREADABLE_ATTESTATION] };
  return stored.reasons?.[0] ?? null;
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
  some: readonly { needs: Needs }[],
  rows: readonly Row[],
): Map<Needs, Row> {
  const found = new Map<Needs, Row>();
  for (const row of rows) {
    const needs = some[row.place - 1]?.needs;
    if (needs) found.set(needs, row);
  }
  return found;
}
