import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Span, StateSpan } from './spans.reads.ts';

export type State = 'compliant' | 'non-compliant' | 'unknown';

export interface States {
  /** From the first snapshot, or from the beginning of the window. */
  readonly spans: readonly StateSpan<State>[];
  /** When the environment was first reported; before the window, or in it. */
  readonly firstAt: number;
  /** There were more changes than are read: earlier ones are left out. */
  readonly isCut: boolean;
}

interface ChangeRow {
  readonly environment_id: string;
  readonly compliance: State;
  /** When the state changed; null for the last state in the window. */
  readonly until_at: Date | null;
  readonly first_at: Date;
}

/**
 * Returns the states of environments in a window. It steps backwards from each change to the one before it, and so
 * reads changes instead of the snapshots between them: for each other state the last snapshot that had it, and the
 * latest of these. The limits keep PostgreSQL from scanning all snapshots of the window for each change.
 */
export async function readStates(
  ctx: Ctx,
  environmentIds: readonly string[],
  window: Span,
  limit: number,
): Promise<ReadonlyMap<string, States>> {
  const { rows } = await sql<ChangeRow>`
    with recursive span (environment_id, first_at, index, compliance, until_at, number) as (
      select wanted.environment_id, first.created_at, latest.index, latest.compliance, null::timestamptz, 1
      from unnest(${environmentIds}::uuid[]) as wanted (environment_id)
      cross join lateral (
        select created_at from snapshot
        where org_id = ${ctx.org} and environment_id = wanted.environment_id order by index limit 1
      ) as first
      cross join lateral (
        select index, compliance from snapshot
        where org_id = ${ctx.org} and environment_id = wanted.environment_id and created_at < ${new Date(window.until)}
        order by created_at desc, index desc limit 1
      ) as latest
      union all
      select span.environment_id, span.first_at, earlier.index, earlier.compliance, ended.created_at, span.number + 1
      from span
      cross join lateral (
        select candidate.index, candidate.compliance
        from (values ('compliant'), ('non-compliant'), ('unknown')) as other (compliance)
        cross join lateral (
          select index, compliance from snapshot
          where org_id = ${ctx.org} and environment_id = span.environment_id
            and (compliance, index) < (other.compliance, span.index)
          order by compliance desc, index desc limit 1
        ) as candidate
        where other.compliance <> span.compliance and candidate.compliance = other.compliance
        order by candidate.index desc limit 1
      ) as earlier
      cross join lateral (
        select created_at from snapshot
        where org_id = ${ctx.org} and environment_id = span.environment_id and index > earlier.index
        order by index limit 1
      ) as ended
      where span.number <= ${limit}::integer and ended.created_at > ${new Date(window.from)}
    )
    select environment_id, compliance, until_at, first_at from span order by environment_id, number desc`.execute(
    ctx.db,
  );
  const byEnvironment = Map.groupBy(rows, ({ environment_id }) => environment_id);
  return new Map([...byEnvironment].map(([id, changes]) => [id, statesOf(changes, window, limit)]));
}

function statesOf(changes: readonly ChangeRow[], window: Span, limit: number): States {
  const isCut = changes.length > limit;
  const spans = changes.map(({ compliance, until_at, first_at }, i) => {
    const before = changes[i - 1]?.until_at?.getTime();
    return {
      state: compliance,
      from: before ?? Math.max(first_at.getTime(), window.from),
      until: until_at?.getTime() ?? window.until,
    };
  });
  const firstAt = changes[0]?.first_at.getTime() ?? window.until;
  return { spans: isCut ? spans.slice(1) : spans, firstAt, isCut };
}

/** For each environment, the number of snapshots made before each of these times. */
export async function countSnapshotsBefore(
  ctx: Ctx,
  environmentIds: readonly string[],
  times: readonly number[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { rows } = await sql<{ environment_id: string; counts: number[] }>`
    select wanted.environment_id, array_agg(coalesce(latest.index, 0) order by bound.place) as counts
    from unnest(${environmentIds}::uuid[]) as wanted (environment_id)
    cross join unnest(${times.map((time) => new Date(time))}::timestamptz[]) with ordinality as bound (at, place)
    left join lateral (
      select index from snapshot
      where org_id = ${ctx.org} and environment_id = wanted.environment_id and created_at < bound.at
      order by created_at desc, index desc limit 1
    ) as latest on true
    group by wanted.environment_id`.execute(ctx.db);
  return new Map(rows.map(({ environment_id, counts }) => [environment_id, counts]));
}
