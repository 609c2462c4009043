import { sameInstances } from '../snapshots/instance-detail.reads.ts';
import type { CurrentRun } from '../snapshots/record/current-runs.reads.ts';
import type { ReportContent, ReportedArtifact } from './run-content.ts';

interface Resized {
  readonly run: CurrentRun;
  readonly artifact: ReportedArtifact;
}

export interface RunChanges {
  readonly started: readonly ReportedArtifact[];
  readonly exited: readonly CurrentRun[];
  /** Runs whose instances differ, even if only in start times. */
  readonly restated: readonly Resized[];
  /** Those that differ in more than start times. */
  readonly resized: readonly Resized[];
}

/** Compares a report with what runs. Fingerprint and name together identify an artifact. */
export function changesOf(current: readonly CurrentRun[], { artifacts }: ReportContent): RunChanges {
  const before = byNameOnly(current);
  const gone = new Set(current);
  const started: ReportedArtifact[] = [];
  const restated: Resized[] = [];
  for (const artifact of artifacts) {
    const run = runOf(before, artifact);
    if (!run) started.push(artifact);
    else {
      gone.delete(run);
      if (run.detail !== artifact.detail) restated.push({ run, artifact });
    }
  }
  return {
    started,
    exited: [...gone].sort(byName),
    restated,
    resized: restated.filter(({ run, artifact }) => !sameInstances(run.detail, artifact.detail)),
  };
}

/** By name and, where several have it, by fingerprint. */
type Runs = Map<string, CurrentRun | Map<string, CurrentRun>>;

function byNameOnly(current: readonly CurrentRun[]): Runs {
  const runs: Runs = new Map();
  for (const run of current) {
    const other = runs.get(run.name);
    if (other === undefined) runs.set(run.name, run);
    else if (other instanceof Map) other.set(run.fingerprint, run);
    else runs.set(run.name, new Map([other, run].map((one) => [one.fingerprint, one])));
  }
  return runs;
}

function runOf(runs: Runs, { name, fingerprint }: ReportedArtifact): CurrentRun | undefined {
  const found = runs.get(name);
  if (found instanceof Map) return found.get(fingerprint);
  return found?.fingerprint === fingerprint ? found : undefined;
}

function byName(a: CurrentRun, b: CurrentRun): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.fingerprint < b.fingerprint ? -1 : 1;
}
