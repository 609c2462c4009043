import type { Reason } from './decision.ts';
import type { ArtifactEvidence, FlowEvidence } from './evidence.ts';
import type { Fault } from './judge-fault.ts';
import { explainFailing } from './reasons-failing.ts';
import { type Complaint, needsOf, shortFingerprint, withAccount } from './reasons-in-words.ts';
import { explainMissing } from './reasons-missing.ts';
import type { Rule } from './rule.ts';

interface Unsatisfied {
  readonly rule: Rule;
  readonly identity: { readonly name: string; readonly version: number };
  readonly evidence: ArtifactEvidence;
  readonly faults: readonly Fault[];
}

/** One for each flow, or each attestation that fails. Where something fails, what is missing elsewhere is no matter. */
export function reasonsOf(unsatisfied: Unsatisfied): Reason[] {
  const { rule, identity, evidence, faults } = unsatisfied;
  const failing = faults.filter(({ fails }) => fails);
  const deciding = failing.length > 0 ? failing : faults;
  const needs = `Policy '${identity.name}' asks for ${needsOf(rule)}.`;
  return deciding.map((fault) => {
    const { found, fix } = complaintOf(rule, fault, evidence);
    return {
      policy_name: identity.name,
      policy_version: identity.version,
      rule: rule.definition,
      resolution: fault.resolution.type,
      flow_name: fault.flow?.flow.name ?? null,
      trail_name: fault.flow?.trail.name ?? null,
      attestation_name: fault.attestation?.name ?? nameAskedFor(rule),
      message: `${needs} ${found}`,
      fix: !fault.fails && deciding.length > 1 ? `${fix} One of the ${deciding.length} flows is enough.` : fix,
    };
  });
}

function nameAskedFor(rule: Rule): string | null {
  return rule.kind === 'attestation' && rule.name !== '*' ? rule.name : null;
}

function complaintOf(rule: Rule, { fails, flow, attestation }: Fault, { fingerprint }: ArtifactEvidence): Complaint {
  if (flow === null) return explainNoProvenance(rule, fingerprint);
  if (rule.kind !== 'attestation') return explainTrail(flow);
  return fails && attestation !== null
    ? explainFailing(rule, flow, attestation)
    : explainMissing(rule, flow, attestation);
}

function explainNoProvenance(rule: Rule, fingerprint: string): Complaint {
  const exception = rule.kind === 'attestation' ? '' : ', or add an exception to the policy';
  if (fingerprint === '') {
    return {
      found: 'It is not known what runs here, because it was reported without a digest.',
      fix: `Have the digest of what runs reported with it${exception}.`,
    };
  }
  const artifact = `artifact ${shortFingerprint(fingerprint)}`;
  return {
    found: `No flow knows ${artifact}, so there is no evidence of where it comes from.`,
    fix: `Report ${artifact} to the flow that builds it${exception}.`,
  };
}

function explainTrail({ flow, trail, status, because, fix }: FlowEvidence): Complaint {
  const state = status === 'INCOMPLETE' ? 'lacks something' : 'is not compliant';
  return {
    found: withAccount(`In flow '${flow.name}', trail '${trail.name}', the artifact ${state}`, because),
    fix: fix ?? `Put right what is wrong in trail '${trail.name}' of flow '${flow.name}'.`,
  };
}
