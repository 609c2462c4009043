import { sameInstances } from './instance-detail.ts';
import type { ReportContent, ReportedArtifact } from './run-content.ts';

/** What runs according to the latest snapshot. */
export interface CurrentRun {
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly count: number;
  readonly detail: string;
}

interface Resized {
  readonly run: CurrentRun;
  readonly artifact: ReportedArtifact;
}

export interface RunChanges {
  readonly started: readonly ReportedArtifact[];
  readonly exited: readonly CurrentRun[];
  /** Runs whose instances differ, be it only in their times of start. */
  readonly restated: readonly Resized[];
  /** Those of them that differ in more than times. */
  readonly resized: readonly Resized[];
}

/** What a report changes. An artifact is told by its fingerprint and its name. */
export function changesOf(current: readonly CurrentRun[], { artifacts }: ReportContent): RunChanges {
  const before = new Map(current.map((run) => [keyOf(run), run]));
  const started: ReportedArtifact[] = [];
  const restated: Resized[] = [];
  for (const artifact of artifacts) {
    const key = keyOf(artifact);
    const run = before.get(key);
    if (!run) started.push(artifact);
    else if (run.detail !== artifact.detail) restated.push({ run, artifact });
    before.delete(key);
  }
  return {
    started,
    exited: [...before.values()].sort(byName),
    restated,
    resized: restated.filter(({ run, artifact }) => !sameInstances(run.detail, artifact.detail)),
  };
}

function byName(a: CurrentRun, b: CurrentRun): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.fingerprint < b.fingerprint ? -1 : 1;
}

/** Fingerprints have one length, or none. */
function keyOf({ name, fingerprint }: { name: string; fingerprint: string }): string {
  return `${fingerprint} ${name}`;
}
