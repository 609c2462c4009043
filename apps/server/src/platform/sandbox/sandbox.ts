import { unavailable } from '../errors.ts';
import { createFairQueue, type QueueFigures } from '../fair-queue.ts';
import type { SandboxJobs } from './jobs.ts';
import { startThread, type Thread, type ToThread } from './thread.ts';

/** Runs customers' code and data away from the main thread, within limits. */
export interface Sandbox {
  run<Name extends keyof SandboxJobs>(
    org: string,
    name: Name,
    /** Made when the turn comes: a refused job has taken no memory. */
    makeInput: () => Parameters<SandboxJobs[Name]>[0] | Promise<Parameters<SandboxJobs[Name]>[0]>,
    options?: { timeoutMs?: number },
  ): Promise<Awaited<ReturnType<SandboxJobs[Name]>>>;
  figures(): QueueFigures;
  close(): Promise<void>;
}

const TIMEOUT_MS = 1_500;

const QUEUE = {
  runningPerOrg: 1,
  waiting: 64,
  waitingPerOrg: 16,
  patienceMs: 10_000,
  // Two rules that run into their deadline. A thousand ordinary reports use less.
  heavyFromMs: 2 * TIMEOUT_MS,
  refusal: 'Too many schemas, rules, and evidence files are waiting to be read',
};

/** Ready to replace a thread that had to be stopped: starting one takes 230 ms (2026-11, two cores). */
const SPARES = 1;

/** At most `workers` jobs run at once, and one per org. Threads start with the first jobs. */
export function openSandbox({
  workers = 2,
  timeoutMs: usualTimeoutMs = TIMEOUT_MS,
}: {
  workers?: number;
  /** For jobs that name no timeout of their own. */
  timeoutMs?: number;
} = {}): Sandbox {
  const queue = createFairQueue({ ...QUEUE, running: workers });
  const starting = new Set<Thread>();
  const idle: Thread[] = [];
  const busy = new Set<Thread>();
  const wanting: PromiseWithResolvers<Thread>[] = [];
  let isClosed = false;

  function takeThread(): Promise<Thread> {
    const wanted = Promise.withResolvers<Thread>();
    wanting.push(wanted);
    handOut();
    return wanted.promise;
  }

  function handOut(): void {
    startMissing();
    while (wanting.length > 0) {
      const thread = idle.pop();
      if (!thread) return;
      busy.add(thread);
      wanting.shift()?.resolve(thread);
    }
  }

  function startMissing(): void {
    const needed = busy.size + wanting.length;
    // Spares come after threads that a job waits for.
    const wanted = starting.size > 0 ? needed : needed + SPARES;
    while (!isClosed && starting.size + idle.length + busy.size < wanted) {
      const thread = startThread();
      starting.add(thread);
      void thread.ready.then(
        () => {
          starting.delete(thread);
          idle.push(thread);
          handOut();
        },
        (error: unknown) => {
          starting.delete(thread);
          if (starting.size + idle.length + busy.size === 0) refuseWanting(error);
        },
      );
    }
  }

  function refuseWanting(reason: unknown): void {
    for (const { reject } of wanting.splice(0)) reject(reason);
  }

  async function perform(job: ToThread, timeoutMs: number): Promise<unknown> {
    const thread = await takeThread();
    try {
      const value = await thread.run(job, timeoutMs);
      idle.push(thread);
      return value;
    } catch (error) {
      // Its state is unknown, and after an abort jq may hang for ever.
      await thread.stop();
      throw error;
    } finally {
      busy.delete(thread);
      handOut();
    }
  }

  return {
    // A thread answers with what the job of that name returned.
    run: async (org, name, makeInput, { timeoutMs = usualTimeoutMs } = {}) =>
      (await queue.run(org, async () => perform({ name, input: await makeInput() }, timeoutMs))) as never,
    figures: queue.figures,
    async close() {
      isClosed = true;
      queue.close();
      refuseWanting(unavailable('The server is shutting down'));
      await Promise.all([...starting, ...idle, ...busy].map((thread) => thread.stop()));
    },
  };
}
