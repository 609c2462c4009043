import type { Trail } from '@waymark/contract';
import { z } from 'zod';
import type { State } from '../../ui/StateBadge.tsx';

type Sent = Trail['events'][number];

const TrailEvent = z.object({
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
  /** When it happened according to the sender, if that was earlier. */
  readonly claimedAt: number | null;
  readonly isLate: boolean;
  readonly by: string;
  readonly attestationId: string | null;
  readonly attestationType: string | null;
  readonly fingerprint: string | null;
}

/** Describes an event in the history of a trail. */
export function happenedOf(sent: Sent): Happened {
  const event = TrailEvent.parse(sent);
  return {
    at: event.timestamp,
    by: event.user,
    claimedAt: event.claimed_at ?? null,
    isLate: event.late,
    attestationId: event.attestation_id ?? null,
    attestationType: event.attestation_type ?? null,
    fingerprint: event.artifact_fingerprint ?? null,
    ...wordsOf(event),
  };
}

function wordsOf(event: z.output<typeof TrailEvent>): Pick<Happened, 'kind' | 'name' | 'what' | 'about' | 'state'> {
  if (event.attestation_id)
    return {
      kind: 'attestation',
      name: event.template_reference_name ?? '',
      what: 'Attestation',
      about: event.target_artifact || 'the trail',
      state: stateOfVerdict(event),
    };
  if (event.type === 'artifact_creation_reported')
    return {
      kind: 'artifact',
      name: event.template_reference_name || event.artifact_name || '',
      what: 'Artifact',
      about: '',
      state: null,
    };
  if (event.type === 'artifact_approval_reported')
    return {
      kind: 'approval',
      name: event.reviewer ?? '',
      what: `Approval: ${(event.state ?? 'recorded').toLowerCase()}`,
      about: '',
      state: null,
    };
  const changes = event.changes.length === 0 ? '' : `: ${event.changes.join(', ').replaceAll('_', ' ')}`;
  return { kind: 'trail', name: 'Trail', what: `${capitalized(event.type)}${changes}`, about: '', state: null };
}

function stateOfVerdict({ is_compliant, attestation_type }: z.output<typeof TrailEvent>): State {
  if (is_compliant === true) return attestation_type === 'override' ? 'waived' : 'compliant';
  return is_compliant === false ? 'non-compliant' : 'unknown';
}

/** `trail_reporting_started` becomes `Trail reporting started`. */
function capitalized(type: string): string {
  const words = type.replace(/[_.]/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
