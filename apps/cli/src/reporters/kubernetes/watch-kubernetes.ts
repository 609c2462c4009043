import type { ReportOf } from '../report.ts';
import type { KubernetesApi } from './api.ts';
import { errorTextOf, followPods, type Pace } from './follow-pods.ts';
import { podsReport } from './read-kubernetes.ts';
import { type KubernetesOptions, selectionOf } from './selection.ts';
import { type WatchedPods, watchedPods } from './watched-pods.ts';

export type ReportCause = 'start' | 'change' | 'heartbeat' | 'retry';

export interface WatchHooks {
  /** Sends it. A failed one is retried with the current state. Never called concurrently. */
  readonly onReport: (report: ReportOf<'K8S'>, cause: ReportCause) => Promise<void>;
  /** For the log: what went wrong, and that it is retried. */
  readonly onNote?: (note: string) => void;
  /** The heartbeat interval. 60 s. */
  readonly heartbeatMs?: number;
  /** A change is reported when no other follows for so long, or after five times that. 2 s. */
  readonly settleMs?: number;
  readonly pace?: Partial<Pace>;
  readonly signal: AbortSignal;
}

const PACE: Pace = { watchSeconds: 120, graceSeconds: 15, retryFirstMs: 500, retryMaxMs: 30_000 };

/**
 * Reports what runs on every change and as a heartbeat, until aborted. While a watch is broken there is no report at
 * all: the environment goes stale at the server, and a guess would hide that.
 */
export async function watchKubernetes(
  api: KubernetesApi,
  options: KubernetesOptions,
  hooks: WatchHooks,
): Promise<void> {
  const selection = selectionOf(options);
  const pace = { ...PACE, ...hooks.pace };
  const onNote = hooks.onNote ?? (() => undefined);
  const failed = new AbortController();
  const signal = AbortSignal.any([hooks.signal, failed.signal]);
  const schedule = reportSchedule(hooks.heartbeatMs ?? 60_000, hooks.settleMs ?? 2_000);
  const bell = createBell(signal);
  const pods = watchedPods(
    selection.paths.length,
    () => {
      schedule.changed();
      bell.ring();
    },
    bell.ring,
  );
  const followers = selection.paths.flatMap((path, index) => {
    const part = pods.parts[index];
    return part ? [followPods({ api, path, selection, pace, onNote, signal }, part)] : [];
  });
  const tasks = [...followers, reportLoop({ pods, schedule, bell, hooks, onNote, signal })];
  try {
    await Promise.all(tasks);
  } catch (error) {
    if (!hooks.signal.aborted) throw error;
  } finally {
    failed.abort();
    await Promise.allSettled(tasks);
  }
}

interface Reporting {
  readonly pods: WatchedPods;
  readonly schedule: Schedule;
  readonly bell: Bell;
  readonly hooks: WatchHooks;
  readonly onNote: (note: string) => void;
  readonly signal: AbortSignal;
}

async function reportLoop({ pods, schedule, bell, hooks, onNote, signal }: Reporting): Promise<never> {
  for (;;) {
    signal.throwIfAborted();
    const wait = pods.isCurrent() ? schedule.dueInMs() : undefined;
    if (wait === undefined || wait > 0) {
      await bell.wait(wait);
      continue;
    }
    const cause = schedule.begun();
    try {
      await hooks.onReport(podsReport(pods.all()), cause);
      schedule.succeeded();
    } catch (error) {
      signal.throwIfAborted();
      onNote(`The report was not delivered; the next try follows: ${errorTextOf(error)}`);
      schedule.failed();
    }
  }
}

interface Schedule {
  changed(): void;
  dueInMs(): number;
  begun(): ReportCause;
  succeeded(): void;
  failed(): void;
}

function reportSchedule(heartbeatMs: number, settleMs: number): Schedule {
  let firstChange: number | undefined;
  let lastChange = 0;
  let lastBegun: number | undefined;
  let failures = 0;

  function dueAt(): number {
    if (lastBegun === undefined) return 0;
    if (failures > 0) return lastBegun + Math.min(heartbeatMs, 1000 * 2 ** (failures - 1), 30_000);
    if (firstChange !== undefined) return Math.min(lastChange + settleMs, firstChange + 5 * settleMs);
    return lastBegun + heartbeatMs;
  }

  function causeNow(): ReportCause {
    if (lastBegun === undefined) return 'start';
    if (failures > 0) return 'retry';
    return firstChange === undefined ? 'heartbeat' : 'change';
  }

  return {
    changed() {
      lastChange = performance.now();
      firstChange ??= lastChange;
    },
    dueInMs: () => Math.max(0, dueAt() - performance.now()),
    begun() {
      const cause = causeNow();
      lastBegun = performance.now();
      firstChange = undefined;
      return cause;
    },
    succeeded() {
      failures = 0;
    },
    failed() {
      failures += 1;
    },
  };
}

interface Bell {
  ring(): void;
  /** Waits until it rings, or so many milliseconds have passed. */
  wait(ms: number | undefined): Promise<void>;
}

function createBell(signal: AbortSignal): Bell {
  let wake: (() => void) | undefined;
  const ring = () => wake?.();
  signal.addEventListener('abort', ring);
  return {
    ring,
    async wait(ms) {
      if (signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
      wake = undefined;
    },
  };
}
