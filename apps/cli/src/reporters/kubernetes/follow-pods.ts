import { setTimeout as sleep } from 'node:timers/promises';
import { isGone, isPassing, type KubernetesApi, refusalOf } from './api.ts';
import { listPods, podKey, runningWithin } from './list-pods.ts';
import type { Pod, PodArtifact } from './pod.ts';
import type { Selection } from './selection.ts';

/** The target of one list and its watch. */
export interface Followed {
  replace(pods: ReadonlyMap<string, PodArtifact>): void;
  set(key: string, pod: PodArtifact | undefined): void;
  /** Whether the known pods are those of the cluster. */
  setCurrent(isCurrent: boolean): void;
}

export interface Pace {
  /** How long the server keeps a watch open. A dead connection is noticed soon after. */
  readonly watchSeconds: number;
  /** How much longer nothing may arrive before the connection counts as dead. */
  readonly graceSeconds: number;
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
}

export interface Following {
  readonly api: KubernetesApi;
  readonly path: string;
  readonly selection: Selection;
  readonly pace: Pace;
  readonly onNote: (note: string) => void;
  readonly signal: AbortSignal;
}

/** A watch that was open for so long counts as a success. */
const LASTING_MS = 1000;

interface WatchEvent {
  readonly type?: string;
  readonly object?: Pod & { readonly code?: number };
}

interface Position {
  version: string | undefined;
  wasListed: boolean;
  /** In a row. */
  failures: number;
}

/** Lists, then watches, forever. Throws when aborted, and when the first list fails permanently. */
export async function followPods(following: Following, followed: Followed): Promise<never> {
  const { pace, signal } = following;
  const position: Position = { version: undefined, wasListed: false, failures: 0 };
  for (;;) {
    await followOn(following, followed, position);
    if (position.failures > 0) await sleep(retryDelay(pace, position.failures), undefined, { signal });
  }
}

async function followOn(following: Following, followed: Followed, position: Position): Promise<void> {
  try {
    if (position.version === undefined) await relist(following, followed, position);
    const hasServed = await watchOnce(following, followed, position);
    // A server that ends each watch at once is not asked without a pause.
    if (!hasServed) position.failures += 1;
  } catch (error) {
    following.signal.throwIfAborted();
    if (!position.wasListed && !isPassing(error)) throw error;
    position.failures += 1;
    followed.setCurrent(false);
    following.onNote(errorTextOf(error));
    // A restored cluster does not know the position, and not every server says so.
    if (isGone(error) || position.failures > 3) position.version = undefined;
  }
}

async function relist(following: Following, followed: Followed, position: Position): Promise<void> {
  const { api, path, selection, signal } = following;
  const { pods, resourceVersion } = await listPods(api, path, selection, signal);
  followed.replace(pods);
  followed.setCurrent(true);
  position.version = resourceVersion;
  position.wasListed = true;
}

/**
 * Returns true if the watch delivered anything, broken or not. The position moves with each event, so that nothing is
 * missed when the stream breaks.
 */
async function watchOnce(following: Following, followed: Followed, position: Position): Promise<boolean> {
  const { api, path, selection, pace, signal } = following;
  const query = {
    watch: 'true',
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(pace.watchSeconds),
    resourceVersion: position.version,
    labelSelector: selection.labelSelector,
  };
  let openedAt = Number.POSITIVE_INFINITY;
  const onOpen = () => {
    openedAt = performance.now();
    followed.setCurrent(true);
  };
  const events = api.watch(path, query, { signal, onOpen, idleMs: (pace.watchSeconds + pace.graceSeconds) * 1000 });
  try {
    for await (const event of events as AsyncIterable<WatchEvent>) {
      apply(event, selection, followed);
      position.version = event.object?.metadata?.resourceVersion ?? position.version;
      position.failures = 0;
    }
  } finally {
    if (performance.now() - openedAt > LASTING_MS) position.failures = 0;
  }
  return performance.now() - openedAt > LASTING_MS;
}

function apply({ type, object = {} }: WatchEvent, selection: Selection, followed: Followed): void {
  if (type === 'ERROR') throw refusalOf(object.code ?? 500, object);
  if (type === 'DELETED') followed.set(podKey(object), undefined);
  if (type === 'ADDED' || type === 'MODIFIED') followed.set(podKey(object), runningWithin(object, selection.includes));
}

function retryDelay({ retryFirstMs, retryMaxMs }: Pace, failures: number): number {
  return Math.random() * Math.min(retryMaxMs, retryFirstMs * 2 ** (failures - 1));
}

export function errorTextOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const why = 'why' in error && typeof error.why === 'string' ? `: ${error.why}` : '';
  return `${error.message}${why}`;
}
