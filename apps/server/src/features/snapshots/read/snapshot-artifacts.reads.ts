import { LRUCache } from 'lru-cache';
import type { Ctx } from '../../../platform/ctx.ts';
import { type EnvironmentRow, findEnvironmentByName } from '../../environments/environment.reads.ts';
import { readArtifactFacts } from './artifact-facts.reads.ts';
import { readRunDecisions } from './decision-json.reads.ts';
import { doubtRuns, doubtSnapshot } from './doubt.ts';
import { type RunAt, readRunsAt, resolveSnapshot, type SnapshotRow } from './snapshot.reads.ts';
import {
  type ArtifactOrder,
  countRuns,
  matchingRuns,
  type SnapshotArtifactFilter,
  sortRuns,
} from './snapshot-artifacts.ts';
import { stampOf } from './snapshot-body.reads.ts';
import { readFlowNames, readSnapshotContext } from './snapshot-context.reads.ts';
import { artifactTexts, headOf, readPolicies, storedParts } from './snapshot-view.ts';

/** Shown instead of a flow name for artifacts without provenance. */
const NO_PROVENANCE = 'no provenance';

/** Up to 2 MB each. */
const MAX_CACHED_RUNS = 4_000;
const CACHE_SIZE = 20;

const runsCache = new LRUCache<string, { stamp: string; runs: readonly RunAt[] }>({ max: CACHE_SIZE });

export interface AskedArtifacts extends SnapshotArtifactFilter, ArtifactOrder {
  readonly org: string;
  readonly publicUrl: string;
  readonly environment: string;
  readonly expression: string;
  readonly flow: string | undefined;
  readonly page: number;
  readonly perPage: number;
}

/** Returns a page of the artifacts in a snapshot as JSON in UTF-8. Context is read for the runs of the page only. */
export async function readArtifactPage(ctx: Ctx, asked: AskedArtifacts): Promise<Buffer> {
  const environment = await findEnvironmentByName(ctx, asked.environment);
  const snapshot = await resolveSnapshot(ctx, environment, asked.expression);
  const runs = await readCachedRuns(ctx, environment, snapshot);
  const isLatest = snapshot.next_at === null;
  const found = await arrange(ctx, runs, isLatest, asked);
  const shown = found.slice((asked.page - 1) * asked.perPage, asked.page * asked.perPage);
  const snapshotContext = await readSnapshotContext(ctx, environment.id, shown, isLatest, runs);
  const about = { org: asked.org, publicUrl: asked.publicUrl, environment, stored: storedParts(ctx.log) };
  const policies = readPolicies(snapshot, about);
  const doubted = doubtRuns(shown, snapshotContext.runDecisions);
  const hasPolicies = policies !== null;
  const head = JSON.stringify({
    snapshot: {
      ...headOf(doubtSnapshot(snapshot, { before: shown, after: doubted, hasPolicies }), runs, about),
      ...(!hasPolicies && { unreadable: true }),
      applied_policies: await policiesWithCounts(ctx, policies ?? [], runs, isLatest),
    },
    counts: countRuns(runs),
    page: asked.page,
    per_page: asked.perPage,
    total_count: found.length,
  });
  const artifacts = artifactTexts(doubted, snapshot, runs, snapshotContext, about);
  return Buffer.from(`${head.slice(0, -1)},"artifacts":[${artifacts}]}`);
}

/** Paging through a snapshot, or typing a filter, reads the same runs again and again. */
async function readCachedRuns(ctx: Ctx, environment: EnvironmentRow, snapshot: SnapshotRow): Promise<readonly RunAt[]> {
  const key = `${environment.id} ${snapshot.index}`;
  const stamp = stampOf(environment, snapshot);
  const known = runsCache.get(key);
  if (known?.stamp === stamp) return known.runs;
  const runs = await readRunsAt(ctx, environment, snapshot.index);
  if (runs.length <= MAX_CACHED_RUNS) runsCache.set(key, { stamp, runs });
  return runs;
}

async function arrange(ctx: Ctx, runs: readonly RunAt[], isLatest: boolean, asked: AskedArtifacts): Promise<RunAt[]> {
  const matching = matchingRuns(runs, asked);
  if (asked.flow === undefined && asked.sort !== 'flow') return sortRuns(matching, asked, () => '');
  const flowsOf = await readFlowsOf(ctx, matching, isLatest);
  const inFlow = matching.filter((run) => isIn(asked.flow, flowsOf(run)));
  return sortRuns(inFlow, asked, (run) => flowsOf(run)[0] ?? '');
}

function isIn(flow: string | undefined, flows: readonly string[]): boolean {
  if (flow === undefined) return true;
  return flow === NO_PROVENANCE ? flows.length === 0 : flows.includes(flow);
}

/** The flows of a run's reports, newest report first. */
async function readFlowsOf(
  ctx: Ctx,
  runs: readonly RunAt[],
  isLatest: boolean,
): Promise<(run: RunAt) => readonly string[]> {
  const facts = await readArtifactFacts(
    ctx,
    runs.flatMap((run) => run.artifactIds),
    isLatest,
  );
  const names = await readFlowNames(
    ctx,
    Array.from(facts.values(), ({ flowId }) => flowId),
  );
  const flowsOf = new Map(
    runs.map((run) => [run, run.artifactIds.flatMap((id) => names.get(facts.get(id)?.flowId ?? '') ?? [])]),
  );
  return (run) => flowsOf.get(run) ?? [];
}

/** Only non-compliant and waived runs fail a policy. Decisions are in the order of the policies. */
async function policiesWithCounts(ctx: Ctx, policies: readonly object[], runs: readonly RunAt[], isLatest: boolean) {
  const failing = runs.filter(
    ({ hasExited, compliance }) => !hasExited && (compliance === 'non-compliant' || compliance === 'waived'),
  );
  const { decisions } = await readRunDecisions(ctx, failing, isLatest);
  return policies.map((policy, i) => {
    const failingIt = failing.filter((run) => decisions.get(run.decisionIds[i] ?? '')?.reasons);
    const waived = failingIt.filter(({ compliance }) => compliance === 'waived').length;
    return { ...policy, failing_count: failingIt.length - waived, waived_count: waived };
  });
}
