import type { DiffArtifact } from '@waymark/contract';

/** What runs in a snapshot under one name and fingerprint. */
export interface RunningArtifact {
  readonly name: string;
  readonly fingerprint: string;
  readonly count: number;
  readonly timestamps: readonly number[];
  readonly pods: readonly string[];
  readonly flow: string;
  readonly commitUrl: string;
}

/** All runs of one artifact, under whatever names. */
type Group = readonly [RunningArtifact, ...RunningArtifact[]];

export interface SnapshotDiff {
  readonly onlyFirst: DiffArtifact[];
  readonly onlySecond: DiffArtifact[];
  readonly changed: DiffArtifact[];
  readonly notChanged: DiffArtifact[];
}

/** Artifacts are the same when their fingerprints are; those that are not identified, when their names are. */
export function diffOf(first: readonly RunningArtifact[], second: readonly RunningArtifact[]): SnapshotDiff {
  const before = grouped(first);
  const after = grouped(second);
  const diff: SnapshotDiff = { onlyFirst: [], onlySecond: [], changed: [], notChanged: [] };
  for (const [key, group] of before) {
    if (!after.has(key))
      diff.onlyFirst.push({ ...shown(group), instance_count: count(group), s1_instance_count: count(group) });
  }
  for (const [key, group] of after) {
    const earlier = before.get(key);
    const counts = { s1_instance_count: earlier ? count(earlier) : null, s2_instance_count: count(group) };
    const one = { ...shown(group), ...counts, instance_count: count(group) };
    if (!earlier) diff.onlySecond.push(one);
    // Clients read two counts as "scaled from … to …".
    else if (isSame(earlier, group)) diff.notChanged.push({ ...shown(group), instance_count: count(group) });
    else diff.changed.push({ ...one, previous_name: previousName(earlier, one.name), instance_count: null });
  }
  return diff;
}

function grouped(running: readonly RunningArtifact[]): Map<string, Group> {
  const groups = new Map<string, [RunningArtifact, ...RunningArtifact[]]>();
  for (const one of running) {
    const key = one.fingerprint || `name ${one.name}`;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

function isSame(a: Group, b: Group): boolean {
  return count(a) === count(b) && namesOf(a) === namesOf(b);
}

function previousName(earlier: Group, name: string): string | null {
  return earlier.some((one) => one.name === name) ? null : earlier[0].name;
}

/** A separator: names hold no control characters. */
function namesOf(group: Group): string {
  return Array.from(group, ({ name }) => name)
    .sort()
    .join('\n');
}

function count(group: Group): number {
  return group.reduce((sum, one) => sum + one.count, 0);
}

function shown(group: Group): DiffArtifact {
  const [{ fingerprint, name, flow, commitUrl }] = group;
  const latest = group.flatMap(({ timestamps }) => timestamps).reduce((a, b) => Math.max(a, b), -1);
  return {
    fingerprint,
    name,
    previous_name: null,
    flow,
    commit_url: commitUrl,
    most_recent_timestamp: latest < 0 ? null : latest,
    instance_count: null,
    s1_instance_count: null,
    s2_instance_count: null,
    pods: group.flatMap(({ pods }) => pods).sort(),
  };
}
