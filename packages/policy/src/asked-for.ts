import type { AttestationEvidence } from './evidence.ts';
import type { AttestationRequirement } from './rule.ts';

/** Whether a rule is about this evidence, by name, type, and control. */
export function isAskedFor(
  attestation: AttestationEvidence,
  { name, type, forControl }: AttestationRequirement,
): boolean {
  return (
    (name === '*' || attestation.name === name) &&
    (type === '*' || attestation.type === type) &&
    (forControl === null || type !== 'decision' || attestation.control === forControl)
  );
}
