import { type Alarm, createAlarm } from '../alarm.ts';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';

interface PollLoop {
  /** Does what is due, and returns how long to wait before the next turn; 0 when more is due already. */
  readonly turn: () => Promise<number>;
  /** How long to wait after a turn that failed. */
  readonly pollMs: number;
  readonly log: Logger;
  /** The log message for a turn that failed. */
  readonly failure: string;
  /** Begins the next turn early when it is woken. Woken during a turn, the next one follows within this time. */
  readonly wakes?: { readonly alarm: Alarm; readonly withinMs: number };
}

/** Takes turns until the signal is aborted. A failed turn is logged, and what was due waits for the next one. */
export async function pollLoop(loop: PollLoop, signal: AbortSignal): Promise<void> {
  const { alarm, withinMs } = loop.wakes ?? { alarm: createAlarm(), withinMs: 0 };
  signal.addEventListener('abort', alarm.wake, { once: true });
  while (!signal.aborted) {
    alarm.reset();
    const waitMs = await turnOrLog(loop);
    if (waitMs > 0 && !alarm.wasWoken()) await alarm.sleep(waitMs);
    else if (withinMs > 0) await pause(withinMs, signal);
  }
}

async function turnOrLog({ turn, pollMs, log, failure }: PollLoop): Promise<number> {
  try {
    return await turn();
  } catch (error) {
    log.warn({ error: String(error) }, failure);
    return pollMs;
  }
}
