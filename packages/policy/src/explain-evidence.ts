import { conditionInWords } from './condition-in-words.ts';
import type { Reason, Resolution, RuleEvaluation } from './decision.ts';
import { excludedInWords } from './demands/vex.ts';
import type { ArtifactEvidence, AttestationEvidence, FlowEvidence } from './evidence.ts';
import type { ExplainedEvidence, ExplainedStatus, PolicyExplanation } from './explanation.ts';
import { imageOf } from './image-in-words.ts';
import { inFlow } from './in-words.ts';
import { shortFingerprint, withAccount } from './reasons-in-words.ts';
import type { Rule } from './rule.ts';

export interface Leaf {
  readonly rule: Rule;
  readonly needs: string;
  readonly evaluation: RuleEvaluation;
  readonly resolution: Resolution;
  /** Set where it is part of the reason why the rule is not satisfied. */
  readonly reason: Reason | undefined;
  readonly evidence: ArtifactEvidence;
}

/** The result of a rule in one flow, or without any. */
export function explainEvidence(id: string, leaf: Leaf): PolicyExplanation {
  const { needs, resolution, reason, evidence } = leaf;
  const flow = flowOf(resolution, evidence);
  const attestation = flow?.attestations.find((it) => it.id === resolution.context['attestation_id']);
  return {
    id: `${id}/${placeOf(resolution, attestation)}`,
    kind: 'evidence',
    status: statusOf(resolution),
    needs,
    found: attestation ? [foundOf(attestation)] : foundReport(leaf, flow),
    because: reason?.message ?? becauseOf(leaf, flow, attestation),
    fix: reason?.fix ?? null,
    since: attestation?.at ?? null,
    children: [],
  };
}

/** By the names that the resolution has: of two flows of one name the first that has the evidence. */
function flowOf({ context }: Resolution, { flows, platforms = [] }: ArtifactEvidence): FlowEvidence | undefined {
  const ofPlatforms = platforms.filter(({ platform }) => platform === context['platform']);
  const named = [...ofPlatforms.flatMap((part) => part.flows), ...flows].filter(
    ({ flow, trail }) => flow.name === context['flow_name'] && trail.name === context['trail_name'],
  );
  return named.find(({ attestations }) => attestations.some(({ id }) => id === context['attestation_id'])) ?? named[0];
}

function placeOf({ context }: Resolution, attestation: AttestationEvidence | undefined): string {
  const flow = typeof context['flow_name'] === 'string' ? `flow:${context['flow_name']}` : 'without-provenance';
  return attestation ? `${flow}/attestation:${attestation.name}:${attestation.type}` : flow;
}

function statusOf({ type, context }: Resolution): ExplainedStatus {
  switch (type) {
    case 'rule_satisfied':
      return 'COMPLIANT';
    case 'rule_not_applicable':
      return 'NOT-APPLICABLE';
    case 'missing_attestation':
    case 'no_provenance':
      return 'MISSING';
    case 'non_compliant_in_trail':
      return context['artifact_status'] === 'INCOMPLETE' ? 'INCOMPLETE' : 'NON-COMPLIANT';
    case 'non_compliant_attestation':
    case 'not_decided':
      return 'NON-COMPLIANT';
  }
}

function foundOf({ id, name, type, isCompliant, at, control }: AttestationEvidence): ExplainedEvidence {
  return { kind: 'attestation', id, name, type, isCompliant, at, control };
}

/** The evidence for provenance and trails. */
function foundReport({ rule, resolution, evidence }: Leaf, flow: FlowEvidence | undefined): ExplainedEvidence[] {
  if (rule.kind === 'attestation' || resolution.type === 'rule_not_applicable' || !flow) return [];
  const isCompliant = rule.kind === 'provenance' ? null : flow.status === 'COMPLIANT';
  const found = { kind: 'artifact', id: flow.artifactId, name: reportedOf(flow, evidence) } as const;
  return [{ ...found, type: null, isCompliant, at: null, control: null }];
}

/** The fingerprint that the report is of. */
function reportedOf(flow: FlowEvidence, { fingerprint, platforms = [] }: ArtifactEvidence): string {
  const part = platforms.find(({ flows }) => flows.includes(flow));
  return flow.index?.fingerprint ?? part?.fingerprint ?? fingerprint;
}

function becauseOf(
  { rule, evaluation, resolution, evidence }: Leaf,
  flow: FlowEvidence | undefined,
  attestation: AttestationEvidence | undefined,
): string {
  if (resolution.type === 'rule_not_applicable') return whyNotApplicable(resolution, flow);
  if (!flow) return 'No flow has reported the artifact.';
  if (resolution.type === 'rule_satisfied')
    return `${whySatisfied(rule, flow, attestation, evidence)}${excludedIn(resolution)}`;
  const lacks = rule.kind === 'attestation' ? 'it is missing' : 'the trail is incomplete';
  return evaluation.satisfied
    ? `${inFlow(flow)} ${lacks}, which does not matter: another flow has it.`
    : `${inFlow(flow)} ${lacks}; the failure in another flow decides.`;
}

function excludedIn({ context }: Resolution): string {
  const text = excludedInWords(context['vex']);
  return text === '' ? '' : ` ${text}.`;
}

function whyNotApplicable({ context }: Resolution, flow: FlowEvidence | undefined): string {
  const where = flow ? ` in flow '${flow.flow.name}'` : ' to artifacts without provenance';
  return typeof context['exception'] === 'string'
    ? `The policy makes an exception if ${conditionInWords(context['exception'])}.`
    : `The rule does not apply${where}.`;
}

function whySatisfied(
  rule: Rule,
  flow: FlowEvidence,
  attestation: AttestationEvidence | undefined,
  evidence: ArtifactEvidence,
): string {
  if (rule.kind === 'provenance') {
    return `${whatWasReported(flow, evidence)} was reported to flow '${flow.flow.name}', in trail '${flow.trail.name}'.`;
  }
  if (!attestation) return withAccount(`${inFlow(flow)} the artifact is compliant`, flow.because);
  const { name, type, isOverride, isCompliant, control } = attestation;
  const about = control === null ? '' : ` on control '${control}'`;
  const compliant = isOverride ? 'was overridden as compliant' : 'is compliant';
  const verdict = isCompliant ? compliant : 'exists, which is sufficient';
  return `${inFlow(flow)} '${name}' of type ${type}${about} ${verdict}.`;
}

function whatWasReported(flow: FlowEvidence, { platforms = [] }: ArtifactEvidence): string {
  if (flow.index) return `The artifact is ${imageOf(flow.index)}, which`;
  const part = platforms.find(({ flows }) => flows.includes(flow));
  return part ? `Its ${part.platform} image ${shortFingerprint(part.fingerprint)}` : 'The artifact';
}
