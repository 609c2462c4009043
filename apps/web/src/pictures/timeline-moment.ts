import type { Timeline, TimelineLane, TimelineRun } from '@waymark/contract';
import type { State } from '../ui/StateBadge.tsx';
import { holds } from './timeline-span.ts';

export type SnapshotTick = Timeline['snapshots'][number];
type Snapshots = readonly SnapshotTick[];

/** Below this a number in the address is a snapshot number, otherwise a time. */
const FIRST_TIME = 100_000_000;

type Place = { readonly snapshot: number } | { readonly time: number };

export function placeOf(at: number | undefined): Place | undefined {
  if (at === undefined) return undefined;
  return at < FIRST_TIME ? { snapshot: at } : { time: at };
}

/** How many were made up to a time; they are sorted. */
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

/** The snapshot that held at a time: the last one made before it. */
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

/** Merges both, sorted and without duplicates. */
export function joinSnapshots(one: Snapshots, other: Snapshots): Snapshots {
  const byIndex = new Map([...one, ...other].map((snapshot) => [snapshot.index, snapshot]));
  return [...byIndex.values()].sort((first, second) => first.index - second.index);
}

export interface Running {
  readonly lane: TimelineLane;
  readonly run: TimelineRun;
  readonly state: State;
}

/** What ran at the time, with its verdict at the time. */
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
  /** Undefined when it is not among the known ones. */
  readonly index: number | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly state: State;
  readonly isStale: boolean;
  /** Undefined unless it still is. */
  readonly staleSince: number | undefined;
  /** Before anything was reported. */
  readonly isBefore: boolean;
  /** Outside the window: nothing else is known about it. */
  readonly isOutside: boolean;
  readonly running: readonly Running[];
}

/** The environment at a time, which should lie in the window. `snapshots` may reach beyond it. */
export function momentOf(timeline: Timeline, snapshots: Snapshots, at: number): Moment {
  const { index, since, until } = heldAt(timeline, snapshots, at);
  if (!holds(timeline, at))
    return {
      index,
      since,
      until,
      state: 'unknown',
      isStale: false,
      staleSince: undefined,
      isBefore: false,
      isOutside: true,
      running: [],
    };
  const span = timeline.compliance.findLast(({ from }) => from <= at);
  const gap = timeline.gaps.find(({ from, until: end }) => from <= at && (end === null || end > at));
  return {
    index,
    since,
    until,
    isOutside: false,
    state: span?.compliance ?? 'unknown',
    isStale: gap !== undefined,
    staleSince: gap?.until === null ? gap.from : undefined,
    isBefore: span === undefined && !timeline.truncated,
    running: runningAt(timeline.lanes, at),
  };
}

/**
 * The snapshot that held at the time. If some were left out, the one before the window may not be the direct
 * predecessor: its number is returned only if all of the window are known, as it is then the one before the first of
 * them.
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

/** The API's expression for the snapshot of a time. */
export function expressionOf({ index }: Pick<Moment, 'index'>, at: number): string {
  return index !== undefined ? String(index) : `@{${new Date(at * 1000).toISOString().slice(0, 19)}}`;
}
