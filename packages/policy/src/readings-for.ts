import { asksForReadings } from './demand.ts';
import { demandedBy } from './demanded.ts';
import type { ArtifactEvidence } from './evidence.ts';
import type { NeededReading } from './readings.ts';
import type { Policy } from './rule.ts';

/** Returns the readings that the rules of a policy ask for, which the context of a decision has to contain. */
export function readingsFor(policy: Policy, evidence: ArtifactEvidence): NeededReading[] {
  if (!policy.asksForReadings) return [];
  const needed = new Map<string, NeededReading>();
  for (const { demand, attestation, flow } of demandedBy(policy, evidence, asksForReadings)) {
    for (const one of demand.reads?.(attestation, flow.attestations) ?? []) needed.set(one.id, one);
  }
  return [...needed.values()];
}
