import { type EventBound, indexOf, parseEventBound, parseInterval } from '@waymark/snapshots';
import { invalidField } from '../../../platform/errors.ts';

/**
 * The bounds, both inclusive. Defaults: the first and the latest snapshot. Indexes are counted from the first snapshot
 * and may be out of range.
 */
export interface EventWindow {
  readonly lower: EventBound | undefined;
  readonly upper: EventBound | undefined;
}

/** An empty string means absent: clients send it for a parameter that was not given. */
export interface WindowQuery {
  readonly start_ts?: number | '' | undefined;
  readonly end_ts?: number | '' | undefined;
  readonly from?: number | '' | undefined;
  readonly to?: number | '' | undefined;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly interval?: string | undefined;
}

interface Given {
  readonly field: string;
  readonly bound: EventBound;
  readonly isNow?: boolean;
}

/** `latest` is null for an environment that has no snapshots of its own. */
export function windowOf(query: WindowQuery, now: Date, latest: number | null): EventWindow {
  const lower = timeGiven(query, 'start_ts', 'from') ?? boundGiven(query, 'start', now, latest);
  const upper = timeGiven(query, 'end_ts', 'to') ?? boundGiven(query, 'end', now, latest);
  requireOrder(lower, upper);
  if (latest !== null) requireNowAtTheEnd(lower, upper, latest);
  const given = { lower: fromFirst(lower?.bound, latest), upper: fromFirst(upper?.bound, latest) };
  if (!query.interval || (lower && upper)) return given;
  const interval = intervalGiven(query.interval, latest);
  return { lower: given.lower ?? interval.lower, upper: given.upper ?? interval.upper };
}

function fromFirst(bound: EventBound | undefined, latest: number | null): EventBound | undefined {
  if (bound?.kind !== 'index') return bound;
  return { kind: 'index', index: indexOf(bound, latest ?? 0) };
}

/** Both bounds in seconds since 1970. */
export function timeWindowOf<Name extends string>(
  query: { readonly [name in Name]?: number | '' | undefined },
  from: Name,
  to: Name,
): EventWindow {
  const lower = secondsGiven(query, from);
  const upper = secondsGiven(query, to);
  requireOrder(lower, upper);
  return { lower: lower?.bound, upper: upper?.bound };
}

function timeGiven<Name extends 'start_ts' | 'end_ts' | 'from' | 'to'>(query: WindowQuery, word: Name, other: Name) {
  const given = secondsGiven(query, word);
  const again = secondsGiven(query, other);
  if (given && again && query[word] !== query[other]) {
    throw invalidField(`query.${other}`, `is an alias of ${word}, and the two values differ`);
  }
  return given ?? again;
}

function secondsGiven<Name extends string>(
  query: { readonly [name in Name]?: number | '' | undefined },
  name: Name,
): Given | undefined {
  const seconds: number | '' | undefined = query[name];
  if (seconds === undefined || seconds === '') return undefined;
  // Rounded, so that a time in seconds from a response means the same millisecond when it is sent back.
  return { field: `query.${name}`, bound: { kind: 'moment', at: new Date(Math.round(seconds * 1000)) } };
}

function boundGiven(query: WindowQuery, name: 'start' | 'end', now: Date, latest: number | null): Given | undefined {
  const text = query[name];
  if (!text) return undefined;
  const field = `query.${name}`;
  const parsed = parseEventBound(text, now);
  if (!parsed.ok) throw invalidField(field, parsed.problem);
  if (latest === null && parsed.bound.kind === 'index') throw noSnapshots(field);
  return { field, bound: parsed.bound, isNow: NOW.test(text) };
}

function noSnapshots(field: string) {
  return invalidField(field, 'must be a time: a logical environment has no snapshot numbers');
}

/** Only the snapshots show whether an index from the end precedes one from the beginning; if not, nothing is found. */
function requireOrder(lower: Given | undefined, upper: Given | undefined): void {
  if (!(lower && upper)) return;
  const [from, to] = [orderOf(lower.bound), orderOf(upper.bound)];
  if (from.scale === to.scale && from.value > to.value) {
    throw reversed(lower, upper);
  }
}

/** The word `now` is the position of the latest snapshot, so no other snapshot can end a window that begins there. */
function requireNowAtTheEnd(lower: Given | undefined, upper: Given | undefined, latest: number): void {
  if (!lower?.isNow || upper?.bound.kind !== 'index') return;
  if (indexOf(upper.bound, latest) < latest) throw reversed(lower, upper);
}

function reversed(lower: Given, upper: Given) {
  return invalidField(lower.field, `is after ${upper.field}; the earlier time must come first`);
}

function orderOf(bound: EventBound): { scale: string; value: number } {
  if (bound.kind === 'moment') return { scale: 'time', value: bound.at.getTime() };
  return { scale: bound.index < 0 ? 'from the end' : 'from the beginning', value: bound.index };
}

const NOW = /^now$/i;
const ALL = /^\.\.(now)?$/i;

function intervalGiven(text: string, latest: number | null): EventWindow {
  if (latest === null) {
    if (ALL.test(text)) return { lower: undefined, upper: undefined };
    throw noSnapshots('query.interval');
  }
  const parsed = parseInterval(text, latest);
  if (!parsed.ok) throw invalidField('query.interval', parsed.problem);
  return { lower: { kind: 'index', index: parsed.from }, upper: { kind: 'index', index: parsed.to } };
}

/** The indexes among `latest` snapshots that a window includes, as far as indexes bound it. */
export function indexesIn({ lower, upper }: EventWindow, latest: number): { first: number; last: number } {
  return {
    first: lower?.kind === 'index' ? Math.max(1, lower.index) : 1,
    last: upper?.kind === 'index' ? Math.min(latest, upper.index) : latest,
  };
}
