import type { Followed } from './follow-pods.ts';
import type { PodArtifact } from './pod.ts';

interface Known {
  readonly pod: PodArtifact;
  readonly text: string;
}

export interface WatchedPods {
  /** One for each list and watch. */
  readonly parts: readonly Followed[];
  /** False until all lists are complete, and while any of the watches is broken. */
  isCurrent(): boolean;
  all(): PodArtifact[];
}

/** The known pods. `onChange` is called for changes of a report, and not for every event. */
export function watchedPods(parts: number, onChange: () => void, onCurrent: () => void): WatchedPods {
  const known = Array.from({ length: parts }, () => ({ pods: new Map<string, Known>(), isCurrent: false }));
  return {
    parts: known.map((part) => ({
      set(key, pod) {
        if (put(part.pods, key, pod)) onChange();
      },
      replace(pods) {
        const gone = [...part.pods.keys()].filter((key) => !pods.has(key));
        const changes = [...pods].map(([key, pod]) => put(part.pods, key, pod));
        for (const key of gone) part.pods.delete(key);
        if (gone.length > 0 || changes.some(Boolean)) onChange();
      },
      setCurrent(isCurrent) {
        part.isCurrent = isCurrent;
        if (isCurrent) onCurrent();
      },
    })),
    isCurrent: () => known.every(({ isCurrent }) => isCurrent),
    all: () => known.flatMap(({ pods }) => Array.from(pods.values(), ({ pod }) => pod)),
  };
}

function put(pods: Map<string, Known>, key: string, pod: PodArtifact | undefined): boolean {
  if (pod === undefined) return pods.delete(key);
  const text = JSON.stringify(pod);
  if (pods.get(key)?.text === text) return false;
  pods.set(key, { pod, text });
  return true;
}
