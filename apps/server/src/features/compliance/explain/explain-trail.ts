import { toExplanation } from '@waymark/compliance';
import type { ArtifactExplanation } from '@waymark/contract';
import { offersOverride } from '@waymark/policy';
import type { JudgedArtifact } from '../../artifacts/artifact.reads.ts';
import { shownActions } from './actions.ts';
import { type ExplanationNode, toRoot } from './explanation-node.ts';

/** The verdict on an artifact in its trail. It is computed each time, so it is as current as the evidence. */
export function explainInTrail({ status, judgement, filename, fingerprint }: JudgedArtifact): ArtifactExplanation {
  const node = trailNode(status.explanation);
  // A problem of the trail itself affects all of its artifacts, and belongs to none of them.
  const ofTrail = judgement.explanation.children.filter(({ kind }) => kind === 'attestation').map(trailNode);
  const open = [node, ...ofTrail].flatMap(leavesOf).filter(({ fix }) => fix !== null);
  const failing = open.filter((leaf) => leaf.status === 'NON-COMPLIANT');
  const fixes = [...new Set(open.flatMap(({ fix }) => fix ?? []))];
  const times = failing.flatMap(({ since }) => since ?? []);
  return {
    ...toRoot(node),
    environment: null,
    judged_at: node.since,
    first_broke_at: times.length === 0 ? null : Math.min(...times),
    first_broke_in: null,
    actions: shownActions([
      { artifact: { name: filename, fingerprint }, options: [[fixes]], overridable: overridableIn(failing) },
    ]),
  };
}

export function trailNode(explanation: JudgedArtifact['status']['explanation']): ExplanationNode {
  return toExplanation(explanation) as ExplanationNode;
}

/** By fix: the failing evidence that can be overridden instead. */
function overridableIn(failing: readonly ExplanationNode[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { fix, found: evidence } of failing)
    if (fix !== null && offersOverride(fix))
      found.set(fix, [...(found.get(fix) ?? []), ...evidence.map(({ id }) => id)]);
  return found;
}

/** For a problem with a thing itself, not with a part of it. */
function leavesOf(node: ExplanationNode): ExplanationNode[] {
  if (node.status === 'COMPLIANT') return [];
  const parts = node.children.flatMap(leavesOf);
  return parts.length > 0 && node.status !== 'MISSING' ? parts : [node];
}
