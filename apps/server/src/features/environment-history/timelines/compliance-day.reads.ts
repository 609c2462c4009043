import type { ComplianceDay, ComplianceDays, EnvironmentType } from '@waymark/contract';
import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { notFound } from '../../../platform/errors.ts';
import { listWaived } from './run.reads.ts';
import { clipped, overlaid, type Parts, type Span, touched, weighed } from './spans.reads.ts';
import { readStalePeriods } from './stale-periods.reads.ts';
import { countSnapshotsBefore, readStates, type State, type States } from './state.reads.ts';

/** Of one environment. Its state before that many changes counts as unknown. */
const CHANGES_MAX = 20_000;

export interface DayEnvironment {
  readonly id: string;
  readonly name: string;
  readonly type: EnvironmentType;
}

/** A page of the physical environments, by name. */
export async function listDayEnvironments(ctx: Ctx, page: number, perPage: number) {
  const physical = ctx.db
    .selectFrom('environment')
    .where('org_id', '=', ctx.org)
    .where('archived_at', 'is', null)
    .where('type', '<>', 'logical');
  const { total } = await physical.select((count) => count.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const environments: DayEnvironment[] = await physical
    .select(['id', 'name', 'type'])
    .orderBy('name')
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
  return { total, environments };
}

/** The physical ones among those of these names, former names included, each once and in their order. */
export async function listNamedDayEnvironments(ctx: Ctx, names: readonly string[]): Promise<DayEnvironment[]> {
  const { rows } = await sql<DayEnvironment & { asked: string }>`
    select asked.name as asked, environment.id, environment.name, environment.type
    from unnest(${names}::text[]) with ordinality as asked (name, place)
    join environment on environment.org_id = ${ctx.org} and environment.archived_at is null and environment.id = coalesce(
      (select id from environment as named
       where named.org_id = ${ctx.org} and named.name = asked.name and named.archived_at is null),
      (select environment_id from environment_alias
       where environment_alias.org_id = ${ctx.org} and environment_alias.name = asked.name))
    order by asked.place`.execute(ctx.db);
  const known = new Set(rows.map(({ asked }) => asked));
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined) throw notFound('Environment', missing);
  const distinct = new Map(rows.map(({ id, name, type }) => [id, { id, name, type }]));
  return [...distinct.values()].filter(({ type }) => type !== 'logical');
}

/** The states of environments on each day, in the order of the environments. */
export async function readComplianceDays(
  ctx: Ctx,
  environments: readonly DayEnvironment[],
  days: Parts,
): Promise<ComplianceDays['environments']> {
  const ids = environments.map(({ id }) => id);
  const past = { from: days.from, until: Math.min(days.from + days.count * days.length, ctx.now().getTime()) };
  const bounds = Array.from({ length: days.count + 1 }, (_, i) => days.from + i * days.length);
  const [states, stalePeriods, counts, waived] = await Promise.all([
    readStates(ctx, ids, past, CHANGES_MAX),
    readStalePeriods(ctx, ids, past),
    countSnapshotsBefore(ctx, ids, bounds),
    listWaived(ctx, ids),
  ]);
  const waivedIn = Map.groupBy(waived, ({ environment_id }) => environment_id);
  return environments.map(({ id, name, type }) => {
    const passed = (waivedIn.get(id) ?? []).map(({ from_at, until_at }) => ({
      from: from_at.getTime(),
      until: until_at?.getTime() ?? past.until,
    }));
    const lengths = lengthsOf(states.get(id), stalePeriods.get(id)?.spans ?? [], past, days);
    const letPass = touched(clipped(passed, past), days);
    const before = counts.get(id) ?? [];
    return {
      name,
      type,
      days: lengths.map((length, day) => ({
        ...length,
        waived: letPass.has(day),
        snapshots: (before[day + 1] ?? 0) - (before[day] ?? 0),
      })),
    };
  });
}

type Lengths = Omit<ComplianceDay, 'waived' | 'snapshots'>;

/** Only the time since the first report counts: before it there was nothing to know. */
function lengthsOf(states: States | undefined, gaps: readonly Span[], past: Span, days: Parts): Lengths[] {
  const counted = { from: Math.max(past.from, states?.firstAt ?? past.until), until: past.until };
  const known = clipped(statesFrom(states, counted), past);
  const covered = overlaid<State | 'stale'>(known, gaps, { state: 'stale', except: 'non-compliant' });
  return weighed(covered, days).map((weights, day) => {
    const begins = days.from + day * days.length;
    const has = (state: State) => weights.get(state) ?? 0;
    const [compliant, nonCompliant, unknown] = [has('compliant'), has('non-compliant'), has('unknown')];
    const length = Math.max(0, Math.min(begins + days.length, counted.until) - Math.max(begins, counted.from));
    return {
      compliant: compliant / 1000,
      non_compliant: nonCompliant / 1000,
      unknown: unknown / 1000,
      no_data: (length - compliant - nonCompliant - unknown) / 1000,
    };
  });
}

function statesFrom(states: States | undefined, counted: Span): States['spans'] {
  if (!states) return [];
  const [oldest] = states.spans;
  if (!(states.isCut && oldest)) return states.spans;
  return [{ state: 'unknown', from: counted.from, until: oldest.from }, ...states.spans];
}
