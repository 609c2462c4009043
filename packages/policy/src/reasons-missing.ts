import type { AttestationEvidence, FlowEvidence } from './evidence.ts';
import { inFlow, listed, ofFlow } from './in-words.ts';
import { askedFor, type Complaint, isDecision, TRUST_IN_WORDS } from './reasons-in-words.ts';
import type { AttestationRequirement } from './rule.ts';

export function explainMissing(
  rule: AttestationRequirement,
  flow: FlowEvidence,
  distrusted: AttestationEvidence | null,
): Complaint {
  if (distrusted !== null) return explainDistrust(rule, flow, distrusted);
  const verb = isDecision(rule) ? 'Record' : 'Report';
  return {
    found: `${inFlow(flow)} ${insteadOf(rule, flow.attestations)}.`,
    fix: `${verb} ${askedFor(rule)} on the artifact ${ofFlow(flow)}.`,
  };
}

function explainDistrust(
  { minTrust }: AttestationRequirement,
  flow: FlowEvidence,
  { name, type, trust }: AttestationEvidence,
): Complaint {
  const required = TRUST_IN_WORDS[minTrust ?? 'claimed'];
  return {
    found: `${inFlow(flow)} '${name}' of type ${type} exists, but is only ${TRUST_IN_WORDS[trust]}.`,
    fix: `Report '${name}' again ${ofFlow(flow)}, ${required}.`,
  };
}

/** What is there that comes close. */
function insteadOf(rule: AttestationRequirement, reported: readonly AttestationEvidence[]): string {
  const { name, type } = rule;
  const alike = reported.filter((it) => (name === '*' || it.name === name) && (type === '*' || it.type === type));
  const controls = alike.flatMap(({ control }) => control ?? []);
  if (isDecision(rule) && controls.length > 0) {
    return `there is none, only on control ${listed(quoted(controls))}`;
  }
  const types = reported.filter((it) => it.name === name).map((it) => it.type);
  if (types.length > 0) return `'${name}' was reported as ${listed(distinct(types))}, not as ${type}`;
  const names = reported.filter((it) => it.type === type).map((it) => it.name);
  return names.length === 0 ? 'there is none' : `there is none; of type ${type} there is ${listed(quoted(names))}`;
}

function quoted(names: readonly string[]): string[] {
  return distinct(names).map((name) => `'${name}'`);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted();
}
