import type { Ctx } from '../../../platform/ctx.ts';
import { type ArtifactReport, readProvenance, shownProvenance } from '../../provenance/provenance.reads.ts';
import {
  type EnvironmentState,
  type KnownRun,
  listKnownRuns,
  listRunsOfArtifacts,
} from '../../snapshots/record/current-runs.reads.ts';
import type { Applied } from '../applied.reads.ts';
import { listStatuses } from '../decision.store.ts';
import type { Decision, KnownEvidence } from '../judge.service.ts';
import { JUDGE_BATCH_SIZE, type StoredVerdict, toStoredVerdict } from '../judge-and-store.service.ts';
import { judgeRuns, type RunVerdict } from '../judge-runs.service.ts';
import { storeDecisions } from '../store-decisions.service.ts';
import { scheduleTurns } from '../turns/schedule-turns.service.ts';
import { withChangedProvenance } from './changed-provenance.ts';

/** An environment as a re-evaluation finds it. */
export interface Reevaluated {
  readonly state: EnvironmentState;
  readonly applied: Applied;
  /** The policies differ from those of the latest snapshot: everything that runs is judged again. */
  readonly isRejudged: boolean;
  /** All artifacts that run there, unless given. */
  readonly fingerprints: readonly string[] | undefined;
}

/** A run whose provenance or verdict has changed. */
export interface ChangedRun {
  readonly run: KnownRun;
  readonly verdict: StoredVerdict;
  readonly reports: readonly ArtifactReport[];
  readonly hasNewProvenance: boolean;
}

/** Finds the changed runs by environment. Works in batches, and stores the decisions of each before the next is judged. */
export async function findChangedRuns(ctx: Ctx, views: readonly Reevaluated[]): Promise<Map<string, ChangedRun[]>> {
  const viewOf = new Map(views.map((view) => [view.state.id, view]));
  const runs = await readRuns(ctx, views);
  const found: ChangedRun[] = [];
  for (let from = 0; from < runs.length; from += JUDGE_BATCH_SIZE) {
    found.push(...(await changedRunsIn(ctx, viewOf, runs.slice(from, from + JUDGE_BATCH_SIZE))));
  }
  return Map.groupBy(found, ({ run }) => run.environmentId);
}

async function changedRunsIn(
  ctx: Ctx,
  viewOf: ReadonlyMap<string, Reevaluated>,
  runs: readonly KnownRun[],
): Promise<ChangedRun[]> {
  const fingerprints = runs.map((run) => run.fingerprint);
  const provenanceOf = await readProvenance(ctx.db, ctx.org, fingerprints);
  const identified = runs.filter((run) => run.fingerprint !== '');
  const withNewProvenance = new Set(await withChangedProvenance(ctx, identified, provenanceOf));
  const toJudge = runs.flatMap((run) => {
    const view = viewOf.get(run.environmentId);
    return view ? [{ run, environment: view.state, applied: view.applied, view }] : [];
  });
  const asked = toJudge.map(({ run, ...at }) => ({ ...at, name: run.name, fingerprint: run.fingerprint }));
  const verdicts = await judgeRuns(ctx, asked, provenanceOf);
  await scheduleTurns(ctx, asked, verdicts);
  const judged = toJudge.flatMap((it, i) => (verdicts[i] ? [{ ...it, verdict: verdicts[i] }] : []));
  const isSame = await sameVerdict(ctx, judged);
  const differing = judged.filter(({ run, view, verdict }) => {
    return withNewProvenance.has(run) || view.isRejudged || !isSame(run, verdict);
  });
  await storeDecisions(ctx, { sets: [], ...newIn(differing) });
  return differing.map(({ run, verdict }) => ({
    run,
    verdict: toStoredVerdict(verdict),
    hasNewProvenance: withNewProvenance.has(run),
    reports: shownProvenance(provenanceOf.get(run.fingerprint)),
  }));
}

async function readRuns(ctx: Ctx, views: readonly Reevaluated[]): Promise<KnownRun[]> {
  const some = views.flatMap(({ state, fingerprints }) =>
    [...new Set(fingerprints)].map((fingerprint) => ({ environmentId: state.id, fingerprint })),
  );
  const runs = await listRunsOfArtifacts(ctx.db, ctx.org, some);
  for (const { state, fingerprints } of views) {
    if (fingerprints) continue;
    runs.push(...(await listKnownRuns(ctx.db, { org_id: ctx.org, environment_id: state.id })));
  }
  return runs;
}

/**
 * Returns whether a verdict is as compliant as before, under each policy. Other evidence or other reasons with the same
 * result make no new verdict.
 */
async function sameVerdict(
  ctx: Ctx,
  judged: readonly { run: KnownRun; verdict: RunVerdict }[],
): Promise<(run: KnownRun, verdict: RunVerdict) => boolean> {
  const isOther = (run: KnownRun, verdict: RunVerdict) =>
    verdict.decisions.some(({ id }, i) => id !== run.decisionIds[i]);
  const others = judged.filter(({ run, verdict }) => isOther(run, verdict));
  const ids = [...new Set(others.flatMap(({ run }) => run.decisionIds))];
  const rows = ids.length === 0 ? [] : await listStatuses(ctx.db, { org_id: ctx.org, ids });
  const statusOf = new Map(rows.map((row) => [row.id, row.status]));
  return (run, verdict) =>
    run.compliance === verdict.compliance &&
    run.decisionIds.length === verdict.decisions.length &&
    verdict.decisions.every(({ id, status }, i) => {
      const before = run.decisionIds[i] ?? '';
      return id === before || statusOf.get(before) === status;
    });
}

/** Leaves out what the runs refer to already: most decisions, when one of many policies changes. */
function newIn(differing: readonly { run: KnownRun; verdict: RunVerdict }[]) {
  const states: KnownEvidence[] = [];
  const decisions: Decision[] = [];
  for (const { run, verdict } of differing) {
    const known = new Set(run.decisionIds);
    if (verdict.evidence && verdict.evidence.id !== run.evidenceId) states.push(verdict.evidence);
    decisions.push(...verdict.decisions.filter(({ id }) => !known.has(id)));
  }
  return { states, decisions };
}
