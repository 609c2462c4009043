import type * as api from '@waymark/contract';
import { epochSeconds } from '../../platform/time.ts';
import { isCommitTime } from '../deployments/commit-time.reads.ts';
import { type ArtifactPresence, ENVIRONMENTS_SHOWN, type RunEvent } from '../deployments/running.reads.ts';

/** Where an artifact runs and ran, and its history there. */
export interface ArtifactRuns {
  readonly places: readonly ArtifactPresence[];
  readonly events: readonly RunEvent[];
}

/** The snapshots in which it started, in any environment. */
export function startsOf(places: readonly ArtifactPresence[]): number[] {
  const indexes = places.slice(0, ENVIRONMENTS_SHOWN).flatMap((place) => place.deployments);
  return [...new Set(indexes)].sort((a, b) => a - b);
}

/** Both lists, oldest first. */
export function mergeHistory(evidence: api.Artifact['history'], events: readonly RunEvent[]): api.Artifact['history'] {
  const runs = events.map(({ kind, environment_name, index, at }) => ({
    event: `${kind === 'started' ? 'Started' : 'Stopped'} running in '${environment_name}', snapshot ${index}`,
    timestamp: epochSeconds(at),
  }));
  return [...evidence, ...runs].sort((a, b) => a.timestamp - b.timestamp);
}

/** Seconds until it first ran in an environment, from the commit and from the report of it. */
export function leadTimes(
  places: readonly ArtifactPresence[],
  committedAt: number | null | undefined,
  reportedAt: Date,
): Pick<api.Artifact, 'commit_lead_times' | 'build_lead_times'> {
  const active = places.filter((place) => !place.is_archived).slice(0, ENVIRONMENTS_SHOWN);
  const since = (ms: number) =>
    Object.fromEntries(active.map((place) => [place.environment_name, (place.first_started_at.getTime() - ms) / 1000]));
  return {
    commit_lead_times: isCommitTime(committedAt) ? since(committedAt * 1000) : {},
    build_lead_times: since(reportedAt.getTime()),
  };
}
