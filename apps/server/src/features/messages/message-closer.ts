import type { Db } from '../../platform/db/db.ts';
import type { Logger } from '../../platform/log.ts';
import { pause } from '../../platform/pause.ts';
import { systemClock } from '../../platform/time.ts';
import { closeDueMessages } from './message.service.ts';

const POLL_MS = 500;

interface CloserParts {
  readonly db: Db;
  readonly log: Logger;
  /** Called when there is something to be sent. */
  readonly wake?: () => void;
  readonly now?: () => Date;
}

/** Lets go of messages that others may have joined, until the signal is given. Several workers may do so at once. */
export async function runMessageCloser(parts: CloserParts, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
  while (!signal.aborted) {
    const closed = await closeOrWait(parts);
    if (closed > 0) parts.wake?.();
    else await pause(pollMs, signal);
  }
}

async function closeOrWait({ db, log, now = systemClock }: CloserParts): Promise<number> {
  try {
    return await closeDueMessages(db, now());
  } catch (error) {
    log.warn({ error: String(error) }, 'messages wait for being closed');
    return 0;
  }
}
