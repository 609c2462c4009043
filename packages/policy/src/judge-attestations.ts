import { TRUST_LEVELS } from './attestation-rule.ts';
import type { Resolution } from './decision.ts';
import type { AttestationEvidence } from './evidence.ts';
import { approvalsOf, type Candidate, compareNamed, contextOf, type IndexedFlow, passedBy } from './judge-evidence.ts';
import type { Fault } from './judge-fault.ts';
import { evaluationOf, ignoredRule, type Judge, scopeOf, withoutProvenance } from './judge-subject.ts';
import type { AttestationRequirement } from './rule.ts';

export function judgeAttestations(requirement: AttestationRequirement): Judge {
  const { if: condition, definition: rule } = requirement;
  return (subject, faults) => {
    const { flows } = subject.evidence;
    if (flows.length === 0) {
      const applies = condition === null || condition.holds(scopeOf(subject, null));
      return applies ? withoutProvenance(rule, faults) : ignoredRule(rule);
    }
    const found = flows.map((flow) =>
      condition === null || condition.holds(scopeOf(subject, flow))
        ? resolveIn(flow, requirement, faults)
        : flow.notApplicable,
    );
    return evaluationOf(rule, flows, found, faults);
  };
}

/** Null when there are faults. A failure counts at any trust level; a pass counts only if it is trusted enough. */
function resolveIn(flow: IndexedFlow, requirement: AttestationRequirement, faults: Fault[]): Resolution | null {
  let passing: Candidate | null = null;
  let fails = false;
  for (const candidate of flow.candidates) {
    if (!isAskedFor(candidate, requirement)) continue;
    if (isFailing(candidate, requirement)) fails = true;
    else if (!isDistrusted(candidate, requirement))
      passing = passing === null ? candidate : firstOf(passing, candidate);
  }
  if (!fails && passing !== null) return passedBy(passing, flow);
  faults.push(...faultsIn(flow, requirement));
  return null;
}

function faultsIn(flow: IndexedFlow, requirement: AttestationRequirement): Fault[] {
  const asked = flow.candidates
    .filter((it) => isAskedFor(it, requirement))
    .toSorted((a, b) => compareNamed(a.attestation, b.attestation));
  const failing = asked.filter((it) => isFailing(it, requirement));
  if (failing.length > 0) return failing.map((it) => failed(it, requirement, flow));
  return [missing(requirement, asked[0]?.attestation ?? null, flow)];
}

function firstOf(left: Candidate, right: Candidate): Candidate {
  return compareNamed(left.attestation, right.attestation) <= 0 ? left : right;
}

function isAskedFor({ attestation }: Candidate, { name, type, forControl }: AttestationRequirement): boolean {
  return (
    (name === '*' || attestation.name === name) &&
    (type === '*' || attestation.type === type) &&
    (forControl === null || type !== 'decision' || attestation.control === forControl)
  );
}

function isFailing(candidate: Candidate, { mustBeCompliant, minApprovals }: AttestationRequirement): boolean {
  const { isCompliant, isOverride } = candidate.attestation;
  if (mustBeCompliant && !isCompliant) return true;
  // An override covers the approvals as well.
  if (minApprovals === null || (isOverride && isCompliant)) return false;
  return approvalsOf(candidate) < minApprovals;
}

function isDistrusted({ attestation }: Candidate, { minTrust }: AttestationRequirement): boolean {
  return minTrust !== null && TRUST_LEVELS.indexOf(attestation.trust) < TRUST_LEVELS.indexOf(minTrust);
}

function failed(candidate: Candidate, { minApprovals }: AttestationRequirement, { evidence }: IndexedFlow): Fault {
  const { attestation } = candidate;
  const approvals = minApprovals === null ? {} : { min_approvals: minApprovals, approvals: approvalsOf(candidate) };
  const context = { ...contextOf(attestation, evidence), is_compliant: attestation.isCompliant, ...approvals };
  return { fails: true, resolution: { type: 'non_compliant_attestation', context }, flow: evidence, attestation };
}

function missing(
  { name, type, forControl, minTrust }: AttestationRequirement,
  distrusted: AttestationEvidence | null,
  { evidence, context }: IndexedFlow,
): Fault {
  const asked = { attestation_name: name, attestation_type: type, attestation_id: null };
  const resolution: Resolution = {
    type: 'missing_attestation',
    context: {
      ...(distrusted === null ? { ...context, ...asked } : contextOf(distrusted, evidence)),
      ...(forControl === null ? {} : { for_control: forControl }),
      ...(distrusted === null ? {} : { trust: distrusted.trust, min_trust: minTrust }),
    },
  };
  return { fails: false, resolution, flow: evidence, attestation: distrusted };
}
