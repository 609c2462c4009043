import type { Ctx } from '../../platform/ctx.ts';
import type { EnvironmentView } from '../environments/environment.reads.ts';
import type { RunInterval, RunRow } from '../snapshots/read/run-intervals.reads.ts';
import { listDecisions, listVerdicts, type VerdictRow } from './back-test.store.ts';
import type { BackTestOutcome, OutcomeSince, TriedPolicy } from './back-test-outcome.ts';
import type { Compared, Interval } from './compare-verdicts.ts';
import type { createJudge } from './judge-again.ts';
import { inSnapshots, type SnapshotTimes } from './snapshot-times.ts';

export interface Comparing {
  readonly environment: EnvironmentView;
  readonly interval: RunInterval;
  readonly policy: TriedPolicy | null;
  readonly isAlone: boolean;
  readonly judge: ReturnType<typeof createJudge> | null;
  /** Of a policy that depends on the time. */
  readonly times: SnapshotTimes | null;
}

interface VerdictOver extends Interval {
  readonly verdict: VerdictRow;
}

/** Returns the recorded and the predicted verdicts on each run in the interval, by run number. */
export async function compareRuns(
  ctx: Ctx,
  comparing: Comparing,
  runs: readonly RunRow[],
): Promise<Map<number, Compared[]>> {
  const { interval } = comparing;
  const runOf = new Map(runs.map((run) => [run.no, run]));
  const verdicts = await listVerdicts(ctx.db, { ...interval, nos: [...runOf.keys()] });
  const end = interval.last + 1;
  const over = verdicts.map((verdict) => ({
    verdict,
    from: Math.max(verdict.from_index, interval.first),
    until: Math.min(verdict.until_index ?? end, end),
  }));
  const outcomes = await judgeAll(ctx, comparing, runOf, over);
  const remainingOf = await readRemaining(ctx, comparing, verdicts);
  const compared = over.flatMap(({ verdict, from, until }, i) => {
    const recorded = {
      no: verdict.no,
      recorded: verdict.compliance,
      evidence: verdict.evidence_id === null ? ('present' as const) : ('recorded' as const),
    };
    const remaining = remainingOf(verdict);
    return partsOf(comparing, outcomes?.[i], { from, until }).map(({ outcome, ...part }) => {
      return { ...recorded, ...part, would: wouldBe(outcome, remaining) };
    });
  });
  return Map.groupBy(compared, ({ no }) => no);
}

function partsOf(
  { times }: Comparing,
  outcomes: readonly OutcomeSince[] | undefined,
  over: Interval,
): (Interval & { readonly outcome: BackTestOutcome | undefined })[] {
  if (outcomes === undefined || times === null) return [{ ...over, outcome: outcomes?.[0]?.outcome }];
  return inSnapshots(outcomes, over, times);
}

async function judgeAll(
  ctx: Ctx,
  { judge, times, environment: { name, tags } }: Comparing,
  runOf: ReadonlyMap<number, RunRow>,
  verdicts: readonly VerdictOver[],
): Promise<OutcomeSince[][] | undefined> {
  if (!judge) return undefined;
  const environment = { name, tags };
  const asked = verdicts.map(({ verdict: { no, evidence_id: evidenceId }, from, until }) => {
    const run = runOf.get(no);
    if (!run) throw new Error(`run ${no} was not asked for`);
    const during = { from: times?.startOf(from) ?? 0, until: times?.startOf(until) ?? 0 };
    return { fingerprint: run.fingerprint, evidenceId, context: { artifactName: run.name, environment }, during };
  });
  return judge(ctx, asked);
}

function wouldBe(outcome: BackTestOutcome | undefined, remaining: readonly BackTestOutcome[]): Compared['would'] {
  const all = outcome === undefined ? remaining : [outcome, ...remaining];
  if (all.length === 0) return null;
  const reasons = all.filter((one) => one !== null);
  return { isCompliant: reasons.length === 0, reasons };
}

/** Reads the decisions that remain: those of all policies that applied then, except the replaced one. */
async function readRemaining(
  ctx: Ctx,
  { policy, isAlone }: Comparing,
  verdicts: readonly VerdictRow[],
): Promise<(verdict: VerdictRow) => BackTestOutcome[]> {
  if (isAlone) return () => [];
  const ids = [...new Set(verdicts.flatMap((verdict) => verdict.decision_ids))];
  const rows = ids.length === 0 ? [] : await listDecisions(ctx.db, { org_id: ctx.org, ids });
  const decisionOf = new Map(rows.map((row) => [row.id, row]));
  return ({ decision_ids: decisionIds }) => {
    const decisions = decisionIds.flatMap((id) => decisionOf.get(id) ?? []);
    const staying = decisions.filter((decision) => decision.policy_id !== policy?.policyId);
    return staying.map((decision) => decision.reasons);
  };
}
