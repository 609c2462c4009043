import { isAskedFor } from './asked-for.ts';
import type { Demand } from './demand.ts';
import type { ArtifactEvidence, AttestationEvidence, FlowEvidence } from './evidence.ts';
import type { AttestationRequirement, Policy } from './rule.ts';

/** Evidence in a flow, and something that a rule asks of it. */
interface Demanded {
  readonly demand: Demand;
  readonly attestation: AttestationEvidence;
  readonly flow: FlowEvidence;
}

/** Returns all evidence of which a rule of the policy asks such a thing, wherever the artifact was reported. */
export function* demandedBy(
  { rules }: Policy,
  { flows, platforms = [] }: ArtifactEvidence,
  isMeant: (demand: Demand) => boolean,
): Generator<Demanded> {
  const all = platforms.length === 0 ? flows : [...flows, ...platforms.flatMap((platform) => platform.flows)];
  for (const rule of rules) {
    if (rule.kind !== 'attestation') continue;
    const demands = rule.demands.filter(isMeant);
    if (demands.length > 0) yield* demandedOf(rule, all, demands);
  }
}

function* demandedOf(
  rule: AttestationRequirement,
  flows: readonly FlowEvidence[],
  demands: readonly Demand[],
): Generator<Demanded> {
  for (const flow of flows) {
    for (const attestation of flow.attestations.filter((one) => isAskedFor(one, rule))) {
      for (const demand of demands) yield { demand, attestation, flow };
    }
  }
}
