import type { DiffArtifact, diffSnapshots } from '@waymark/contract';
import type { z } from 'zod';
import { nameAndVersion } from './artifact-name.ts';

type Diff = z.output<(typeof diffSnapshots)['reply']>;

/** An artifact that runs on both sides, but differs. */
export interface Change {
  readonly name: string;
  readonly before: DiffArtifact;
  readonly after: DiffArtifact;
  /** Another build, not just another number of instances or another name. */
  readonly isReplaced: boolean;
}

export interface Changes {
  readonly added: readonly DiffArtifact[];
  readonly removed: readonly DiffArtifact[];
  readonly changed: readonly Change[];
  readonly sameCount: number;
}

/** Replacing a build with another of the same artifact is one change, not a removal and an addition. */
export function changesIn(diff: Diff): Changes {
  const added = [...diff.snappish2.artifacts];
  const removed: DiffArtifact[] = [];
  const changed: Change[] = [];
  for (const before of diff.snappish1.artifacts) {
    const at = added.findIndex((after) => isSameThing(before, after));
    const after = added[at];
    if (!after) {
      removed.push(before);
      continue;
    }
    added.splice(at, 1);
    changed.push({ name: nameAndVersion(after.name).name, before, after, isReplaced: true });
  }
  for (const after of diff.changed.artifacts) {
    const before = { ...after, name: after.previous_name ?? after.name };
    changed.push({ name: after.name, before, after, isReplaced: false });
  }
  return { added, removed, changed, sameCount: diff['not-changed'].artifacts.length };
}

function isSameThing(one: DiffArtifact, other: DiffArtifact): boolean {
  return one.flow === other.flow && nameAndVersion(one.name).name === nameAndVersion(other.name).name;
}

/** Describes what differs in an artifact that was not replaced. */
export function changeWords({ before, after }: Change): string {
  const words: string[] = [];
  if (before.name !== after.name) words.push(`renamed from ${before.name}`);
  const [was, is] = [after.s1_instance_count, after.s2_instance_count];
  if (was !== null && is !== null && was !== is) words.push(`${was} → ${is} instances`);
  return words.join(', ') || 'different instances';
}

interface Applied {
  readonly name: string;
  readonly version: number;
}

/** Describes how the policies of two snapshots differ, one text per policy. */
export function policyChanges(before: readonly Applied[], after: readonly Applied[]): string[] {
  const versions = new Map(before.map(({ name, version }) => [name, version]));
  const remaining = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap(({ name, version }) => {
      const was = versions.get(name);
      if (was === undefined) return [`${name} v${version} in the second only`];
      return was === version ? [] : [`${name} v${version} instead of v${was}`];
    }),
    ...before
      .filter(({ name }) => !remaining.has(name))
      .map(({ name, version }) => `${name} v${version} in the first only`),
  ];
}
