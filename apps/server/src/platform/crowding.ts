import { performance } from 'node:perf_hooks';

interface Range {
  readonly least: number;
  readonly most: number;
  /** When work takes longer than this, more of it at once would only make it slower. */
  readonly slowMs: number;
}

export interface CrowdingLimits {
  /** When the event loop is constantly later than this, every request waits for the others. */
  readonly lateMs: number;
  readonly crowded: Range;
  readonly alone: Range;
}

export interface Crowding {
  /** How many requests of one caller may be in progress while others ask. */
  crowded(): number;
  /** The same while nobody else asks. */
  alone(): number;
  /** Records how long a request took from its turn to its end. */
  note(ms: number): void;
  stop(): void;
}

const SAMPLE_MS = 20;
const PERIOD_MS = 100;

/** Weight of the latest request in the mean. */
const LATEST = 0.1;

/**
 * How many requests each caller may have in progress, so that light callers are answered soon. As in CoDel, the best
 * moment of a period counts: one slow request delays everybody once, but a queue is there all the time. The limit
 * halves in a period with a queue, and rises by one in a period without.
 */
export function watchCrowding(limits: CrowdingLimits, now: () => number = () => performance.now()): Crowding {
  let crowded = limits.crowded.most;
  let alone = limits.alone.most;
  let tookMs = 0;
  let best = Number.POSITIVE_INFINITY;
  let sampledAt = now();
  let periodFrom = sampledAt;

  function sample(): void {
    const at = now();
    best = Math.min(best, Math.max(0, at - sampledAt - SAMPLE_MS));
    sampledAt = at;
    if (at - periodFrom < PERIOD_MS) return;
    crowded = adapted(crowded, best > limits.lateMs || tookMs > limits.crowded.slowMs, limits.crowded);
    alone = adapted(alone, tookMs > limits.alone.slowMs, limits.alone);
    best = Number.POSITIVE_INFINITY;
    periodFrom = at;
  }

  const timer = setInterval(sample, SAMPLE_MS).unref();
  return {
    crowded: () => Math.floor(Math.min(crowded, alone)),
    alone: () => Math.floor(alone),
    note(ms) {
      tookMs += (ms - tookMs) * LATEST;
    },
    stop: () => clearInterval(timer),
  };
}

function adapted(allowed: number, isTooMuch: boolean, { least, most }: Range): number {
  return isTooMuch ? Math.max(least, allowed * 0.5) : Math.min(most, allowed + 1);
}
