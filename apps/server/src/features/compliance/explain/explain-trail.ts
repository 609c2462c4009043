import type { ArtifactExplanation } from '@waymark/contract';
import type { JudgedArtifact } from '../../artifacts/artifact.reads.ts';
import { toExplanation } from '../../trails/compliance-view.ts';
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
    actions: shownActions([[{ name: filename, fingerprint }, [[fixes]]]]),
  };
}

export function trailNode(explanation: JudgedArtifact['status']['explanation']): ExplanationNode {
  return toExplanation(explanation) as ExplanationNode;
}

/** For a problem with a thing itself, not with a part of it. */
function leavesOf(node: ExplanationNode): ExplanationNode[] {
  if (node.status === 'COMPLIANT') return [];
  const parts = node.children.flatMap(leavesOf);
  return parts.length > 0 && node.status !== 'MISSING' ? parts : [node];
}
