import { type Expression, indexOf, momentOf, parseExpression } from '@waymark/snapshots';
import type { Ctx } from '../../../platform/ctx.ts';
import { unprepared } from '../../../platform/db/statement.ts';
import type { RunCompliance, SnapshotTrigger } from '../../../platform/db/tables.ts';
import { invalidField, Problem } from '../../../platform/errors.ts';
import { type EnvironmentRow, listMembers } from '../../environments/environment.reads.ts';
import type { OfEnvironment } from '../record/current-runs.reads.ts';
import { holdingAt, nodesHoldingOrEnding } from './run-intervals.reads.ts';

type Compliance = 'compliant' | 'non-compliant' | 'unknown';

export interface SnapshotRow {
  readonly index: number;
  readonly created_at: Date;
  readonly trigger: SnapshotTrigger;
  readonly compliance: Compliance;
  /** `applied_policies` as JSON text, without the failures. */
  readonly policies: string;
  readonly policy_set_id: string | null;
  /** When the next one was made; null for the latest. */
  readonly next_at: Date | null;
}

const readSnapshot = unprepared<OfEnvironment & { index: number }, SnapshotRow>(
  'read_snapshot',
  `select snapshot.index, snapshot.created_at, snapshot.trigger, snapshot.compliance, next.created_at as next_at,
     coalesce(policies.content, '[]') as policies, snapshot.policy_set_id
   from snapshot
   left join policy_set as policies on policies.org_id = snapshot.org_id and policies.id = snapshot.policy_set_id
   left join snapshot as next on next.org_id = snapshot.org_id and next.environment_id = snapshot.environment_id
     and next.index = snapshot.index + 1
   where snapshot.org_id = :org_id and snapshot.environment_id = :environment_id and snapshot.index = :index::integer`,
);

const findIndexAt = unprepared<OfEnvironment & { moment: Date }, { index: number }>(
  'find_snapshot_at',
  `select index from snapshot
   where org_id = :org_id and environment_id = :environment_id and created_at <= :moment::timestamptz
   order by created_at desc, index desc limit 1`,
);

/** Throws when the expression is invalid or no snapshot matches. */
export async function resolveSnapshot(ctx: Ctx, environment: EnvironmentRow, text: string): Promise<SnapshotRow> {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw invalidField('snapshot_expression', parsed.problem);
  await requirePhysical(ctx, environment, 'env_name');
  return findSnapshot(ctx, environment, parsed.expression);
}

const MEMBERS_SHOWN = 20;

export async function requirePhysical(ctx: Ctx, environment: EnvironmentRow, field: string): Promise<void> {
  if (environment.type !== 'logical') return;
  const names = (await listMembers(ctx, environment.id)).map((member) => member.name);
  const more = names.length > MEMBERS_SHOWN ? ` and ${names.length - MEMBERS_SHOWN} more` : '';
  const members = `${names.slice(0, MEMBERS_SHOWN).join(', ')}${more}`;
  throw invalidField(
    field,
    names.length === 0
      ? 'is a logical environment without members, and has no snapshots of its own'
      : `is a logical environment and has no snapshots of its own; use those of its members: ${members}`,
  );
}

/** Of a physical environment. */
export async function findSnapshot(
  ctx: Ctx,
  environment: EnvironmentRow,
  expression: Expression,
): Promise<SnapshotRow> {
  const at = { org_id: ctx.org, environment_id: environment.id };
  if (environment.snapshot_count === 0) throw missing(`Environment '${environment.name}' has no snapshots yet`);
  const index = await indexFor(ctx, environment, expression);
  const [snapshot] =
    index < 1 || index > environment.snapshot_count ? [] : await readSnapshot(ctx.db, { ...at, index });
  if (!snapshot) {
    const { name, snapshot_count: count } = environment;
    const existing = `${count} ${count === 1 ? 'snapshot' : 'snapshots'}`;
    const sent = fromLatest(expression);
    throw missing(
      sent === undefined
        ? `Snapshot ${index} of '${name}' does not exist: it has ${existing}`
        : `Snapshot expression '${sent}' is number ${index}, and '${name}' has ${existing}`,
    );
  }
  return snapshot;
}

/** As sent, if it counts back from the latest snapshot. */
function fromLatest(expression: Expression): string | undefined {
  if (expression.kind === 'behind') return `~${expression.count}`;
  return expression.kind === 'index' && expression.index < 0 ? String(expression.index) : undefined;
}

async function indexFor(ctx: Ctx, environment: EnvironmentRow, expression: Expression): Promise<number> {
  if (expression.kind === 'index' || expression.kind === 'behind')
    return indexOf(expression, environment.snapshot_count);
  // The latest snapshot was made before now, whatever the clock of this server says.
  if (expression.kind === 'now') return environment.snapshot_count;
  const at = { org_id: ctx.org, environment_id: environment.id };
  const moment = momentOf(expression, ctx.now());
  const [found] = await findIndexAt(ctx.db, { ...at, moment });
  // A snapshot made since the environment was read counts for the next request.
  if (found) return Math.min(found.index, environment.snapshot_count);
  const [first] = await readSnapshot(ctx.db, { ...at, index: 1 });
  const since = first ? `: the first was created at ${wholeSeconds(first.created_at)}` : '';
  throw missing(`There was no snapshot of '${environment.name}' at ${wholeSeconds(moment)}${since}`);
}

function wholeSeconds(moment: Date): string {
  return `${moment.toISOString().slice(0, -'.000Z'.length)}Z`;
}

function missing(message: string): Problem {
  return new Problem('not_found', message);
}

