import { performance } from 'node:perf_hooks';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import type { LanePosition } from './pass.ts';
import { type Turn, takeTurn } from './processor.ts';

const RETRY_MS = 250;
/** Entries recorded within this time of a turn are taken together: a turn costs more than its entries. */
const APART_MS = 200;
/** A turn that took long had to wait itself, and rests that much longer for others that wait. */
const REST_PER_TURN = 4;
const MAX_REST_MS = 1_000;

export interface LaneRunner {
  /** Polls for entries now, unless it has already passed the one it is woken for. Waking without work does no harm. */
  wake(sequenced?: LanePosition): void;
  stop(): Promise<void>;
}

/** Runs one processor over some lanes: when woken, it takes turns until nothing is left. */
export function startLanes(turn: Turn, log: Logger): LaneRunner {
  const stopped = new AbortController();
  const reached = new Map<number, number>();
  let woken = true;
  let wakeUp: () => void = () => undefined;
  const working = work();

  async function work(): Promise<void> {
    while (!stopped.signal.aborted) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          wakeUp = resolve;
        });
      }
      woken = false;
      const startedAt = performance.now();
      const positions = await catchUp(turn, log, stopped.signal);
      for (const { lane, position } of positions) reached.set(lane, position);
      await pause(restAfter(performance.now() - startedAt), stopped.signal);
    }
  }

  return {
    wake(sequenced) {
      if (sequenced && sequenced.position <= (reached.get(sequenced.lane) ?? -1)) return;
      woken = true;
      wakeUp();
    },
    async stop() {
      stopped.abort();
      wakeUp();
      await working;
    },
  };
}

function restAfter(tookMs: number): number {
  return Math.min(MAX_REST_MS, Math.max(APART_MS - tookMs, REST_PER_TURN * tookMs));
}

/** Returns how far the lanes have come when nothing is left. */
async function catchUp(turn: Turn, log: Logger, signal: AbortSignal): Promise<readonly LanePosition[]> {
  while (!signal.aborted) {
    try {
      const { kind, positions } = await takeTurn({ ...turn, signal });
      if (kind !== 'more') return positions;
    } catch (error) {
      log.warn({ error: String(error), processor: turn.processor.name }, 'processor has to wait');
      await pause(RETRY_MS, signal);
    }
  }
  return [];
}
