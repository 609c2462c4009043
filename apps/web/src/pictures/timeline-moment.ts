import type { Timeline, TimelineLane, TimelineRun } from '@waymark/contract';
import type { State } from '../ui/StateBadge.tsx';
import { holds } from './timeline-span.ts';

export type SnapshotTick = Timeline['snapshots'][number];
type Snapshots = readonly SnapshotTick[];

/** Below this a number in the address is that of a snapshot, from it on a time. */
const FIRST_TIME = 100_000_000;

type Place = { readonly snapshot: number } | { readonly time: number };

export function placeOf(at: number | undefined): Place | undefined {
  if (at === undefined) return undefined;
  return at < FIRST_TIME ? { snapshot: at } : { time: at };
}

/** How many were made up to then; they are in order. */
function countUntil(snapshots: Snapshots, at: number): number {
  let low = 0;
  let high = snapshots.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((snapshots[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Which one held then: the last that was made before. */
export function snapshotAt(snapshots: Snapshots, at: number): SnapshotTick | undefined {
  return snapshots[countUntil(snapshots, at) - 1];
}

export function nearestSnapshot(snapshots: Snapshots, at: number): SnapshotTick | undefined {
  const count = countUntil(snapshots, at);
  const before = snapshots[count - 1];
  const after = snapshots[count];
  if (!before || !after) return before ?? after;
  return at - before.at <= after.at - at ? before : after;
}

/** The one before the one that holds, or the next. */
export function stepFrom(snapshots: Snapshots, at: number, step: 1 | -1): SnapshotTick | undefined {
  const count = countUntil(snapshots, at);
  return snapshots[step === 1 ? count : count - 2];
}

/** Those of both, in order, each once. */
export function joinSnapshots(one: Snapshots, other: Snapshots): Snapshots {
  const byIndex = new Map([...one, ...other].map((snapshot) => [snapshot.index, snapshot]));
  return [...byIndex.values()].sort((first, second) => first.index - second.index);
}

export interface Running {
  readonly lane: TimelineLane;
  readonly run: TimelineRun;
  readonly state: State;
}

/** What ran then, with what was said of it then. */
export function runningAt(lanes: readonly TimelineLane[], at: number): readonly Running[] {
  return lanes.flatMap((lane) =>
    lane.runs
      .filter(({ from, until }) => from <= at && (until === null || until > at))
      .map((run) => ({ lane, run, state: stateThen(run, at) })),
  );
}

function stateThen({ states }: TimelineRun, at: number): State {
  return (states.findLast(({ from }) => from <= at) ?? states[0])?.compliance ?? 'unknown';
}

export interface Moment {
  /** undefined when it is not among those that are known here. */
  readonly index: number | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly state: State;
  readonly isStale: boolean;
  /** Before anything was reported. */
  readonly isBefore: boolean;
  /** Not a time of the window, so that nothing else is known of it. */
  readonly isOutside: boolean;
  readonly running: readonly Running[];
}

/** What there is to say of the environment at a time, which should be one of the window. `snapshots` may reach beyond it. */
export function momentOf(timeline: Timeline, snapshots: Snapshots, at: number): Moment {
  const { index, since, until } = heldAt(timeline, snapshots, at);
  if (!holds(timeline, at))
    return { index, since, until, state: 'unknown', isStale: false, isBefore: false, isOutside: true, running: [] };
  const span = timeline.compliance.findLast(({ from }) => from <= at);
  return {
    index,
    since,
    until,
    isOutside: false,
    state: span?.compliance ?? 'unknown',
    isStale: timeline.gaps.some(({ from, until: end }) => from <= at && (end === null || end > at)),
    isBefore: span === undefined && !timeline.truncated,
    running: runningAt(timeline.lanes, at),
  };
}

/**
 * The snapshot that held then. Where some were left out, the one before may not be the last before: then its number is
 * told only if all of the window are known, as it is the one before the first of them.
 */
function heldAt(
  { from, snapshots: inWindow, snapshot_count }: Timeline,
  snapshots: Snapshots,
  at: number,
): Pick<Moment, 'index' | 'since' | 'until'> {
  const held = snapshotAt(snapshots, at);
  const next = snapshots[countUntil(snapshots, at)];
  if (!next) return { index: held?.index, since: held?.at, until: undefined };
  if (held?.index === next.index - 1) return { index: held.index, since: held.at, until: next.at };
  const isFirstOfAll = next === inWindow[0] && snapshot_count === inWindow.length && at >= from;
  const index = isFirstOfAll && next.index > 1 ? next.index - 1 : undefined;
  return { index, since: undefined, until: index === undefined ? undefined : next.at };
}

/** The snapshot of a time as the API and its addresses know it. */
export function expressionOf({ index }: Pick<Moment, 'index'>, at: number): string {
  return index !== undefined ? String(index) : `@{${new Date(at * 1000).toISOString().slice(0, 19)}}`;
}
