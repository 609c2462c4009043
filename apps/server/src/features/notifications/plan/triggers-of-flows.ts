import { fewNames, type MessageContent, NO_DETAILS } from '@waymark/messages';
import type { Entry } from '../../../platform/journal/processor.ts';
import type { EventSource, TriggeredEvent } from './triggered-event.ts';
import type { Facts } from './triggered-event-facts.reads.ts';

/** The parts of payloads that messages use. */
interface TrailBegun {
  readonly flow: string;
  readonly name: string;
}
interface ArtifactReported {
  readonly flow: string;
  readonly trail: string;
  readonly fingerprint: string;
  readonly filename: string;
}
interface AttestationRecorded {
  readonly flow: string;
  readonly trail: string;
  readonly name: string;
  readonly type: string;
  readonly is_compliant: boolean;
  /** Only for one that overrides the verdict of another. */
  readonly reason?: string;
}

export const flowSources: Readonly<Record<string, EventSource>> = {
  'trail.begun': { triggers: ['ON_STARTED_TRAIL'], events: ofTrail },
  'artifact.reported': { triggers: ['ON_ATTESTED_PROVENANCE'], events: ofArtifact },
  'attestation.recorded': { triggers: ['ON_ATTESTATION'], events: ofAttestation },
  'attestation.overridden': { triggers: ['ON_ATTESTATION'], events: ofAttestation },
};

function ofTrail({ flow, name }: TrailBegun): TriggeredEvent[] {
  const content: MessageContent = { ...NO_DETAILS, flow, trail: { name, compliant: null }, names: fewNames([name]) };
  return [{ trigger: 'ON_STARTED_TRAIL', count: 1, groups: true, needs: {}, contentOf: () => content }];
}

/** Its verdict depends on later attestations in its trail, so the message has none. */
function ofArtifact({ flow, trail, fingerprint, filename }: ArtifactReported, entry: Entry): TriggeredEvent[] {
  const contentOf = ({ provenance }: Facts): MessageContent => ({
    ...NO_DETAILS,
    flow,
    trail: { name: trail, compliant: null },
    artifact: { name: filename, fingerprint, compliant: null, provenance: provenance ?? null },
    names: fewNames([filename]),
  });
  const needs = { artifactId: entry.subject_id };
  return [{ trigger: 'ON_ATTESTED_PROVENANCE', count: 1, groups: true, needs, contentOf }];
}

function ofAttestation(payload: AttestationRecorded, entry: Entry): TriggeredEvent[] {
  const { flow, trail, name, type, is_compliant: compliant, reason } = payload;
  const contentOf = ({ attestation, provenance }: Facts): MessageContent => ({
    ...NO_DETAILS,
    flow,
    trail: { name: trail, compliant: null },
    artifact: attestation?.filename
      ? {
          name: attestation.filename,
          fingerprint: attestation.fingerprint,
          compliant: null,
          provenance: provenance ?? null,
        }
      : null,
    attestation: { id: entry.subject_id, name, type, compliant },
    names: fewNames([name]),
    why: reason === undefined ? (attestation?.complaint ?? null) : `overridden by ${entry.actor_name}: ${reason}`,
  });
  const needs = { attestationId: entry.subject_id };
  return [{ trigger: 'ON_ATTESTATION', count: 1, groups: true, needs, contentOf }];
}
