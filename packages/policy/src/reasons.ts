import type { JudgedEvidence } from './decide-platforms.ts';
import type { Reason } from './decision.ts';
import type { ArtifactEvidence, FlowEvidence } from './evidence.ts';
import { listedInWords } from './image-in-words.ts';
import { inFlow } from './in-words.ts';
import type { Fault } from './judge-fault.ts';
import { explainFailing } from './reasons-failing.ts';
import { askedFor, type Complaint, demandOf, oneIsEnough, shortFingerprint, withAccount } from './reasons-in-words.ts';
import { explainMissing } from './reasons-missing.ts';
import type { Rule } from './rule.ts';

interface Unsatisfied {
  readonly rule: Rule;
  readonly identity: { readonly name: string; readonly version: number };
  readonly evidence: JudgedEvidence;
  readonly faults: readonly Fault[];
}

/**
 * One for each flow, or each failing attestation. Where something fails, missing evidence elsewhere does not matter.
 */
export function reasonsOf(unsatisfied: Unsatisfied): Reason[] {
  const { rule, identity, faults } = unsatisfied;
  const failing = faults.filter(({ fails }) => fails);
  const deciding = failing.length > 0 ? failing : faults;
  const needs = demandOf(identity.name, rule);
  return deciding.map((fault) => {
    const { found, fix } = complaintOf(unsatisfied, fault);
    return {
      policy_name: identity.name,
      policy_version: identity.version,
      rule: rule.definition,
      resolution: fault.resolution.type,
      flow_name: fault.flow?.flow.name ?? null,
      trail_name: fault.flow?.trail.name ?? null,
      attestation_name: fault.attestation?.name ?? nameAskedFor(rule),
      message: `${needs} ${aboutImage(unsatisfied, fault)}${found}`,
      fix: !fault.fails && deciding.length > 1 ? oneIsEnough(fix, deciding.length) : fix,
    };
  });
}

/** A reason of only one platform of an index names the platform. */
function aboutImage({ evidence: { image } }: Unsatisfied, { flow }: Fault): string {
  return image && flow && image.flows.includes(flow) ? `Image for ${image.platform}: ` : '';
}

/** Failure anywhere is failure, and not all flows were read. */
export function tooManyFlows({ name, version }: Unsatisfied['identity'], { flows }: ArtifactEvidence): Reason {
  return {
    policy_name: name,
    policy_version: version,
    rule: { type: 'provenance', definition: {} },
    resolution: 'non_compliant_in_trail',
    ...{ flow_name: null, trail_name: null, attestation_name: null },
    message: `The artifact was reported to more than ${flows.length} flows, which is more than can be judged.`,
    fix: 'Report the artifact only to the flow that builds it.',
  };
}

/** No rule was judged, so none can be met. */
export function tooManySteps({ name, version }: Unsatisfied['identity'], maxSteps: number): Reason {
  return {
    policy_name: name,
    policy_version: version,
    rule: { type: 'provenance', definition: {} },
    resolution: 'not_decided',
    ...{ flow_name: null, trail_name: null, attestation_name: null },
    message:
      `Policy '${name}' was not decided: its patterns would take more than ${maxSteps.toLocaleString('en')} steps ` +
      'on the names and tags of this artifact, its flows, and its environment.',
    fix: `Make the patterns of policy '${name}' smaller, or compare with "==" or "in" instead.`,
  };
}

function nameAskedFor(rule: Rule): string | null {
  return rule.kind === 'attestation' && rule.name !== '*' ? rule.name : null;
}

function complaintOf(unsatisfied: Unsatisfied, { fails, flow, attestation, unmet }: Fault): Complaint {
  const { rule } = unsatisfied;
  if (flow === null) return explainNoProvenance(unsatisfied);
  if (unmet !== null) return { found: `${inFlow(flow)} ${unmet.found}.`, fix: unmet.fix };
  if (rule.kind !== 'attestation') return explainTrail(flow);
  return fails && attestation !== null
    ? explainFailing(rule, flow, attestation)
    : explainMissing(rule, flow, attestation);
}

function explainNoProvenance({ rule, identity, evidence }: Unsatisfied): Complaint {
  const { fingerprint, image, listedIn } = evidence;
  const instead = insteadOfProvenance(rule, identity.name);
  if (fingerprint === '') {
    return {
      found: 'The running artifact is unknown, because it was reported without a digest.',
      fix: `Report the digest of the running artifact, or ${instead}.`,
    };
  }
  const artifact = `artifact ${shortFingerprint(fingerprint)}`;
  if (image) {
    const part = `the ${image.platform} image ${shortFingerprint(image.fingerprint)}`;
    return {
      found: `No flow has reported ${part} of ${artifact}, which is an image index, so it has no provenance.`,
      fix: `Report ${artifact}, or ${part}, to the flow that builds it, or ${instead}.`,
    };
  }
  const near = listedIn ? ` ${listedInWords(listedIn)}` : '';
  const whole = listedIn ? `, or index ${shortFingerprint(listedIn.index)},` : '';
  return {
    found: `No flow has reported ${artifact}, so it has no provenance.${near}`,
    fix: `Report ${artifact}${whole} to the flow that builds it, or ${instead}.`,
  };
}

/** Rules on attestations have no exceptions. */
function insteadOfProvenance(rule: Rule, policyName: string): string {
  if (rule.kind !== 'attestation') return `add an exception to ${rule.kind} in policy '${policyName}'`;
  const how = rule.if === null ? '`if: ${{ exists(flow) }}`' : '`exists(flow)` in its `if`';
  return `make policy '${policyName}' require ${askedFor(rule)} only where there is provenance (${how})`;
}

function explainTrail({ flow, trail, status, because, fix }: FlowEvidence): Complaint {
  const state = status === 'INCOMPLETE' ? 'is incomplete' : 'is not compliant';
  return {
    found: withAccount(`In flow '${flow.name}', trail '${trail.name}', the artifact ${state}`, because),
    fix: fix ?? `Fix trail '${trail.name}' of flow '${flow.name}'.`,
  };
}
