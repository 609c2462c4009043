import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { storedRows } from '../../../platform/stored-json.ts';
import { type Span, united } from './spans.reads.ts';

/** Of one environment in a window. */
const STALE_PERIODS_MAX = 2_000;
/** A period that was over by the end of the window may have been noticed after it, and one may reach beyond it. */
const NOTICED_LATER = 10;

/** When an environment was stale: no report for longer than is allowed. */
export interface StalePeriods {
  /** Includes the open one, up to now. */
  readonly spans: readonly Span[];
  /** Since when the environment is stale; undefined if it is not. */
  readonly openSince: number | undefined;
}

interface StalePeriod {
  /** Recorded after the window. */
  readonly is_later: boolean;
  readonly silent_since: number;
  readonly last_reported_at: number;
}

/**
 * By environment: the newest 2,000 of each in the window, and some outside of it. When there are more, nothing is known
 * of the time before.
 */
export async function readStalePeriods(
  ctx: Ctx,
  environmentIds: readonly string[],
  window: Span,
): Promise<ReadonlyMap<string, StalePeriods>> {
  const [entries, beats] = await Promise.all([
    listReturns(ctx, environmentIds, window),
    listBeats(ctx, environmentIds),
  ]);
  const returns = Map.groupBy(entries, ({ environment_id }) => environment_id);
  const now = ctx.now().getTime();
  return new Map(
    beats.map((beat) => [
      beat.environment_id,
      stalePeriodsOf(returns.get(beat.environment_id) ?? [], beat, window, now),
    ]),
  );
}

/** Ended stale periods from the journal. One whose entry was erased is lost. */
async function listReturns(ctx: Ctx, environmentIds: readonly string[], window: Span) {
  const returns = sql`
    select id, payload, recorded_at from journal
    where org_id = ${ctx.org} and subject_id = wanted.environment_id and type = 'environment.reporting_again'
      and payload is not null`;
  const [from, to] = [new Date(window.from), new Date(window.until)];
  const { rows } = await sql<{
    environment_id: string;
    id: string;
    payload: string;
    recorded_at: Date;
    is_later: boolean;
  }>`
    select wanted.environment_id, entry.id, entry.recorded_at, entry.recorded_at > ${to} as is_later, entry.payload
    from unnest(${environmentIds}::uuid[]) as wanted (environment_id)
    cross join lateral (
      (${returns} and recorded_at >= ${from} and recorded_at <= ${to} order by recorded_at desc
        limit ${STALE_PERIODS_MAX + 1})
      union all
      (${returns} and recorded_at > ${to} order by recorded_at limit ${NOTICED_LATER})
    ) as entry`.execute(ctx.db);
  const stored = storedRows(ctx.log, 'journal');
  return rows.map(({ environment_id, id, payload, recorded_at, is_later }) => {
    // Its beginning is not known, so nothing is known of the time before.
    const unknown = { silent_since: window.from / 1000, last_reported_at: recorded_at.getTime() / 1000 };
    const period = stored.read<Pick<StalePeriod, 'silent_since' | 'last_reported_at'>>(id, payload, unknown);
    return { environment_id, is_later, ...period };
  });
}

interface Beat {
  readonly environment_id: string;
  readonly last_reported_at: Date;
  readonly silent_since: Date | null;
  readonly overdue_at: Date;
}

async function listBeats(ctx: Ctx, environmentIds: readonly string[]): Promise<Beat[]> {
  const { rows } = await sql<Beat>`
    select beat.environment_id, beat.last_reported_at, beat.silent_since,
      beat.last_reported_at + report_allowance(environment.expected_report_interval_s, beat.intervals) as overdue_at
    from environment_heartbeat as beat
    join environment on environment.org_id = beat.org_id and environment.id = beat.environment_id
    where beat.org_id = ${ctx.org} and beat.environment_id = any(${environmentIds}::uuid[])`.execute(ctx.db);
  return rows;
}

function stalePeriodsOf(periods: readonly StalePeriod[], beat: Beat, window: Span, now: number): StalePeriods {
  const heardAt = beat.last_reported_at.getTime();
  const noticed = beat.silent_since?.getTime();
  const over = periods.map((period) => ({
    from: period.silent_since * 1000,
    until: period.last_reported_at * 1000,
  }));
  const inWindow = periods.filter(({ is_later }) => !is_later);
  if (inWindow.length > STALE_PERIODS_MAX) {
    const oldest = Math.min(...inWindow.map(({ silent_since }) => silent_since));
    over.push({ from: window.from, until: oldest * 1000 });
  }
  // The end of a stale period is noticed within a minute, as is its beginning.
  if (noticed !== undefined && heardAt > noticed) over.push({ from: noticed, until: heardAt });
  const goesOn = noticed !== undefined && heardAt <= noticed ? noticed : beat.overdue_at.getTime();
  if (goesOn >= now) return { spans: united(over), openSince: undefined };
  return { spans: united([...over, { from: goesOn, until: now }]), openSince: goesOn };
}
