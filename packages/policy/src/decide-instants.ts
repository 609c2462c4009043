import { isTimed } from './demand.ts';
import { demandedBy } from './demanded.ts';
import type { ArtifactEvidence } from './evidence.ts';
import type { Readings } from './readings.ts';
import type { Policy } from './rule.ts';

/**
 * The time that a decision at `now` speaks of: the newest instant up to then at which the judgement of some evidence
 * turned, and 0 where none did. Null where no rule of the policy depends on the time.
 *
 * Decisions are named by their content. Were it the time of the request, each one would be another.
 */
export function instantOf(policy: Policy, evidence: ArtifactEvidence, now: number, readings?: Readings): number | null {
  if (!policy.isTimed) return null;
  let newest = 0;
  for (const turn of turnsOf(policy, evidence, readings)) if (turn <= now && turn > newest) newest = turn;
  return newest;
}

/** The first instant after `now` at which the decision may become another. Null where there is none. */
export function nextInstant(
  policy: Policy,
  evidence: ArtifactEvidence,
  now: number,
  readings?: Readings,
): number | null {
  if (!policy.isTimed) return null;
  let next = Number.POSITIVE_INFINITY;
  for (const turn of turnsOf(policy, evidence, readings)) if (turn > now && turn < next) next = turn;
  return Number.isFinite(next) ? next : null;
}

function* turnsOf(policy: Policy, evidence: ArtifactEvidence, readings: Readings | undefined): Generator<number> {
  for (const { demand, attestation, flow } of demandedBy(policy, evidence, isTimed)) {
    yield* demand.turnsAt?.(attestation, { flow, at: null, readings }) ?? [];
  }
}
