import type { ToExplain } from '@waymark/policy';
import type { Ctx } from '../../../platform/ctx.ts';
import { epochSeconds } from '../../../platform/time.ts';
import type { EnvironmentView } from '../../environments/environment.reads.ts';
import type { Applied } from '../../runtime-verdicts/applied.reads.ts';
import { type ArtifactJudgedNow, judgeNow } from '../../runtime-verdicts/judge-now.reads.ts';
import type { RunVerdict } from '../../runtime-verdicts/judge-runs.service.ts';
import { type RunAt, readRunsAt } from '../../snapshots/read/snapshot.reads.ts';
import { artifactFixes } from './actions.ts';
import type { ArtifactVerdict } from './explain-artifact.ts';
import type { EnvironmentVerdict, Times } from './explain-environment.ts';
import { findSinceIn, type RunHistory, readRunHistory, readTimes } from './history.reads.ts';
import { shownRuns } from './shown-runs.ts';
import { readWaivers } from './waiver.reads.ts';

interface JudgedRun {
  readonly run: RunAt;
  readonly verdict: RunVerdict;
  readonly name: string;
  readonly compliance: RunVerdict['compliance'];
}

/** Judges what runs now. Recorded verdicts show since when, while they are the same. */
export async function readLive(ctx: Ctx, environment: EnvironmentView, isAll: boolean): Promise<EnvironmentVerdict> {
  const { id, name, snapshot_count: index } = environment;
  const runs = index === 0 ? [] : (await readRunsAt(ctx, environment, index)).filter((run) => !run.hasExited);
  const { applied, verdicts } = await judgeNow(ctx, environment, runs);
  const judged = runs.flatMap((run, i): JudgedRun[] => {
    const verdict = verdicts[i];
    return verdict ? [{ run, verdict, name: run.name, compliance: verdict.compliance }] : [];
  });
  const shown = shownRuns(judged, applied.policies.length, isAll);
  const compliance = index === 0 ? 'unknown' : complianceOf(applied, judged);
  const nos = shown.map(({ run }) => run.no);
  const history = await readRunHistory(ctx, id, index, nos);
  const sinceIn = index === 0 ? null : await findSinceIn(ctx, id, index, environment.compliance);
  const timeOf = await readTimes(ctx, id, [
    ...Array.from(history.values(), (run) => run.sinceIn),
    ...(sinceIn === null ? [] : [sinceIn, index]),
  ]);
  const waivers = await readWaivers(
    ctx,
    shown.flatMap(({ verdict }) => verdict.waiverId ?? []),
  );
  const now = epochSeconds(ctx.now());
  const sinceOf = (run: RunAt, verdict: RunVerdict, recorded: RunHistory | undefined) =>
    recorded && run.compliance === verdict.compliance ? timeOf(recorded.sinceIn) : now;
  return {
    ...{ name, snapshotIndex: index === 0 ? null : index, isStored: false, compliance },
    isStale: environment.stale_since !== null,
    policies: applied.policies.map((policy) => policy.name),
    runs: judged,
    shown: shown.map(({ run, verdict }) => ({
      ...toVerdict(applied, verdict, run),
      waiver: waivers.get(verdict.waiverId ?? '') ?? null,
      since: sinceOf(run, verdict, history.get(run.no)),
    })),
    fixes: judged
      .filter((one) => one.compliance === 'non-compliant')
      .map(({ run, verdict }) => artifactFixes(run, verdict.decisions)),
    times: index === 0 ? NEVER : timesOf(compliance === environment.compliance, sinceIn, index, timeOf, now),
  };
}

/** Without policies compliance is unknown; with policies it is compliant unless something fails. */
function complianceOf({ set }: Applied, judged: readonly JudgedRun[]): EnvironmentVerdict['compliance'] {
  if (set === null) return 'unknown';
  return judged.some(({ compliance }) => compliance === 'non-compliant') ? 'non-compliant' : 'compliant';
}

/** For an environment that never reported. */
const NEVER: Times = { judgedAt: null, since: null, sinceIn: null };

/** A change that is not recorded yet began now. */
function timesOf(
  isRecorded: boolean,
  sinceIn: number | null,
  judgedIn: number,
  timeOf: (index: number) => number | null,
  now: number,
): Times {
  if (sinceIn === null || !isRecorded) return { judgedAt: now, since: now, sinceIn: null };
  return { judgedAt: timeOf(judgedIn), since: timeOf(sinceIn), sinceIn };
}

function toVerdict(
  { policies }: Applied,
  { compliance, evidence, decisions }: RunVerdict,
  { name, fingerprint }: { readonly name: string; readonly fingerprint: string },
): Omit<ArtifactVerdict, 'waiver' | 'since'> {
  const explained = decisions.flatMap(({ policyName, policyVersion, judged }, i): ToExplain[] => {
    const policy = policies[i]?.policy;
    const identity = { name: policyName, version: policyVersion };
    return policy && evidence ? [{ policy, identity, evidence: evidence.evidence, judged }] : [];
  });
  return { name, fingerprint, compliance, decisions: explained };
}

/** Judges one artifact, whether or not it runs there. */
export async function readArtifactLive(
  ctx: Ctx,
  { id, snapshot_count: index }: EnvironmentView,
  fingerprint: string,
  judged: ArtifactJudgedNow,
): Promise<{ readonly verdict: ArtifactVerdict; readonly times: Times }> {
  const { applied, verdict, name, runNo, waiver } = judged;
  const recorded = runNo === null ? undefined : (await readRunHistory(ctx, id, index, [runNo])).get(runNo);
  const timeOf = await readTimes(ctx, id, recorded ? [recorded.sinceIn, recorded.judgedIn] : []);
  const isRecorded = recorded?.compliance === verdict.compliance;
  const now = epochSeconds(ctx.now());
  const times = timesOf(isRecorded, recorded?.sinceIn ?? null, recorded?.judgedIn ?? 0, timeOf, now);
  const explained = toVerdict(applied, verdict, { name, fingerprint });
  return {
    verdict: { ...explained, waiver: verdict.waiverId === null ? null : waiver, since: times.since },
    times,
  };
}
