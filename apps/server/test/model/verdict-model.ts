import type { Flow } from './runtime-model.ts';

/*
 * What policies say of an artifact, in the plainest way: each asks for one thing, and is asked again each time.
 */

/** What a policy can require, and the `artifacts` section for it. */
export const DEMANDS = {
  provenance: 'provenance: { required: true }',
  'compliant trails': 'trail-compliance: { required: true }',
  'passing tests': 'attestations:\n  - { name: unit-tests, type: generic }',
  'any tests': 'attestations:\n  - { name: unit-tests, type: generic, must_be_compliant: false }',
} as const;
export type Demand = keyof typeof DEMANDS;

/** A version of a policy. */
export interface Policy {
  readonly name: string;
  readonly version: number;
  readonly demand: Demand;
}

/** That the tests of an artifact, or of the whole trail if no fingerprint is given, passed or failed. */
export interface Attestation {
  readonly flow: Flow;
  readonly trail: string;
  readonly fingerprint: string | null;
  readonly isCompliant: boolean;
}

/** What was known of an artifact in a flow. */
export interface FlowEvidence {
  readonly flow: Flow;
  /** Its name at the time. */
  readonly flowName: string;
  readonly trail: string;
  /** Whether they passed: the last of the trail and the last of the artifact. */
  readonly tests: readonly boolean[];
}

export interface Verdict {
  readonly compliance: 'compliant' | 'non-compliant' | 'waived' | 'unknown';
  /** Null when nothing was judged. */
  readonly evidence: readonly FlowEvidence[] | null;
  readonly decisions: readonly { readonly policy: Policy; readonly isSatisfied: boolean }[];
  /** The reason of its waiver. */
  readonly waiver: string | null;
}

export function evidenceOf(
  attestations: readonly Attestation[],
  { flow, trail, fingerprint }: Readonly<{ flow: Flow; trail: string; fingerprint: string }>,
): FlowEvidence {
  const ofTrail = attestations.filter((attestation) => attestation.flow === flow && attestation.trail === trail);
  const last = (about: string | null) => ofTrail.findLast((attestation) => attestation.fingerprint === about);
  const counting = [last(null), last(fingerprint)].filter((attestation) => attestation !== undefined);
  return { flow, flowName: flow.name, trail, tests: counting.map(({ isCompliant }) => isCompliant) };
}

/** Each platform of an image index is a separate part, and has to pass by itself. */
export function judge(
  policies: readonly Policy[],
  evidence: readonly FlowEvidence[],
  parts: readonly (readonly FlowEvidence[])[],
  waiver: string | undefined,
): Verdict {
  if (policies.length === 0) return { compliance: 'unknown', evidence: null, decisions: [], waiver: null };
  const decisions = policies.map((policy) => ({
    policy,
    isSatisfied: parts.every((part) => isSatisfied(policy.demand, part)),
  }));
  const judged = { evidence, decisions };
  if (decisions.every((decision) => decision.isSatisfied)) return { ...judged, compliance: 'compliant', waiver: null };
  if (waiver === undefined) return { ...judged, compliance: 'non-compliant', waiver: null };
  return { ...judged, compliance: 'waived', waiver };
}

function isSatisfied(demand: Demand, evidence: readonly FlowEvidence[]): boolean {
  const tests = evidence.flatMap((known) => known.tests);
  switch (demand) {
    case 'provenance':
      return evidence.length > 0;
    case 'compliant trails':
      return evidence.length > 0 && tests.every((passed) => passed);
    case 'passing tests':
      return tests.length > 0 && tests.every((passed) => passed);
    case 'any tests':
      return tests.length > 0;
  }
}

/** Other evidence with the same decisions does not make another verdict. */
export function saysTheSame(a: Verdict, b: Verdict): boolean {
  const summaryOf = ({ compliance, decisions }: Verdict) =>
    JSON.stringify([compliance, decisions.map(({ isSatisfied }) => isSatisfied)]);
  return summaryOf(a) === summaryOf(b);
}

/** A waived artifact counts as compliant. */
export function counted({ compliance }: Verdict): 'compliant' | 'non-compliant' | 'unknown' {
  return compliance === 'waived' ? 'compliant' : compliance;
}

export function areSame(some: readonly Policy[], others: readonly Policy[]): boolean {
  const summaryOf = (policies: readonly Policy[]) =>
    JSON.stringify(policies.map(({ name, version }) => [name, version]));
  return summaryOf(some) === summaryOf(others);
}