/** What ran or exited in a snapshot. */
export interface RunAt {
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly startedIn: number;
  readonly hasExited: boolean;
  /** `{1,5}`: the snapshots in which this fingerprint started. */
  readonly deployments: string;
  /** Instances in the snapshot before this one. */
  readonly was: number;
  readonly now: number;
  /** An `InstanceDetail`; the last one of an exited artifact. */
  readonly detail: string;
  readonly compliance: RunCompliance;
  /** Set when the verdict on a continuing run changed in this snapshot: the cause, and the verdict before. */
  readonly changed: { readonly cause: Exclude<Cause, 'started'>; readonly from: RunCompliance } | undefined;
  /** Reports of the artifact: the newest of each flow, newest first. */
  readonly artifactIds: readonly string[];
  readonly replacedNo: number | null;
  readonly evidenceId: string | null;
  readonly decisionIds: readonly string[];
  readonly waiverId: string | null;
}

type Cause = 'started' | 'verdict' | 'provenance' | 'restated';

interface RunRow {
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly from_index: number;
  readonly deployments: string;
  readonly ended: boolean;
}

interface InstancesRow {
  readonly no: number;
  readonly from_index: number;
  readonly ended: boolean;
  readonly count: number;
  readonly detail: string;
}

interface VerdictRow {
  readonly no: number;
  readonly from_index: number;
  readonly ended: boolean;
  readonly cause: Cause;
  readonly compliance: RunCompliance;
  readonly artifact_ids: string;
  readonly replaced_no: number | null;
  readonly evidence_id: string | null;
  readonly decision_ids: string;
  readonly waiver_id: string | null;
}

type AtSnapshot = OfEnvironment & {
  index: number;
  nodes_before: readonly number[];
  nodes_behind: readonly number[];
};

const ENDED = 'coalesce(until_index = :index::integer, false) as ended';

/** The intervals that hold in a snapshot, and those that ended in it. */
function heldAt(columns: string, table: 'running' | 'running_instances' | 'running_verdict'): string {
  return holdingAt({ table, columns: `${columns}, ${ENDED}`, index: ':index', orEnding: true });
}

const listRunsAt = unprepared<AtSnapshot, RunRow>(
  'list_runs_at',
  `${heldAt('no, name, fingerprint, from_index, deployments::text as deployments', 'running')}
   order by name, fingerprint`,
);

const listInstancesAt = unprepared<AtSnapshot, InstancesRow>(
  'list_instances_at',
  heldAt('no, from_index, count, detail', 'running_instances'),
);

const listVerdictsAt = unprepared<AtSnapshot, VerdictRow>(
  'list_verdicts_at',
  heldAt(
    `no, from_index, cause, compliance, artifact_ids::text as artifact_ids, replaced_no, evidence_id,
     decision_ids::text as decision_ids, waiver_id`,
    'running_verdict',
  ),
);

/** In the order of names, then fingerprints. */
export async function readRunsAt(ctx: Ctx, environment: EnvironmentRow, index: number): Promise<RunAt[]> {
  const at = {
    ...{ org_id: ctx.org, environment_id: environment.id, index },
    ...nodesHoldingOrEnding(index, environment.snapshot_count),
  };
  const [runs, instances, verdicts] = await Promise.all([
    listRunsAt(ctx.db, at),
    listInstancesAt(ctx.db, at),
    listVerdictsAt(ctx.db, at),
  ]);
  const instancesOf = heldByRun(instances);
  const verdictsOf = heldByRun(verdicts);
  return runs.map((run) => toRunAt(run, index, instancesOf.get(run.no), verdictsOf.get(run.no)));
}

interface Held<Row> {
  now: Row | undefined;
  before: Row | undefined;
}

function heldByRun<Row extends { no: number; ended: boolean }>(rows: readonly Row[]): Map<number, Held<Row>> {
  const byRun = new Map<number, Held<Row>>();
  for (const row of rows) {
    const held = byRun.get(row.no) ?? { now: undefined, before: undefined };
    held[row.ended ? 'before' : 'now'] = row;
    byRun.set(row.no, held);
  }
  return byRun;
}

function toRunAt(
  run: RunRow,
  index: number,
  instances: Held<InstancesRow> | undefined,
  verdicts: Held<VerdictRow> | undefined,
): RunAt {
  const { now, before } = instances ?? {};
  const verdict = verdicts?.now ?? verdicts?.before;
  return {
    no: run.no,
    name: run.name,
    fingerprint: run.fingerprint,
    startedIn: run.from_index,
    hasExited: run.ended,
    deployments: run.deployments,
    was: run.from_index === index ? 0 : ((now && now.from_index < index ? now : before)?.count ?? 0),
    now: run.ended ? 0 : (now?.count ?? 0),
    detail: (now ?? before)?.detail ?? '{"timestamps":[]}',
    changed: verdicts && changeOf(verdicts),
    ...verdictOf(verdict),
  };
}

function verdictOf(verdict: VerdictRow | undefined) {
  if (!verdict)
    return {
      compliance: 'unknown' as const,
      artifactIds: [],
      replacedNo: null,
      evidenceId: null,
      decisionIds: [],
      waiverId: null,
    };
  return {
    compliance: verdict.compliance,
    artifactIds: elementsOf(verdict.artifact_ids),
    replacedNo: verdict.replaced_no,
    evidenceId: verdict.evidence_id,
    decisionIds: elementsOf(verdict.decision_ids),
    waiverId: verdict.waiver_id,
  };
}

function changeOf({ now, before }: Held<VerdictRow>): RunAt['changed'] {
  if (!(now && before) || now.cause === 'started') return undefined;
  return { cause: now.cause, from: before.compliance };
}

/** Splits an array as PostgreSQL writes it, with elements that need no quotes. */
export function elementsOf(text: string): string[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',');
}
