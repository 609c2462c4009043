import { isAskedFor } from './asked-for.ts';
import type { Resolution } from './decision.ts';
import { type Unmet, unmetOf } from './demand.ts';
import { tooFewDeciders } from './demands/deciders.ts';
import type { AttestationEvidence } from './evidence.ts';
import { approvalsOf, type Candidate, compareNamed, contextOf, type IndexedFlow, passedBy } from './judge-evidence.ts';
import type { Fault } from './judge-fault.ts';
import { evaluationOf, ignoredRule, type Judge, type Subject, scopeOf, withoutProvenance } from './judge-subject.ts';
import { askedFor } from './reasons-in-words.ts';
import type { AttestationRequirement } from './rule.ts';
import { TRUST_LEVELS } from './trust-level.ts';

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
        ? resolveIn(flow, requirement, subject, faults)
        : flow.notApplicable,
    );
    return evaluationOf(rule, flows, found, faults);
  };
}

/** Null when there are faults. A failure counts at any trust level; a pass counts only if it is trusted enough. */
function resolveIn(
  flow: IndexedFlow,
  requirement: AttestationRequirement,
  subject: Subject,
  faults: Fault[],
): Resolution | null {
  let passing: Candidate | null = null;
  let fails = false;
  const counting: AttestationEvidence[] = [];
  for (const candidate of flow.candidates) {
    if (!isAskedFor(candidate.attestation, requirement)) continue;
    const result = resultOf(candidate, requirement, flow, subject);
    if (result === 'fails') fails = true;
    if (result !== 'counts') continue;
    passing = passing === null ? candidate : firstOf(passing, candidate);
    if (requirement.minDeciders !== null) counting.push(candidate.attestation);
  }
  const isEnough = passing !== null && lackingDeciders(requirement, counting, flow) === null;
  if (!fails && passing !== null && isEnough)
    return withRemarks(passedBy(passing, flow), passing, requirement, flow, subject);
  faults.push(...faultsIn(flow, requirement, subject));
  return null;
}

function resultOf(
  candidate: Candidate,
  requirement: AttestationRequirement,
  flow: IndexedFlow,
  subject: Subject,
): 'fails' | 'counts' | 'lacks' {
  if (isFailing(candidate, requirement, flow)) return 'fails';
  const unmet = unmetBy(candidate, requirement, flow, subject);
  if (unmet?.fails) return 'fails';
  return unmet === null && !isDistrusted(candidate, requirement) ? 'counts' : 'lacks';
}

function unmetBy(
  { attestation }: Candidate,
  { demands }: AttestationRequirement,
  { evidence }: IndexedFlow,
  { at, readings }: Subject,
): Unmet | null {
  return demands.length === 0 ? null : unmetOf(demands, attestation, { flow: evidence, at, readings });
}

/** Of what is known beside the evidence, as it does not depend on the rule alone. */
function withRemarks(
  passed: Resolution,
  { attestation }: Candidate,
  { demands }: AttestationRequirement,
  { evidence }: IndexedFlow,
  { at, readings }: Subject,
): Resolution {
  const place = { flow: evidence, at, readings };
  const remarks = demands.flatMap((demand) => demand.remarkOn?.(attestation, place) ?? []);
  return remarks.length === 0 ? passed : { ...passed, context: Object.assign({ ...passed.context }, ...remarks) };
}

function faultsIn(flow: IndexedFlow, requirement: AttestationRequirement, subject: Subject): Fault[] {
  const asked = flow.candidates
    .filter(({ attestation }) => isAskedFor(attestation, requirement))
    .toSorted((a, b) => compareNamed(a.attestation, b.attestation));
  const failing = asked.flatMap((it) => {
    if (isFailing(it, requirement, flow)) return [failed(it, requirement, flow, null)];
    const unmet = unmetBy(it, requirement, flow, subject);
    return unmet?.fails ? [failed(it, requirement, flow, unmet)] : [];
  });
  if (failing.length > 0) return failing;
  const [nearest] = asked;
  if (nearest === undefined) return [missing(requirement, null, flow, null)];
  const judged = asked.map((it) => ({
    it,
    unmet: isDistrusted(it, requirement) ? null : unmetBy(it, requirement, flow, subject),
  }));
  const counting = judged
    .filter(({ it, unmet }) => unmet === null && !isDistrusted(it, requirement))
    .map(({ it }) => it.attestation);
  const others = judged.flatMap(({ unmet }) => unmet?.found ?? []);
  const lacking = counting.length > 0 ? lackingDeciders(requirement, counting, flow, others) : null;
  if (lacking !== null) return [missing(requirement, counting[0] ?? null, flow, lacking)];
  return [missing(requirement, nearest.attestation, flow, judged[0]?.unmet ?? null)];
}

/** Each identity counts once, under however many names it decided. */
function lackingDeciders(
  requirement: AttestationRequirement,
  counting: readonly AttestationEvidence[],
  { evidence }: IndexedFlow,
  others: readonly string[] = [],
): Unmet | null {
  const { minDeciders } = requirement;
  if (minDeciders === null) return null;
  return tooFewDeciders(counting, minDeciders, { what: askedFor(requirement), flow: evidence, others });
}

function firstOf(left: Candidate, right: Candidate): Candidate {
  return compareNamed(left.attestation, right.attestation) <= 0 ? left : right;
}

function isFailing(
  candidate: Candidate,
  { mustBeCompliant, minApprovals, notBy }: AttestationRequirement,
  flow: IndexedFlow,
): boolean {
  const { isCompliant, isOverride } = candidate.attestation;
  if (mustBeCompliant && !isCompliant) return true;
  // An override covers the approvals as well.
  if (minApprovals === null || (isOverride && isCompliant)) return false;
  return approvalsOf(candidate, notBy, flow) < minApprovals;
}

function isDistrusted({ attestation }: Candidate, { minTrust }: AttestationRequirement): boolean {
  return minTrust !== null && TRUST_LEVELS.indexOf(attestation.trust) < TRUST_LEVELS.indexOf(minTrust);
}

function failed(
  candidate: Candidate,
  { minApprovals, notBy }: AttestationRequirement,
  flow: IndexedFlow,
  unmet: Unmet | null,
): Fault {
  const { evidence } = flow;
  const { attestation } = candidate;
  const approvals =
    minApprovals === null ? {} : { min_approvals: minApprovals, approvals: approvalsOf(candidate, notBy, flow) };
  const context = {
    ...contextOf(attestation, evidence),
    is_compliant: attestation.isCompliant,
    ...approvals,
    ...unmet?.context,
  };
  return {
    fails: true,
    resolution: { type: 'non_compliant_attestation', context },
    flow: evidence,
    attestation,
    unmet,
  };
}

/** `nearest` is what the rule asks for by name and type, but is not trusted enough, or does not meet `unmet`. */
function missing(
  { name, type, forControl, minTrust }: AttestationRequirement,
  nearest: AttestationEvidence | null,
  { evidence, context }: IndexedFlow,
  unmet: Unmet | null,
): Fault {
  const asked = { attestation_name: name, attestation_type: type, attestation_id: null };
  const distrust = nearest === null || unmet !== null ? {} : { trust: nearest.trust, min_trust: minTrust };
  const resolution: Resolution = {
    type: 'missing_attestation',
    context: {
      ...(nearest === null ? { ...context, ...asked } : contextOf(nearest, evidence)),
      ...(forControl === null ? {} : { for_control: forControl }),
      ...distrust,
      ...unmet?.context,
    },
  };
  return { fails: false, resolution, flow: evidence, attestation: nearest, unmet };
}
