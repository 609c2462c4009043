import { Worker } from 'node:worker_threads';
import { SANDBOX_WORKER } from '../places.ts';
import type { SandboxJobs } from './jobs.ts';
import { SandboxFailed, SandboxTimeout } from './sandbox-error.ts';

export interface ToThread {
  readonly name: keyof SandboxJobs;
  readonly input: unknown;
}

export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string };

/** One thread, for one job at a time. After a rejected job it must be stopped. */
export interface Thread {
  readonly ready: Promise<void>;
  /** The time allowed is that of the processor, so that a busy machine refuses nobody; that on the clock is limited too. */
  run(job: ToThread, timeoutMs: number): Promise<unknown>;
  stop(): Promise<void>;
}

/** How much longer than on an idle machine a job may take. */
const MAX_SLOWDOWN = 4;

/** WebAssembly memory is not included; the build of jq has its own limit of 256 MB. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

export function startThread(): Thread {
  const worker = new Worker(SANDBOX_WORKER, {
    resourceLimits: LIMITS,
    env: {},
    execArgv: [],
    // An aborting jq writes there; the output is of no use.
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  worker.unref();

  let current = Promise.withResolvers<unknown>();
  const ready = current.promise.then(() => undefined);
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'failed') current.reject(new SandboxFailed(message.message));
    else current.resolve(message.kind === 'done' ? message.value : undefined);
  });
  worker.on('error', (error) => current.reject(new SandboxFailed(String(error), { cause: error })));
  worker.on('exit', () => current.reject(new SandboxFailed('the thread was stopped')));

  return {
    ready,
    async run(job, timeoutMs) {
      current = Promise.withResolvers();
      const { reject } = current;
      const timeout = new SandboxTimeout(`${job.name} took more than ${timeoutMs} ms`);
      const atLatest = setTimeout(() => reject(timeout), MAX_SLOWDOWN * timeoutMs);
      const usedBefore = usedMs(worker);
      let isOver = false;
      const check = async () => {
        const left = timeoutMs - ((await usedMs(worker)) - (await usedBefore));
        if (isOver) return;
        if (left < 1) reject(timeout);
        else deadline = setTimeout(() => void check(), left);
      };
      let deadline = setTimeout(() => void check(), timeoutMs);
      try {
        worker.postMessage(job);
        return await current.promise;
      } finally {
        isOver = true;
        clearTimeout(atLatest);
        clearTimeout(deadline);
      }
    },
    async stop() {
      await worker.terminate();
    },
  };
}

/** The processor time that a thread has taken; without end once it has stopped. */
function usedMs(worker: Worker): Promise<number> {
  return worker.cpuUsage().then(
    ({ user, system }) => (user + system) / 1_000,
    () => Number.POSITIVE_INFINITY,
  );
}
