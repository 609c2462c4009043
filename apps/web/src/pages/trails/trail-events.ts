import type { Trail } from '@waymark/contract';
import { z } from 'zod';
import type { State } from '../../ui/StateBadge.tsx';

type Sent = Trail['events'][number];

const Said = z.object({
  type: z.string(),
  timestamp: z.number(),
  user: z.string(),
  claimed_at: z.number().nullish().catch(null),
  late: z.boolean().catch(false),
  changes: z.array(z.string()).catch([]),
  attestation_id: z.string().nullish().catch(null),
  attestation_type: z.string().nullish().catch(null),
  template_reference_name: z.string().nullish().catch(null),
  target_artifact: z.string().nullish().catch(null),
  artifact_fingerprint: z.string().nullish().catch(null),
  artifact_name: z.string().nullish().catch(null),
  is_compliant: z.boolean().nullish().catch(null),
  state: z.string().nullish().catch(null),
  reviewer: z.string().nullish().catch(null),
});

export interface Happened {
  readonly kind: 'trail' | 'artifact' | 'attestation' | 'approval';
  readonly name: string;
  readonly what: string;
  readonly about: string;
  readonly state: State | null;
  readonly at: number;
  /** When it is said to have happened, if that was earlier. */
  readonly claimedAt: number | null;
  readonly isLate: boolean;
  readonly by: string;
  readonly attestationId: string | null;
  readonly attestationType: string | null;
  readonly fingerprint: string | null;
}

/** Something in the history of a trail, in words. */
export function happenedOf(event: Sent): Happened {
  const said = Said.parse(event);
  return {
    at: said.timestamp,
    by: said.user,
    claimedAt: said.claimed_at ?? null,
    isLate: said.late,
    attestationId: said.attestation_id ?? null,
    attestationType: said.attestation_type ?? null,
    fingerprint: said.artifact_fingerprint ?? null,
    ...wordsOf(said),
  };
}

function wordsOf(said: z.output<typeof Said>): Pick<Happened, 'kind' | 'name' | 'what' | 'about' | 'state'> {
  if (said.attestation_id)
    return {
      kind: 'attestation',
      name: said.template_reference_name ?? '',
      what: 'Attestation',
      about: said.target_artifact || 'the trail',
      state: stateOfVerdict(said),
    };
  if (said.type === 'artifact_creation_reported')
    return {
      kind: 'artifact',
      name: said.template_reference_name || said.artifact_name || '',
      what: 'Artifact',
      about: '',
      state: null,
    };
  if (said.type === 'artifact_approval_reported')
    return {
      kind: 'approval',
      name: said.reviewer ?? '',
      what: `Approval: ${(said.state ?? 'recorded').toLowerCase()}`,
      about: '',
      state: null,
    };
  const changes = said.changes.length === 0 ? '' : `: ${said.changes.join(', ').replaceAll('_', ' ')}`;
  return { kind: 'trail', name: 'Trail', what: `${sentence(said.type)}${changes}`, about: '', state: null };
}

function stateOfVerdict({ is_compliant, attestation_type }: z.output<typeof Said>): State {
  if (is_compliant === true) return attestation_type === 'override' ? 'waived' : 'compliant';
  return is_compliant === false ? 'non-compliant' : 'unknown';
}

/** `trail_reporting_started` becomes `Trail reporting started`. */
function sentence(type: string): string {
  const words = type.replace(/[_.]/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
