import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { type EventKey, eventKinds } from './event-key.reads.ts';

/** An event with what was known about it at the time; for an exit, what was last known before it. */
export interface EventRow extends EventKey {
  readonly name: string;
  readonly fingerprint: string;
  readonly deployments: number[];
  readonly created_at: Date;
  readonly snapshot_compliance: 'compliant' | 'non-compliant' | 'unknown';
  readonly cause: 'started' | 'verdict' | 'provenance' | 'restated';
  readonly compliance: 'compliant' | 'non-compliant' | 'unknown' | 'waived';
  readonly artifact_ids: string[];
  readonly replaced_no: number | null;
  /** What policies decided, in their order. */
  readonly decision_ids: string[];
  readonly waiver_id: string | null;
  readonly instances: number;
}

/** In the order of the keys. */
export async function readEvents(ctx: Ctx, keys: readonly EventKey[]): Promise<EventRow[]> {
  const found = new Map<EventKey, EventRow>();
  for (const [environmentId, some] of Map.groupBy(keys, (key) => key.environment_id)) {
    const rows = await readEventsOf(ctx, environmentId, some);
    for (const [i, key] of some.entries()) found.set(key, rows[i] as EventRow);
  }
  return keys.map((key) => found.get(key) as EventRow);
}

/**
 * For one environment, passed as a constant: with an environment from a row PostgreSQL would assume a short history.
 */
async function readEventsOf(ctx: Ctx, environmentId: string, keys: readonly EventKey[]): Promise<EventRow[]> {
  const at = sql`org_id = ${ctx.org} and environment_id = ${environmentId}`;
  const { rows } = await sql<EventRow>`
    select ${environmentId}::uuid as environment_id, event.index, event.kind, event.no, run.name, run.fingerprint,
      run.deployments, made.created_at, made.compliance as snapshot_compliance, verdict.cause, verdict.compliance,
      verdict.artifact_ids, verdict.replaced_no, verdict.decision_ids, verdict.waiver_id,
      case when event.kind = ${sql.lit(eventKinds.indexOf('started'))} then run.started_with else instances.count end
        as instances
    from unnest(${keys.map((key) => key.index)}::integer[], ${keys.map((key) => key.kind)}::integer[],
      ${keys.map((key) => key.no)}::integer[], ${keys.map(lastKnown)}::integer[])
      with ordinality as event (index, kind, no, last_known, place)
    cross join lateral (
      select name, fingerprint, deployments, started_with from running where ${at} and no = event.no limit 1
    ) as run
    cross join lateral (
      select created_at, compliance from snapshot where ${at} and index = event.index limit 1
    ) as made
    cross join lateral (
      select cause, compliance, artifact_ids, replaced_no, decision_ids, waiver_id from running_verdict
      where ${at} and no = event.no and from_index <= event.last_known
      order by from_index desc limit 1
    ) as verdict
    cross join lateral (
      select count from running_instances
      where ${at} and no = event.no and from_index <= event.last_known
      order by from_index desc limit 1
    ) as instances
    order by event.place`.execute(ctx.db);
  return rows;
}

/** An artifact that exits in a snapshot is known from the one before. */
function lastKnown({ index, kind }: EventKey): number {
  return eventKinds[kind] === 'exited' ? index - 1 : index;
}

/** A report of an artifact: its provenance, by current names. */
export interface EventProvenance {
  readonly id: string;
  readonly flow_id: string;
  readonly flow_name: string;
  readonly trail_name: string;
  readonly commit_sha: string | null;
  readonly commit_url: string;
  readonly repository_name: string | null;
}

export type EventProvenances = ReadonlyMap<string, EventProvenance>;

export async function readEventProvenances(ctx: Ctx, artifactIds: readonly string[]): Promise<EventProvenances> {
  const ids = [...new Set(artifactIds)];
  if (ids.length === 0) return new Map();
  const { rows } = await sql<EventProvenance>`
    select artifact.id, artifact.flow_id, flow.name as flow_name, trail.name as trail_name, artifact.commit_sha,
      artifact.commit_url, repository.name as repository_name
    from artifact
    join flow on flow.org_id = artifact.org_id and flow.id = artifact.flow_id
    join trail on trail.org_id = artifact.org_id and trail.id = artifact.trail_id
    left join repository on repository.org_id = artifact.org_id and repository.id = artifact.repository_id
    where artifact.org_id = ${ctx.org} and artifact.id = any(${ids}::uuid[])`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** For each event, the known reports of what ran in its place before; in the order of the events. */
export async function readReplaced(ctx: Ctx, events: readonly EventRow[]): Promise<string[][]> {
  const { rows } = await sql<{ artifact_ids: string[] }>`
    select coalesce((
      select artifact_ids from running_verdict
      where org_id = ${ctx.org} and environment_id = event.environment_id and no = event.replaced_no
        and from_index <= event.index
      order by from_index desc limit 1), '{}') as artifact_ids
    from unnest(${events.map((event) => event.environment_id)}::uuid[],
      ${events.map((event) => event.index)}::integer[], ${events.map((event) => event.replaced_no)}::integer[])
      with ordinality as event (environment_id, index, replaced_no, place)
    order by event.place`.execute(ctx.db);
  return rows.map((row) => row.artifact_ids);
}

/** Flows that have one of the names, or had it before. */
export async function listFlowIds(ctx: Ctx, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from flow where org_id = ${ctx.org} and name = any(${names}::text[])
    union
    select flow_id from flow_alias where org_id = ${ctx.org} and name = any(${names}::text[])`.execute(ctx.db);
  return rows.map((row) => row.id);
}
