import { performance } from 'node:perf_hooks';

export interface CrowdingLimits {
  /** When the event loop was late by more than this all the time, everybody waits for everybody. */
  readonly lateMs: number;
  readonly least: number;
  readonly most: number;
}

export interface Crowding {
  /** How much of one caller may be under way while others ask. */
  most(): number;
  stop(): void;
}

const SAMPLE_MS = 20;
const PERIOD_MS = 100;

/**
 * How much each may have under way, so that who asks for little is answered soon. As in CoDel, the best moment of a
 * period counts: one long piece of work delays everybody once, but a queue is there all the time. What is allowed falls
 * by a fifth in a period with a queue, and rises by one in a period without.
 */
export function watchCrowding(limits: CrowdingLimits, now: () => number = () => performance.now()): Crowding {
  let most = limits.most;
  let best = Number.POSITIVE_INFINITY;
  let sampledAt = now();
  let periodFrom = sampledAt;

  function sample(): void {
    const at = now();
    best = Math.min(best, Math.max(0, at - sampledAt - SAMPLE_MS));
    sampledAt = at;
    if (at - periodFrom < PERIOD_MS) return;
    most = best > limits.lateMs ? Math.max(limits.least, most * 0.8) : Math.min(limits.most, most + 1);
    best = Number.POSITIVE_INFINITY;
    periodFrom = at;
  }

  const timer = setInterval(sample, SAMPLE_MS).unref();
  return { most: () => Math.floor(most), stop: () => clearInterval(timer) };
}
