import type { ReportOf } from '../report.ts';
import type { KubernetesApi } from './api.ts';
import { listPods, requireFew } from './list-pods.ts';
import type { PodArtifact } from './pod.ts';
import { type KubernetesOptions, selectionOf } from './selection.ts';

/** What runs in the cluster now. */
export async function readKubernetes(
  api: KubernetesApi,
  options: KubernetesOptions = {},
  signal?: AbortSignal,
): Promise<ReportOf<'K8S'>> {
  const selection = selectionOf(options);
  const found: PodArtifact[] = [];
  for (const path of selection.paths) {
    const { pods } = await listPods(api, path, selection, signal);
    found.push(...pods.values());
  }
  return podsReport(found);
}

/** In one order, so that the same pods make the same bytes, which the server compares first. */
export function podsReport(pods: readonly PodArtifact[]): ReportOf<'K8S'> {
  requireFew(pods.length);
  const keyed = pods.map((pod) => ({ pod, key: `${pod.namespace}/${pod.podName}/${pod.creationTimestamp}` }));
  keyed.sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));
  return { type: 'K8S', artifacts: keyed.map(({ pod }) => pod) };
}
