import { unavailable } from '../errors.ts';
import type { Jobs } from './jobs.ts';
import { startThread, type Thread, type ToThread } from './thread.ts';

/** Runs code and data that customers supply, away from the main thread and within bounds. */
export interface Sandbox {
  run<Name extends keyof Jobs>(
    name: Name,
    input: Parameters<Jobs[Name]>[0],
    options?: { timeoutMs?: number },
  ): Promise<Awaited<ReturnType<Jobs[Name]>>>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 1_500;
const WAITING_MAX = 64;
const WAITING_MAX_MS = 10_000;

/** Ready to take the place of a thread that had to be stopped: starting one takes 230 ms (2026-11, two cores). */
const SPARES = 1;

interface Waiting extends PromiseWithResolvers<unknown> {
  readonly job: ToThread;
  readonly timeoutMs: number;
  readonly patience: NodeJS.Timeout;
}

/** At most `workers` jobs run at once. Threads are started when the first jobs come. */
export function openSandbox({ workers = 2 }: { workers?: number } = {}): Sandbox {
  const starting = new Set<Thread>();
  const idle: Thread[] = [];
  const busy = new Set<Thread>();
  const waiting: Waiting[] = [];
  let isClosed = false;

  function dispatch(): void {
    startMissing();
    while (busy.size < workers) {
      const thread = waiting.length > 0 ? idle.pop() : undefined;
      const next = thread && waiting.shift();
      if (!next) return;
      clearTimeout(next.patience);
      busy.add(thread);
      void perform(thread, next);
    }
  }

  function startMissing(): void {
    const needed = Math.min(workers, busy.size + waiting.length);
    // Spares come after those that somebody waits for.
    const wanted = starting.size > 0 ? needed : needed + SPARES;
    while (!isClosed && starting.size + idle.length + busy.size < wanted) {
      const thread = startThread();
      starting.add(thread);
      void thread.ready.then(
        () => {
          starting.delete(thread);
          idle.push(thread);
          dispatch();
        },
        (error: unknown) => {
          starting.delete(thread);
          if (starting.size + idle.length + busy.size === 0) refuseWaiting(error);
        },
      );
    }
  }

  async function perform(thread: Thread, { job, timeoutMs, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await thread.run(job, timeoutMs));
      idle.push(thread);
    } catch (error) {
      // Nothing is known about the state it is in, and after an abort jq may hang for ever.
      await thread.stop();
      reject(error);
    }
    busy.delete(thread);
    dispatch();
  }

  function refuseWaiting(reason: unknown): void {
    for (const { patience, reject } of waiting.splice(0)) {
      clearTimeout(patience);
      reject(reason);
    }
  }

  function enqueue(job: ToThread, timeoutMs: number): Promise<unknown> {
    if (isClosed) throw unavailable('The server is stopping');
    if (waiting.length >= WAITING_MAX) throw unavailable('Too many schemas and rules are waiting to be run');
    const patience = setTimeout(() => {
      waiting.splice(waiting.indexOf(entry), 1);
      entry.reject(unavailable('There was no time to run schemas and rules'));
    }, WAITING_MAX_MS);
    const entry: Waiting = { ...Promise.withResolvers<unknown>(), job, timeoutMs, patience };
    waiting.push(entry);
    dispatch();
    return entry.promise;
  }

  return {
    // A thread answers with what the job of that name returned.
    run: async (name, input, { timeoutMs = TIMEOUT_MS } = {}) => (await enqueue({ name, input }, timeoutMs)) as never,
    async close() {
      isClosed = true;
      refuseWaiting(unavailable('The server is stopping'));
      await Promise.all([...starting, ...idle, ...busy].map((thread) => thread.stop()));
    },
  };
}
