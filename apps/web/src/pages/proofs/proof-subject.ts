import type { Artifact, Attestation } from '@waymark/contract';
import { z } from 'zod';

/** A value that the page shows, and the field of the recorded payload that has it. */
export interface ShownValue {
  /** How the types of the entries begin that have it. */
  readonly types: string;
  readonly field: string;
  /** As in `the page shows another verdict`. */
  readonly label: string;
  /** Null once it is erased. */
  readonly value: string | number | boolean | null;
}

/** What a proof is about, as the API looks it up, and what the page says about it. */
export interface ProofSubject {
  readonly kind: z.output<typeof Kind>;
  /** Of the file of its proof, without its ending. */
  readonly name: string;
  readonly shows: readonly ShownValue[];
}

const Kind = z.enum(['trail', 'artifact', 'attestation', 'decision', 'snapshot']);

/** Which proof is open, and which of its entries. One page can have lines about several subjects. */
export const ProofSearch = z.object({ proof: Kind.optional(), entry: z.uuid().optional() });

/** The parameter of the API. */
export function queryOf({ kind, name }: ProofSubject): Readonly<Record<string, string>> {
  return { [kind]: name };
}

export function trailSubject(flow: string, trail: string): ProofSubject {
  const shows = [{ types: 'trail.', field: 'name', label: 'name', value: trail }];
  return { kind: 'trail', name: `${flow}/${trail}`, shows };
}

export function artifactSubject({ fingerprint }: Pick<Artifact, 'fingerprint'>): ProofSubject {
  const shows = [{ types: '', field: 'fingerprint', label: 'fingerprint', value: fingerprint }];
  return { kind: 'artifact', name: fingerprint, shows };
}

export function snapshotSubject(env: string, index: number): ProofSubject {
  const shows = [{ types: 'snapshot.', field: 'index', label: 'number', value: index }];
  return { kind: 'snapshot', name: `${env}#${index}`, shows };
}

export function attestationSubject(of: Attestation): ProofSubject {
  const types = 'attestation.';
  return {
    kind: of.attestation_type === 'decision' ? 'decision' : 'attestation',
    name: of.attestation_id,
    shows: [
      { types, field: 'name', label: 'name', value: of.attestation_name },
      { types, field: 'is_compliant', label: 'verdict', value: of.is_compliant },
      { types, field: 'content_sha256', label: 'digest of the content', value: of.content_sha256 },
    ],
  };
}

/** Of the file into which the proof is saved. */
export function proofFileName({ kind, name }: ProofSubject): string {
  return `${kind}-${name.replaceAll(/[^a-zA-Z0-9._-]+/g, '-')}.tlog-proof`;
}
