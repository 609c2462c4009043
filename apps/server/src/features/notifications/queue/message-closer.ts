import type { Db } from '../../../platform/db/db.ts';
import { pollLoop } from '../../../platform/jobs/poll-loop.ts';
import type { Logger } from '../../../platform/log.ts';
import { systemClock } from '../../../platform/time.ts';
import { closeDueMessages } from './message.service.ts';

const POLL_MS = 500;

interface CloserParts {
  readonly db: Db;
  readonly log: Logger;
  /** Called when there is something to be sent. */
  readonly wake?: () => void;
  readonly now?: () => Date;
}

/** Closes messages whose time to group is over, until the signal is given. Several workers may do so at once. */
export async function runMessageCloser(parts: CloserParts, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
  const { db, log, now = systemClock, wake } = parts;
  const turn = async () => {
    const closed = await closeDueMessages(db, now());
    if (closed === 0) return pollMs;
    wake?.();
    return 0;
  };
  await pollLoop({ turn, pollMs, log, failure: 'open messages could not be closed' }, signal);
}
