import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { statement } from '../../../platform/db/statement.ts';
import { type ArtifactFacts, readArtifactFacts } from './artifact-facts.reads.ts';
import { type RunDecisions, readRunDecisions } from './decision-json.reads.ts';
import { type PriorFacts, readPriorFacts } from './prior-facts.reads.ts';
import { type PriorRun, readEndedRuns, readSnapshotTimes } from './prior-run.reads.ts';
import type { RunAt } from './snapshot.reads.ts';

/** What a snapshot shows of runs besides the runs themselves. */
export interface SnapshotContext {
  readonly artifacts: ReadonlyMap<string, ArtifactFacts>;
  /** Reports of replaced artifacts. */
  readonly priors: ReadonlyMap<string, PriorFacts>;
  readonly flowNames: ReadonlyMap<string, string>;
  /** Replaced runs, by number. */
  readonly replaced: ReadonlyMap<number, PriorRun>;
  /** When snapshots were made, in milliseconds since 1970. */
  readonly madeAt: ReadonlyMap<number, number>;
  readonly runDecisions: RunDecisions;
}

const listFlowNames = statement<{ org_id: string; ids: readonly string[] }, { id: string; name: string }>(
  'list_flow_names',
  'select id, name from flow where org_id = :org_id and id = any(:ids::uuid[])',
);

/** Flows are few, and their names may change at any time. */
export async function readFlowNames(ctx: Ctx, ids: Iterable<string>): Promise<Map<string, string>> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return new Map();
  const rows = await listFlowNames(ctx.db, { org_id: ctx.org, ids: distinct });
  return new Map(rows.map((row) => [row.id, row.name]));
}

/** The clocks of servers differ by less than this. */
const DAY_MS = 24 * 60 * 60_000;

/** Changes when a flow is renamed that existed before this time or, without a time, exists now. */
export async function digestFlowNames(ctx: Ctx, before: Date | null): Promise<string> {
  const created = before ? sql`and created_at < ${new Date(before.getTime() + DAY_MS)}` : sql``;
  const { rows } = await sql<{ digest: string | null }>`
    select md5(string_agg(id || ' ' || name, ',' order by id)) as digest from flow
    where org_id = ${ctx.org} ${created}`.execute(ctx.db);
  return rows[0]?.digest ?? '';
}

/**
 * Reads the context of all or some runs of a snapshot. With `isLatest` it is cached, as most requests are for the
 * latest snapshot.
 */
export async function readSnapshotContext(
  ctx: Ctx,
  environmentId: string,
  runs: readonly RunAt[],
  isLatest: boolean,
  allRuns: readonly RunAt[] = runs,
): Promise<SnapshotContext> {
  const shown = new Map(allRuns.map((run) => [run.no, run]));
  const [replaced, madeAt] = await Promise.all([
    readReplaced(ctx, environmentId, runs, shown, isLatest),
    readSnapshotTimes(
      ctx,
      environmentId,
      runs.map((run) => run.startedIn),
      isLatest,
    ),
  ]);
  const [artifacts, priors, runDecisions] = await Promise.all([
    readArtifactFacts(ctx, idsOf(runs), isLatest),
    readPriorFacts(ctx, idsOf([...replaced.values()]), isLatest),
    readRunDecisions(ctx, runs, isLatest),
  ]);
  const flowIds = new Set<string>();
  for (const { flowId } of artifacts.values()) flowIds.add(flowId);
  return { artifacts, priors, flowNames: await readFlowNames(ctx, flowIds), replaced, madeAt, runDecisions };
}

/** A run that is not shown exited earlier: it was replaced by one that had started by then. */
async function readReplaced(
  ctx: Ctx,
  environmentId: string,
  runs: readonly RunAt[],
  shown: ReadonlyMap<number, PriorRun>,
  isLatest: boolean,
): Promise<Map<number, PriorRun>> {
  const found = new Map<number, PriorRun>();
  const ended: number[] = [];
  for (const { replacedNo } of runs) {
    if (replacedNo === null) continue;
    const run = shown.get(replacedNo);
    if (run) found.set(replacedNo, run);
    else ended.push(replacedNo);
  }
  for (const [no, run] of await readEndedRuns(ctx, environmentId, ended, isLatest)) found.set(no, run);
  return found;
}

function idsOf(runs: readonly PriorRun[]): string[] {
  const ids: string[] = [];
  for (const run of runs) ids.push(...run.artifactIds);
  return ids;
}
