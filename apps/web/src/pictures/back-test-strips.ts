import type { Flip, Timeline } from '@waymark/contract';

export type StripState = 'compliant' | 'non-compliant' | 'unknown';

export interface VerdictInterval {
  readonly from: number;
  readonly until: number;
  readonly state: StripState;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export type PastOf = Pick<Timeline, 'lanes' | 'total_lanes' | 'truncated' | 'snapshots' | 'compliance' | 'gaps'>;
type Changed = Pick<Flip, 'snapshot_index' | 'until_index' | 'timestamp' | 'to' | 'artifact'>;

interface Interval {
  readonly from: number;
  readonly until: number;
}

/** When each flip would have held. If only some of the snapshots are known, the next known one ends it. */
function heldFrom(flip: Changed, { snapshots }: PastOf, span: Span): Interval {
  const next = flip.until_index;
  const end = next === null ? undefined : snapshots.find(({ index }) => index >= next)?.at;
  return { from: Math.max(flip.timestamp, span.from), until: end ?? span.to };
}

function without({ from, until }: Interval, holes: readonly Interval[]): Interval[] {
  const left: Interval[] = [];
  let start = from;
  for (const hole of holes.toSorted((one, other) => one.from - other.from)) {
    if (hole.until <= start || hole.from >= until) continue;
    if (hole.from > start) left.push({ from: start, until: hole.from });
    start = Math.max(start, hole.until);
  }
  if (start < until) left.push({ from: start, until });
  return left;
}

const keyOf = (artifact: { readonly name: string; readonly fingerprint: string }) =>
  `${artifact.name}\0${artifact.fingerprint}`;

/** When each artifact failed, as it is recorded. */
function recordedFailures({ lanes }: PastOf): { readonly key: string; readonly interval: Interval }[] {
  return lanes.flatMap(({ runs }) =>
    runs.flatMap((run) =>
      run.states
        .filter(({ compliance }) => compliance === 'non-compliant')
        .map((interval) => ({ key: keyOf(run), interval })),
    ),
  );
}

/** Counts the intervals that hold at a time; to be called in order of time. */
function createCounter(intervals: readonly Interval[]) {
  const steps = intervals
    .flatMap(({ from, until }) => [
      { at: from, by: 1 },
      { at: until, by: -1 },
    ])
    .sort((one, other) => one.at - other.at);
  let next = 0;
  let count = 0;
  return (at: number): number => {
    for (let step = steps[next]; step && step.at <= at; step = steps[++next]) count += step.by;
    return count;
  };
}

/** Whether something that ran may not be among the lanes. */
export function isPartial({
  lanes,
  total_lanes,
  truncated,
}: Pick<PastOf, 'lanes' | 'total_lanes' | 'truncated'>): boolean {
  return truncated || lanes.length < total_lanes;
}

/** From when the test covers nothing. If only some of the snapshots are known, from the last known one before it. */
function triedUntil(stoppedAt: number | undefined, { snapshots }: PastOf, span: Span): number {
  if (stoppedAt === undefined) return Number.POSITIVE_INFINITY;
  return snapshots.findLast(({ index }) => index <= stoppedAt)?.at ?? span.from;
}

/**
 * The environment over the span, as it would have been: red where something still or newly fails, unknown where reports
 * are missing and from the snapshot at which the test stopped, otherwise green, as the tested policy judges everything.
 * A failure outside the known lanes continues; if not all lanes are known and a failure would have ended, it is unknown
 * whether others remain.
 */
export function stripAfter(
  past: PastOf,
  flips: readonly Changed[],
  span: Span,
  stoppedAt?: number,
): readonly VerdictInterval[] {
  const held = flips.map((flip) => ({ key: keyOf(flip.artifact), to: flip.to, interval: heldFrom(flip, past, span) }));
  const holesOf = Map.groupBy(held, ({ key }) => key);
  const recorded = recordedFailures(past);
  const stillFailing = recorded.flatMap(({ key, interval }) =>
    without(
      interval,
      (holesOf.get(key) ?? []).map((hole) => hole.interval),
    ),
  );
  const failing = [...stillFailing, ...held.filter(({ to }) => to === 'non-compliant').map(({ interval }) => interval)];
  const ceasing = held.filter(({ to }) => to !== 'non-compliant').map(({ interval }) => interval);
  const known = createCounter(recorded.map(({ interval }) => interval));
  const after = createCounter(failing);
  const ceased = createCounter(ceasing);
  const stale = createCounter(past.gaps.map(({ from, until }) => ({ from, until: until ?? Number.POSITIVE_INFINITY })));
  const end = triedUntil(stoppedAt, past, span);
  const hasUnread = isPartial(past);
  // Time recorded as unknown may be a stale period; the oldest of those may have been left out.
  const isOpen = ({ from, compliance }: Recorded) =>
    compliance === 'non-compliant' ? hasUnread && ceased(from) > 0 : compliance === 'unknown' && past.truncated;
  const stateAt = (piece: Recorded): StripState => {
    if (piece.from >= end || stale(piece.from) > 0) return 'unknown';
    if (after(piece.from) > 0) return 'non-compliant';
    if (isOpen(piece)) return 'unknown';
    return piece.compliance === 'non-compliant' && known(piece.from) === 0 ? 'non-compliant' : 'compliant';
  };
  const times = [...failing, ...ceasing, ...recorded.map(({ interval }) => interval)].flatMap(({ from, until }) => [
    from,
    until,
  ]);
  return joined(
    cut(past.compliance, [...times, end]).map((piece) => ({
      from: piece.from,
      until: piece.until,
      state: stateAt(piece),
    })),
  );
}

type Recorded = PastOf['compliance'][number];

/** Splits each recorded interval wherever something begins or ends. */
function cut(recorded: readonly Recorded[], times: readonly number[]): Recorded[] {
  const marks = [...new Set(times)].sort((one, other) => one - other);
  let next = 0;
  return recorded.flatMap(({ from: start, until: end, compliance }) => {
    while ((marks[next] ?? Number.POSITIVE_INFINITY) <= start) next++;
    const inside: number[] = [];
    for (let mark = marks[next]; mark !== undefined && mark < end; mark = marks[++next]) inside.push(mark);
    const edges = [start, ...inside, end];
    return edges.slice(1).map((until, i) => ({ from: edges[i] ?? start, until, compliance }));
  });
}

function joined(intervals: readonly VerdictInterval[]): readonly VerdictInterval[] {
  const all: VerdictInterval[] = [];
  for (const interval of intervals) {
    const last = all.at(-1);
    if (last && last.state === interval.state && last.until >= interval.from)
      all[all.length - 1] = { ...last, until: interval.until };
    else all.push(interval);
  }
  return all;
}

export function stripBefore({ compliance }: PastOf): readonly VerdictInterval[] {
  return joined(compliance.map(({ from, until, compliance: state }) => ({ from, until, state })));
}

/** The time in each state, in seconds. */
export function secondsOf(intervals: readonly VerdictInterval[], state: StripState): number {
  return intervals.filter((each) => each.state === state).reduce((sum, { from, until }) => sum + until - from, 0);
}

export interface Comparison {
  readonly from: number;
  readonly until: number;
  readonly before: StripState;
  readonly after: StripState;
}

/** Both strips of the same span side by side, for the table. */
export function compareStrips(
  before: readonly VerdictInterval[],
  after: readonly VerdictInterval[],
): readonly Comparison[] {
  return before.flatMap((one) =>
    after
      .filter((other) => other.from < one.until && other.until > one.from)
      .map((other) => ({
        from: Math.max(one.from, other.from),
        until: Math.min(one.until, other.until),
        before: one.state,
        after: other.state,
      })),
  );
}
