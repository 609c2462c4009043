import type { Flip, Timeline } from '@waymark/contract';

export type StripState = 'compliant' | 'non-compliant' | 'unknown';

export interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly state: StripState;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export type PastOf = Pick<Timeline, 'lanes' | 'snapshots' | 'compliance' | 'gaps'>;
type Changed = Pick<Flip, 'snapshot_index' | 'until_index' | 'timestamp' | 'to' | 'artifact'>;

interface Interval {
  readonly from: number;
  readonly until: number;
}

/** When each flip would have held. Of very many snapshots only some are known: then the next known one ends it. */
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

/** How many of the intervals hold, in order of time. */
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

/**
 * The environment over the span, as it would have been: red where something still or newly fails, unknown where nobody
 * reported, else green, as the tried policy judges everything. What failed but is not among the known lanes goes on
 * failing.
 */
export function stripAfter(past: PastOf, flips: readonly Changed[], span: Span): readonly Stretch[] {
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
  const known = createCounter(recorded.map(({ interval }) => interval));
  const after = createCounter(failing);
  const silent = createCounter(
    past.gaps.map(({ from, until }) => ({ from, until: until ?? Number.POSITIVE_INFINITY })),
  );
  const stretches = cut(
    past.compliance,
    [...failing, ...recorded.map(({ interval }) => interval)].flatMap(({ from, until }) => [from, until]),
  ).map(({ from, until, compliance }) => {
    const isSilent = silent(from) > 0;
    const isKnown = known(from) > 0;
    const fails = after(from) > 0 || (compliance === 'non-compliant' && !isKnown);
    return { from, until, state: isSilent ? 'unknown' : fails ? 'non-compliant' : 'compliant' } as const;
  });
  return joined(stretches);
}

type Recorded = PastOf['compliance'][number];

/** Each recorded stretch in pieces in which nothing begins or ends. */
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

function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const all: Stretch[] = [];
  for (const stretch of stretches) {
    const last = all.at(-1);
    if (last && last.state === stretch.state && last.until >= stretch.from)
      all[all.length - 1] = { ...last, until: stretch.until };
    else all.push(stretch);
  }
  return all;
}

export function stripBefore({ compliance }: PastOf): readonly Stretch[] {
  return joined(compliance.map(({ from, until, compliance: state }) => ({ from, until, state })));
}

/** For how long it was what, in seconds. */
export function secondsOf(stretches: readonly Stretch[], state: StripState): number {
  return stretches.filter((each) => each.state === state).reduce((sum, { from, until }) => sum + until - from, 0);
}

export interface Comparison {
  readonly from: number;
  readonly until: number;
  readonly before: StripState;
  readonly after: StripState;
}

/** Both strips of the same span beside each other, for those who read the numbers. */
export function compareStrips(before: readonly Stretch[], after: readonly Stretch[]): readonly Comparison[] {
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
