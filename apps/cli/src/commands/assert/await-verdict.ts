import { ApiError, UnexpectedAnswerError } from '@waymark/client';
import { streamEvents } from '@waymark/contract';
import { usageError } from '../../run/cli-error.ts';
import { readDuration } from '../../run/duration.ts';
import type { Session } from '../../run/session.ts';
import { isUnavailable } from '../../spool/unavailable.ts';
import type { Verdict } from './verdict.ts';

/** Polling interval where there are no events. */
const POLL_MS = 5_000;
/** One change is often followed by others. */
const SETTLE_MS = 250;

export function readWait(text: string): number {
  try {
    return readDuration(text);
  } catch (error) {
    throw usageError(`--wait ${error instanceof Error ? error.message : 'is not valid'}, not '${text}'`);
  }
}

/** Returns the verdict now or, with --wait, as soon as it is good; at the end of the wait, whatever it is then. */
export async function awaitVerdict(
  session: Session,
  waitMs: number | undefined,
  judge: () => Promise<Verdict>,
): Promise<Verdict> {
  if (waitMs === undefined) return judge();
  const deadline = performance.now() + waitMs;
  const over = new AbortController();
  const changes = followChanges(session, AbortSignal.any([session.io.signal, over.signal]));
  try {
    for (let isFirst = true; ; isFirst = false) {
      const left = deadline - performance.now();
      const judged = await attempt(judge);
      if ('verdict' in judged && judged.verdict.ending === 'done') return judged.verdict;
      if (left <= 0) return given(judged);
      if (isFirst) session.say(`${verdictText(judged)}; waiting up to ${Math.ceil(left / 1000)} s`);
      await changes.next(Math.min(POLL_MS, left));
      session.io.signal.throwIfAborted();
    }
  } finally {
    over.abort();
  }
}

type Judged = { readonly verdict: Verdict } | { readonly error: Error };

/** Something missing may still arrive, and a service may come back. Any other error ends the wait. */
async function attempt(judge: () => Promise<Verdict>): Promise<Judged> {
  try {
    return { verdict: await judge() };
  } catch (error) {
    const isNotOurs = error instanceof UnexpectedAnswerError;
    const mayChange = isUnavailable(error) || isNotOurs || (error instanceof ApiError && error.status === 404);
    if (mayChange && error instanceof Error) return { error };
    throw error;
  }
}

function given(judged: Judged): Verdict {
  if ('error' in judged) throw judged.error;
  return judged.verdict;
}

function verdictText(judged: Judged): string {
  return 'error' in judged ? judged.error.message : `${judged.verdict.state} ${judged.verdict.about}`;
}

/** Any event of the org may be the one that counts. Without events, waits for the polling interval. */
function followChanges(session: Session, signal: AbortSignal): { next: (ms: number) => Promise<void> } {
  // Events during a request count as well: the answer may be older than they are.
  let isNews = false;
  let wake: () => void = () => undefined;
  const follow = async () => {
    const events = session.client().events(streamEvents, { params: { org: session.need('org') }, signal });
    const iterator = events[Symbol.asyncIterator]();
    while (!(await iterator.next()).done) {
      isNews = true;
      wake();
    }
  };
  follow().catch(() => {
    if (!signal.aborted) session.detail('Live events are not available, so the command polls the service');
  });
  return {
    async next(ms) {
      if (!isNews) await new Promise<void>((resolve) => waitFor(ms, signal, resolve, (waker) => (wake = waker)));
      if (isNews) await new Promise<void>((resolve) => waitFor(Math.min(SETTLE_MS, ms), signal, resolve));
      isNews = false;
    },
  };
}

function waitFor(
  ms: number,
  signal: AbortSignal,
  resolve: () => void,
  offerWaker: (waker: () => void) => void = () => undefined,
): void {
  const timer = setTimeout(done, ms);
  function done() {
    clearTimeout(timer);
    signal.removeEventListener('abort', done);
    resolve();
  }
  signal.addEventListener('abort', done);
  offerWaker(done);
  if (signal.aborted) done();
}
