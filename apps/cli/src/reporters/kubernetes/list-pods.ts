import { requireSendable } from '../report.ts';
import { isGone, type KubernetesApi, KubernetesError } from './api.ts';
import { type Pod, type PodArtifact, runningIn } from './pod.ts';
import type { Selection } from './selection.ts';

export interface PodList {
  readonly pods: ReadonlyMap<string, PodArtifact>;
  readonly resourceVersion: string;
}

/** Annotations can make each pod of a page hundreds of kilobytes. */
const PAGE = 250;
const ATTEMPTS = 4;

/** Returns all pods with running containers, as of one moment. */
export async function listPods(
  api: KubernetesApi,
  path: string,
  selection: Selection,
  signal?: AbortSignal,
): Promise<PodList> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Pages that expire faster than they are read are not retried forever.
      return await listOnce(api, path, selection, attempt < ATTEMPTS ? PAGE : undefined, signal);
    } catch (error) {
      if (!isGone(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function listOnce(
  api: KubernetesApi,
  path: string,
  { labelSelector, includes }: Selection,
  limit: number | undefined,
  signal: AbortSignal | undefined,
): Promise<PodList> {
  const pods = new Map<string, PodArtifact>();
  let next: string | undefined;
  for (;;) {
    const page = pageOf(await api.get(path, { labelSelector, limit: limit?.toString(), continue: next }, signal));
    for (const pod of page.items) {
      const artifact = runningWithin(pod, includes);
      if (artifact) pods.set(podKey(pod), artifact);
    }
    requireFew(pods.size);
    next = page.next;
    if (!next) return { pods, resourceVersion: page.resourceVersion };
  }
}

export function runningWithin(pod: Pod, includes: Selection['includes']): PodArtifact | undefined {
  return includes(pod.metadata?.namespace ?? '') ? runningIn(pod) : undefined;
}

/** A pod that was recreated under its old name is another. */
export function podKey({ metadata: { uid, namespace = '', name = '' } = {} }: Pod): string {
  return uid ?? `${namespace}/${name}`;
}

export function requireFew(pods: number): void {
  requireSendable(pods, 'pods', 'Split the namespaces across several environments');
}

function pageOf(answer: unknown): { items: readonly Pod[]; next: string | undefined; resourceVersion: string } {
  const { items, metadata } = (answer ?? {}) as {
    items?: unknown;
    metadata?: { continue?: string; resourceVersion?: string };
  };
  if (!Array.isArray(items) || !metadata) {
    throw new KubernetesError(502, 'The server is not a Kubernetes API server: the response is not a list of pods');
  }
  return {
    items: items as Pod[],
    next: metadata.continue || undefined,
    resourceVersion: metadata.resourceVersion ?? '',
  };
}
