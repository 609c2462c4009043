import type { Ctx } from '../../platform/ctx.ts';
import type { EnvironmentView } from '../environments/environment.reads.ts';
import type { RunInterval, RunRow } from '../snapshots/read/run-intervals.reads.ts';
import { listDecisions, listVerdicts, type VerdictRow } from './back-test.store.ts';
import type { Compared } from './compare-verdicts.ts';
import type { BackTestOutcome, createJudge, TriedPolicy } from './judge-again.ts';

export interface Comparing {
  readonly environment: EnvironmentView;
  readonly interval: RunInterval;
  readonly policy: TriedPolicy | null;
  readonly isAlone: boolean;
  readonly judge: ReturnType<typeof createJudge> | null;
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
  const outcomes = await judgeAll(ctx, comparing, runOf, verdicts);
  const remainingOf = await readRemaining(ctx, comparing, verdicts);
  const end = interval.last + 1;
  const compared = verdicts.map((verdict, i) => ({
    no: verdict.no,
    from: Math.max(verdict.from_index, interval.first),
    until: Math.min(verdict.until_index ?? end, end),
    recorded: verdict.compliance,
    evidence: verdict.evidence_id === null ? ('present' as const) : ('recorded' as const),
    would: wouldBe(outcomes?.[i], remainingOf(verdict)),
  }));
  return Map.groupBy(compared, ({ no }) => no);
}

async function judgeAll(
  ctx: Ctx,
  { judge, environment: { name, tags } }: Comparing,
  runOf: ReadonlyMap<number, RunRow>,
  verdicts: readonly VerdictRow[],
): Promise<BackTestOutcome[] | undefined> {
  if (!judge) return undefined;
  const environment = { name, tags };
  const asked = verdicts.map(({ no, evidence_id: evidenceId }) => {
    const run = runOf.get(no);
    if (!run) throw new Error(`run ${no} was not asked for`);
    return { fingerprint: run.fingerprint, evidenceId, context: { artifactName: run.name, environment } };
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
