import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { type Turn, takeTurn } from './processor.ts';

const RETRY_MS = 250;

export interface LaneRunner {
  /** Looks for entries now. Waking for nothing, or twice for one entry, does no harm. */
  wake(): void;
  stop(): Promise<void>;
}

/** Runs one processor over one lane: when it is woken, it takes turns until nothing is left. */
export function startLane(turn: Turn, log: Logger): LaneRunner {
  const stopped = new AbortController();
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
      await catchUp(turn, log, stopped.signal);
    }
  }

  return {
    wake() {
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

/** Returns when nothing is left, or when another worker holds the lane. */
async function catchUp(turn: Turn, log: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const outcome = await takeTurn(turn);
      if (outcome.kind !== 'more') return;
    } catch (error) {
      log.warn({ error: String(error), processor: turn.processor.name }, 'processor has to wait');
      await pause(RETRY_MS, signal);
    }
  }
}
