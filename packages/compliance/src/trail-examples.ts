import type { Artifact, Attestation, Target, Trail, TrailTemplate } from './trail.ts';

/** Trails for tests: each function fills in irrelevant details. */
export const NO_TEMPLATE: TrailTemplate = { attestations: [], artifacts: [] };

export const ON_TRAIL: Target = { kind: 'trail' };

export function onFingerprint(fingerprint: string): Target {
  return { kind: 'fingerprint', fingerprint };
}

export function onNamed(artifact: string, commit: string): Target {
  return { kind: 'named', artifact, commit };
}

export function trailOf(parts: Partial<Trail> = {}): Trail {
  return { name: 'build-1', template: NO_TEMPLATE, autoCreated: false, attestations: [], artifacts: [], ...parts };
}

/** Received at 1000 and its receipt; its id says what it is. */
export function attested(
  receipt: number,
  name: string,
  type: string,
  isCompliant: boolean,
  parts: Partial<Attestation> = {},
): Attestation {
  return {
    id: `${name}-${receipt}`,
    receipt,
    receivedAt: 1000 + receipt,
    name,
    type,
    isCompliant,
    target: ON_TRAIL,
    reasons: [],
    overrides: null,
    ...parts,
  };
}

export function overriding(
  receipt: number,
  original: Attestation,
  isCompliant: boolean,
  parts: Partial<Attestation> = {},
): Attestation {
  return attested(receipt, original.name, 'override', isCompliant, {
    target: original.target,
    overrides: { id: original.id, type: original.type, reason: 'The scanner was wrong' },
    ...parts,
  });
}

/** Reported at 1000 and its receipt, with a fingerprint that repeats a letter. */
export function reported(
  receipt: number,
  templateName: string | null,
  letter: string,
  parts: Partial<Artifact> = {},
): Artifact {
  return {
    id: `artifact-${receipt}`,
    receipt,
    reportedAt: 1000 + receipt,
    fingerprint: fingerprintOf(letter),
    templateName,
    commit: null,
    filename: `${letter}.tar`,
    ...parts,
  };
}

export function fingerprintOf(letter: string): string {
  return letter.repeat(64);
}
