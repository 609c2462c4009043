import { clipped, overlaid, type Span, type StateSpan } from '../../environment-history/timelines/spans.reads.ts';
import type { History } from './environment-history.ts';
import type { Change } from './period.reads.ts';

type State = Change['compliance'] | 'stale';

export const STATES: readonly State[] = ['compliant', 'non-compliant', 'unknown', 'stale'];

/**
 * Returns the states of the environment in the period from its first report on, without gaps. Stale periods have a
 * state of their own, unless the environment was non-compliant: it stays so until a report ends it.
 */
export function statesOf({ changes, period, stalePeriods }: Pick<History, 'changes' | 'period' | 'stalePeriods'>) {
  const window = { from: period.from.getTime(), until: period.to.getTime() };
  const known = changes.map((change, i): StateSpan<State> => {
    const until = changes[i + 1]?.created_at.getTime() ?? window.until;
    return { from: change.created_at.getTime(), until, state: change.compliance };
  });
  return overlaid<State>(clipped(known, window), stalePeriods, { state: 'stale', except: 'non-compliant' });
}

export function lengthsOf(spans: readonly StateSpan<State>[]): Record<State, number> {
  const lengths = { compliant: 0, 'non-compliant': 0, unknown: 0, stale: 0 };
  for (const { state, from, until } of spans) lengths[state] += until - from;
  return lengths;
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, until }) => sum + until - from, 0);
}

/** A period of non-compliance, by snapshots. */
export interface Breach {
  readonly first: number;
  /** The snapshot with another compliance; undefined when the breach continued. */
  readonly ended: Change | undefined;
  /** Clipped to the period. */
  readonly span: Span;
  /** The time in it without reports, when the state may have been different. */
  readonly staleMs: number;
}

/** In order. A breach that continues under other policies is one. */
export function breachesOf({
  changes,
  period,
  stalePeriods,
}: Pick<History, 'changes' | 'period' | 'stalePeriods'>): Breach[] {
  const window = { from: period.from.getTime(), until: period.to.getTime() };
  const breaches: Breach[] = [];
  let first: Change | undefined;
  for (const change of [...changes, undefined]) {
    if (change?.compliance === 'non-compliant') {
      first ??= change;
      continue;
    }
    const until = change?.created_at.getTime() ?? window.until;
    const [span] = first ? clipped([{ from: first.created_at.getTime(), until }], window) : [];
    if (first && span)
      breaches.push({ first: first.index, ended: change, span, staleMs: lengthOf(clipped(stalePeriods, span)) });
    first = undefined;
  }
  return breaches;
}
