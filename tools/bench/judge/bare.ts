import type { ArtifactEvidence, AttestationEvidence, FlowEvidence } from '../../../packages/policy/src/index.ts';
import type { Asked } from './asked.ts';

type Evidence = Asked['evidence'][number];

/** The same rules in plain ifs: yes or no, without reasons. */
export function isCompliantBare(asked: Asked, { flows }: ArtifactEvidence): boolean {
  if (flows.length === 0) return false;
  if (asked.trailCompliance && !hasCompliantTrail(flows)) return false;
  for (const evidence of asked.evidence) if (!has(flows, evidence, null)) return false;
  const { risk } = asked.ofRisk;
  return flows.every(({ flow }) => flow.tags['risk'] !== risk) || has(flows, asked.ofRisk, risk);
}

function hasCompliantTrail(flows: readonly FlowEvidence[]): boolean {
  let found = false;
  for (const { status } of flows) {
    if (status === 'NON-COMPLIANT') return false;
    if (status === 'COMPLIANT') found = true;
  }
  return found;
}

function has(flows: readonly FlowEvidence[], evidence: Evidence, risk: string | null): boolean {
  let found = false;
  for (const { flow, attestations } of flows) {
    if (risk !== null && flow.tags['risk'] !== risk) continue;
    for (const attestation of attestations) {
      if (attestation.name !== evidence.name || attestation.type !== evidence.type) continue;
      if (!isGood(attestation, evidence)) return false;
      found = true;
    }
  }
  return found;
}

function isGood({ isCompliant, pullRequests }: AttestationEvidence, { minApprovals }: Evidence): boolean {
  return isCompliant && (minApprovals === undefined || isApproved(pullRequests, minApprovals));
}

function isApproved(pullRequests: AttestationEvidence['pullRequests'], needed: number): boolean {
  if (pullRequests === null || pullRequests.length === 0) return false;
  return pullRequests.every(({ author, headCommit, commitAuthors, approvers }) => {
    let count = 0;
    for (const { user, commit, state } of approvers) {
      const isIndependent = user !== author && !commitAuthors.includes(user);
      if (state === 'APPROVED' && isIndependent && (commit === null || commit === headCommit)) count += 1;
    }
    return count >= needed;
  });
}
