import { fewestApprovals } from './approvals.ts';
import type { Resolution } from './decision.ts';
import type { NotBy } from './demands/decider-fields.ts';
import { barredBy } from './demands/deciders.ts';
import type { ArtifactEvidence, AttestationEvidence, FlowEvidence } from './evidence.ts';

type Context = Resolution['context'];

/** An attestation with what rules ask of it, worked out when the first one does. */
export interface Candidate {
  readonly attestation: AttestationEvidence;
  passed: Resolution | null;
  approvals: number | null;
}

/** A flow with what many rules ask of it, worked out once for all of them. */
export interface IndexedFlow {
  readonly evidence: FlowEvidence;
  readonly context: Context;
  readonly satisfied: Resolution;
  readonly notApplicable: Resolution;
  /** In order of arrival: there are few, and a scan is faster than sorting or a map. */
  readonly candidates: readonly Candidate[];
}

export interface IndexedEvidence {
  readonly of: ArtifactEvidence;
  readonly flows: readonly IndexedFlow[];
  /** What provenance comes to when there is any. */
  readonly reported: readonly Resolution[];
}

export function indexEvidence(evidence: ArtifactEvidence): IndexedEvidence {
  const flows = inOrder(evidence.flows, flowKey).map(indexFlow);
  return { of: evidence, flows, reported: flows.map(({ satisfied }) => satisfied) };
}

function indexFlow(evidence: FlowEvidence): IndexedFlow {
  const context = placeOf(evidence);
  return {
    evidence,
    context,
    satisfied: { type: 'rule_satisfied', context },
    notApplicable: { type: 'rule_not_applicable', context },
    candidates: evidence.attestations.map(candidateOf),
  };
}

function candidateOf(attestation: AttestationEvidence): Candidate {
  return { attestation, passed: null, approvals: null };
}

export function passedBy(candidate: Candidate, { evidence }: IndexedFlow): Resolution {
  candidate.passed ??= { type: 'rule_satisfied', context: contextOf(candidate.attestation, evidence) };
  return candidate.passed;
}

export function approvalsOf(candidate: Candidate, notBy: NotBy | null, { evidence }: IndexedFlow): number {
  const { pullRequests } = candidate.attestation;
  if (notBy !== null) return fewestApprovals(pullRequests, barredBy(notBy, evidence));
  candidate.approvals ??= fewestApprovals(pullRequests);
  return candidate.approvals;
}

function placeOf({ flow, trail, status, index }: FlowEvidence) {
  const place = { flow_name: flow.name, trail_name: trail.name, artifact_status: status };
  return index ? { ...place, index_fingerprint: index.fingerprint, platform: index.platform } : place;
}

export function contextOf(attestation: AttestationEvidence, flow: FlowEvidence): Context {
  const { id, name, type, control, isOverride } = attestation;
  const context = {
    ...placeOf(flow),
    attestation_name: name,
    attestation_type: type,
    attestation_id: id,
  };
  if (control === null && !isOverride) return context;
  return {
    ...context,
    ...(control === null ? {} : { for_control: control }),
    ...(isOverride ? { overridden: true } : {}),
  };
}

interface Named {
  readonly name: string;
  readonly id: string;
}

/** An artifact and the index that lists it may both be reported to one flow. */
export function flowKey({ flow, artifactId }: FlowEvidence): Named {
  return { name: flow.name, id: `${flow.id} ${artifactId}` };
}

/** By name, then by id: an order that does not depend on the order of receipt. */
export function inOrder<Item>(items: readonly Item[], keyOf: (item: Item) => Named): readonly Item[] {
  return items.length < 2 ? items : items.toSorted((a, b) => compareNamed(keyOf(a), keyOf(b)));
}

export function compareNamed(left: Named, right: Named): number {
  return compare(left.name, right.name) || compare(left.id, right.id);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
