import { systemCtx } from '../../../platform/ctx.ts';
import type { Db } from '../../../platform/db/db.ts';
import { isUnavailable } from '../../../platform/db/failure.ts';
import { pollLoop } from '../../../platform/jobs/poll-loop.ts';
import type { Logger } from '../../../platform/log.ts';
import { systemClock } from '../../../platform/time.ts';
import { listWarnings, queueDue } from './verdict-turn.store.ts';
import { warnOf } from './warn.service.ts';

const POLL_MS = 5_000;
/** Of each org in a turn, however many the others have. */
const PER_ORG = 200;

interface TurnParts {
  readonly db: Db;
  readonly log: Logger;
  readonly now?: () => Date;
  /** Called when re-evaluations were queued. */
  readonly wake?: () => void;
}

/** Has artifacts judged again when time may have changed their verdicts, and warns of it before, until the signal aborts. */
export async function runVerdictTurns(parts: TurnParts, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
  const turn = async () => {
    const warned = await takeWarnings(parts);
    return (await takeTurns(parts)) + warned < PER_ORG ? pollMs : 0;
  };
  await pollLoop({ turn, pollMs, log: parts.log, failure: 'verdicts that turn with time wait' }, signal);
}

/** Returns how many re-evaluations were queued. */
export async function takeTurns({ db, now = systemClock, wake }: TurnParts): Promise<number> {
  const queued = await queueDue(db, now(), PER_ORG);
  if (queued > 0) wake?.();
  return queued;
}

/** Returns how many artifacts were looked at. A failure does not hold up the others, and is retried in the next turn. */
export async function takeWarnings({ db, log, now = systemClock }: TurnParts): Promise<number> {
  const due = await listWarnings(db, now(), PER_ORG);
  let done = 0;
  for (const turns of Map.groupBy(due, ({ org_id, environment_id }) => `${org_id} ${environment_id}`).values()) {
    const [first] = turns;
    if (!first) continue;
    try {
      await warnOf({ ...systemCtx(db, first.org_id, 'expiry', log), now }, first.environment_id, turns);
      done += turns.length;
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, environment: first.environment_id }, 'expiring evidence could not be warned of');
    }
  }
  return done;
}
