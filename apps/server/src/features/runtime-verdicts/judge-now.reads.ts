import { readingsFor } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import type { RunCompliance } from '../../platform/db/tables.ts';
import { inSlices } from '../../platform/slices.ts';
import { epochSeconds } from '../../platform/time.ts';
import type { AttachedPolicy } from '../policies/attached.reads.ts';
import { readProvenance } from '../provenance/provenance.reads.ts';
import { readReadings } from '../readings/reading.reads.ts';
import { type ActiveWaiver, readActiveWaivers, waiverKey } from './active-waiver.reads.ts';
import { type Applied, parsedPolicies, readApplied } from './applied.reads.ts';
import { readEvidence } from './evidence.reads.ts';
import { createJudging, type Decision, known, unknownArtifact } from './judge.service.ts';
import { type JudgedEnvironment, judgeRuns, type RunVerdict } from './judge-runs.service.ts';

interface ArtifactToJudge {
  readonly name: string;
  readonly fingerprint: string;
}

interface JudgedNow {
  readonly applied: Applied;
  /** One per artifact, in the same order. */
  readonly verdicts: readonly RunVerdict[];
}

/** Judges artifacts by the policies of an environment now, whether or not they run there. Stores nothing. */
export async function judgeNow(
  ctx: Ctx,
  environment: JudgedEnvironment,
  artifacts: readonly ArtifactToJudge[],
): Promise<JudgedNow> {
  const applied = (await readApplied(ctx, [environment.id]))(environment.id);
  return { applied, verdicts: await judgeUnder(ctx, environment, applied, artifacts) };
}

/**
 * Judges artifacts in an environment by these policies, whether or not they are attached. Returns one verdict per
 * artifact, in the same order, with the decisions in the order of the policies. Stores nothing.
 */
export async function judgeUnder(
  ctx: Ctx,
  environment: JudgedEnvironment,
  applied: Applied,
  artifacts: readonly ArtifactToJudge[],
): Promise<RunVerdict[]> {
  const fingerprints = artifacts.map(({ fingerprint }) => fingerprint);
  const provenanceOf = await readProvenance(ctx.db, ctx.org, fingerprints);
  const runs = artifacts.map(({ name, fingerprint }) => ({ environment, applied, name, fingerprint }));
  return judgeRuns(ctx, runs, provenanceOf);
}

/**
 * Judges an artifact by policies alone, outside any environment. Returns the decisions in the order of the policies.
 */
export async function judgeByPolicies(
  ctx: Ctx,
  policies: readonly AttachedPolicy[],
  { name, fingerprint }: ArtifactToJudge,
): Promise<Decision[]> {
  const reports = await readProvenance(ctx.db, ctx.org, [fingerprint]);
  const evidence = (await readEvidence(ctx, reports)).get(fingerprint);
  const applied = parsedPolicies(policies);
  const judged = evidence ? known(evidence) : unknownArtifact(fingerprint);
  const readings = await readReadings(
    ctx,
    applied.flatMap(({ policy }) => readingsFor(policy, judged.evidence)),
  );
  const where = { artifactName: name, environment: null, readings, now: epochSeconds(ctx.now()) };
  return inSlices(ctx, createJudging().judge(applied, judged, where));
}

const listRunningAs = statement<
  { org_id: string; environment_id: string; fingerprint: string },
  { no: number; name: string }
>(
  'list_running_as',
  `select no, name from running
   where org_id = :org_id and environment_id = :environment_id and fingerprint = :fingerprint and until_index is null
   order by name`,
);

const findNewestReport = statement<{ org_id: string; fingerprint: string }, { filename: string }>(
  'find_newest_report',
  `select report.filename from (
     select 1 as rank, :fingerprint::text as fingerprint
     union all
     select 2, index_fingerprint from image_platform
     where org_id = :org_id and platform_fingerprint = :fingerprint and is_listed
     union all
     select 3, platform_fingerprint from image_platform
     where org_id = :org_id and index_fingerprint = :fingerprint and is_listed
   ) as known
   cross join lateral (
     select filename, receipt from artifact
     where org_id = :org_id and fingerprint = known.fingerprint order by receipt desc limit 1
   ) as report
   order by known.rank, report.receipt desc limit 1`,
);

/**
 * Returns the name in the newest report of the artifact, else of the index that lists it, or of one of its platforms.
 */
export async function findReportedName(ctx: Ctx, fingerprint: string): Promise<string | undefined> {
  const [newest] = await findNewestReport(ctx.db, { org_id: ctx.org, fingerprint });
  return newest?.filename;
}

export interface ArtifactJudgedNow {
  readonly applied: Applied;
  readonly verdict: RunVerdict;
  readonly name: string;
  /** The run that was judged; null when the artifact does not run there. */
  readonly runNo: number | null;
  /** The active waiver for the artifact there, whether or not it is needed. */
  readonly waiver: ActiveWaiver | null;
}

/**
 * Judges an artifact by the policies of an environment, under the name that it runs under there, else under the name it
 * was reported with. Where it runs under several names it must pass under each. Returns undefined when the artifact is
 * unknown there.
 */
export async function judgeArtifactNow(
  ctx: Ctx,
  environment: JudgedEnvironment,
  fingerprint: string,
): Promise<ArtifactJudgedNow | undefined> {
  const waivers = await readActiveWaivers(ctx.db, ctx.org, [environment.id], [fingerprint], ctx.now());
  const waiver = waivers.get(waiverKey(environment.id, fingerprint)) ?? null;
  const running = await listRunningAs(ctx.db, { org_id: ctx.org, environment_id: environment.id, fingerprint });
  const reported = running.length > 0 ? undefined : await findReportedName(ctx, fingerprint);
  const name = reported ?? waiver?.artifact_name;
  const runs = running.length === 0 && name !== undefined ? [{ no: null, name }] : running;
  if (runs.length === 0) return undefined;
  const { applied, verdicts } = await judgeNow(
    ctx,
    environment,
    runs.map((run) => ({ name: run.name, fingerprint })),
  );
  const judged = runs.flatMap((run, i) => {
    const verdict = verdicts[i];
    return verdict ? [{ applied, verdict, name: run.name, runNo: run.no, waiver }] : [];
  });
  return judged.toSorted((a, b) => badness(b) - badness(a))[0];
}

const FROM_BEST: readonly RunCompliance[] = ['compliant', 'waived', 'unknown', 'non-compliant'];

function badness({ verdict }: { readonly verdict: RunVerdict }): number {
  return FROM_BEST.indexOf(verdict.compliance);
}
