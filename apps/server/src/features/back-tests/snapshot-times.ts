import type { Ctx } from '../../platform/ctx.ts';
import { epochSeconds } from '../../platform/time.ts';
import type { RunInterval } from '../snapshots/read/run-intervals.reads.ts';
import { listAllTimes } from './back-test.store.ts';
import type { BackTestOutcome, OutcomeSince } from './back-test-outcome.ts';
import type { Interval } from './compare-verdicts.ts';

/** When each snapshot of an interval was the latest. */
export interface SnapshotTimes {
  /** In seconds; of the snapshot after the last one, the end of the tested time. */
  startOf(index: number): number;
  /** The snapshot that was the latest then. */
  indexAt(seconds: number): number;
}

export async function readSnapshotTimes(ctx: Ctx, interval: RunInterval, to: Date): Promise<SnapshotTimes> {
  const rows = await listAllTimes(ctx.db, interval);
  const starts = rows.map(({ created_at }) => epochSeconds(created_at));
  const { first, last } = interval;
  return {
    startOf: (index) => (index > last ? epochSeconds(to) : (starts[index - first] ?? 0)),
    indexAt(seconds) {
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((starts[middle] ?? 0) <= seconds) low = middle;
        else high = middle - 1;
      }
      return first + low;
    },
  };
}

interface OutcomeOver extends Interval {
  readonly outcome: BackTestOutcome;
}

/** In which snapshots each outcome held. Where one snapshot had several, it is the first that is not compliant. */
export function inSnapshots(
  outcomes: readonly OutcomeSince[],
  { from, until }: Interval,
  times: SnapshotTimes,
): OutcomeOver[] {
  const placed = outcomes.map(({ since, outcome }, i) => {
    const next = outcomes[i + 1];
    return {
      first: Math.max(from, times.indexAt(since)),
      last: next ? Math.min(until - 1, lastBefore(next.since, times)) : until - 1,
      outcome,
    };
  });
  const cuts = [...new Set([from, ...placed.flatMap(({ first }) => [first, first + 1])])]
    .filter((cut) => cut < until)
    .sort((one, other) => one - other);
  return cuts.map((cut, i) => {
    const held = placed.filter(({ first, last }) => first <= cut && cut <= last).map(({ outcome }) => outcome);
    return { from: cut, until: cuts[i + 1] ?? until, outcome: held.find((outcome) => outcome !== null) ?? null };
  });
}

function lastBefore(seconds: number, { indexAt, startOf }: SnapshotTimes): number {
  const index = indexAt(seconds);
  return startOf(index) < seconds ? index : index - 1;
}
