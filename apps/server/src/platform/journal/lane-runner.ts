import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { isAfter, type Position } from './lanes.ts';
import { type Turn, takeTurn } from './processor.ts';

const RETRY_MS = 250;

export interface LaneRunner {
  /** Looks for entries now, unless the one it is woken for was passed already. Waking for nothing does no harm. */
  wake(entry?: Position): void;
  stop(): Promise<void>;
}

/** Runs one processor over one lane: when it is woken, it takes turns until nothing is left. */
export function startLane(turn: Turn, log: Logger): LaneRunner {
  const stopped = new AbortController();
  let reached: Position | undefined;
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
      reached = (await catchUp(turn, log, stopped.signal)) ?? reached;
    }
  }

  return {
    wake(entry) {
      if (entry && reached && !isAfter(entry, reached)) return;
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

/** Returns the position reached when nothing is left; nothing when another worker holds the lane. */
async function catchUp(turn: Turn, log: Logger, signal: AbortSignal): Promise<Position | undefined> {
  while (!signal.aborted) {
    try {
      const outcome = await takeTurn({ ...turn, signal });
      if (outcome.kind === 'lost') return undefined;
      if (outcome.kind === 'done') return outcome.position;
    } catch (error) {
      log.warn({ error: String(error), processor: turn.processor.name }, 'processor has to wait');
      await pause(RETRY_MS, signal);
    }
  }
  return undefined;
}
