const WITHIN_MS = 5 * 60_000;
const ASK_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 5_000;

interface Starting {
  /** Whether the process that was started still runs. */
  readonly isAlive: () => boolean;
  /** Where its log is, and what to do: ends the message of a failure. */
  readonly hint: string;
  /** For a process that stays alive and never answers. */
  readonly withinMs?: number;
}

/** Waits for a Waymark that was just started, as long as its process lives: a busy machine takes its time. */
export async function untilReady(url: string, { isAlive, hint, withinMs = WITHIN_MS }: Starting): Promise<void> {
  const until = performance.now() + withinMs;
  let last = 'no answer';
  while (performance.now() < until) {
    if (!isAlive()) throw new Error(`The server for ${url} ended while starting. ${hint}`);
    try {
      const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      if (answer.ok) return;
      last = `${answer.status} ${await answer.text()}`;
    } catch (error) {
      last = String((error as Error).cause ?? error);
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  throw new Error(`${url}/ready is not ready after ${Math.round(withinMs / 1000)} s (${last}). ${hint}`);
}
