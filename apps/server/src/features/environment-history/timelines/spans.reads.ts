/**
 * A time up to, but not including, `until`, in milliseconds since 1970. Lists of spans are ordered, and none overlap.
 */
export interface Span {
  readonly from: number;
  readonly until: number;
}

export interface StateSpan<State> extends Span {
  readonly state: State;
}

/** The parts of spans that lie in the window. Spans without length are dropped. */
export function clipped<S extends Span>(spans: readonly S[], window: Span): S[] {
  return spans.flatMap((span) => {
    const from = Math.max(span.from, window.from);
    const until = Math.min(span.until, window.until);
    return from < until ? [{ ...span, from, until }] : [];
  });
}

/** Merges neighboring spans with the same state. */
export function merged<State>(spans: readonly StateSpan<State>[]): StateSpan<State>[] {
  const result: StateSpan<State>[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    if (last?.state === span.state && last.until === span.from) {
      result[result.length - 1] = { ...last, until: span.until };
    } else {
      result.push(span);
    }
  }
  return result;
}

/** Spans in any order, some of which may overlap, as spans that do not. */
export function united(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const { from, until } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && from <= last.until) result[result.length - 1] = { from: last.from, until: Math.max(last.until, until) };
    else if (from < until) result.push({ from, until });
  }
  return result;
}

/** The parts of spans that lie in no gap. */
export function withoutGaps<S extends Span>(spans: readonly S[], gaps: readonly Span[]): S[] {
  const result: S[] = [];
  let next = 0;
  for (const span of spans) {
    while ((gaps[next]?.until ?? Number.POSITIVE_INFINITY) <= span.from) next++;
    let { from } = span;
    // A gap may reach into the next span, so the next span checks it again.
    for (let i = next; from < span.until; i++) {
      const gap = gaps[i];
      const until = Math.min(span.until, gap?.from ?? span.until);
      if (from < until) result.push({ ...span, from, until });
      from = gap && gap.from < span.until ? Math.max(from, gap.until) : span.until;
    }
  }
  return result;
}

/** Replaces the state wherever there is a gap, except one state, which no gap hides. */
export function overlaid<State>(
  spans: readonly StateSpan<State>[],
  gaps: readonly Span[],
  { state, except }: { readonly state: State; readonly except: State },
): StateSpan<State>[] {
  const isCovered = (span: StateSpan<State>) => span.state !== except;
  const covered = spans.filter(isCovered);
  const hidden = covered.flatMap((span) => clipped(gapsIn(gaps, span), span).map((gap) => ({ ...gap, state })));
  const visible = [...withoutGaps(covered, gaps), ...spans.filter((span) => !isCovered(span))];
  return merged([...visible, ...hidden].sort((a, b) => a.from - b.from));
}

function gapsIn(gaps: readonly Span[], { from, until }: Span): readonly Span[] {
  return gaps.slice(
    firstIndex(gaps, (gap) => gap.until > from),
    firstIndex(gaps, (gap) => gap.from >= until),
  );
}

/** The predicate is false up to some item and true from there on. */
function firstIndex<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Equal parts of time, one after the other. */
export interface Parts {
  readonly from: number;
  readonly length: number;
  readonly count: number;
}

/** How much of each part the spans of each state take. */
export function weighed<State>(spans: readonly StateSpan<State>[], parts: Parts): Map<State, number>[] {
  const weights = Array.from({ length: parts.count }, () => new Map<State, number>());
  for (const { state, from, until } of spans) {
    for (const [part, length] of sharesOf({ from, until }, parts)) {
      const weight = weights[part];
      weight?.set(state, (weight.get(state) ?? 0) + length);
    }
  }
  return weights;
}

/** The parts that any span touches. */
export function touched(spans: readonly Span[], parts: Parts): Set<number> {
  return new Set(spans.flatMap((span) => sharesOf(span, parts).map(([part]) => part)));
}

function sharesOf(span: Span, { from, length, count }: Parts): [part: number, length: number][] {
  const shares: [number, number][] = [];
  const [inside] = clipped([span], { from, until: from + length * count });
  if (!inside) return shares;
  for (let part = Math.floor((inside.from - from) / length); from + part * length < inside.until; part++) {
    const start = from + part * length;
    shares.push([part, Math.min(inside.until, start + length) - Math.max(inside.from, start)]);
  }
  return shares;
}

/** At most `limit` of the numbers from `first` to `last`, evenly spaced, including both ends. */
export function evenly(first: number, last: number, limit: number): number[] {
  const count = last - first + 1;
  if (count <= limit) return Array.from({ length: Math.max(0, count) }, (_, i) => first + i);
  return Array.from({ length: limit }, (_, i) => first + Math.round((i * (count - 1)) / (limit - 1)));
}
