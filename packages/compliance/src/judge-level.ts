import { explainSlot } from './explain-slot.ts';
import { fillSlots, type Slot } from './fill-slots.ts';
import type { Explanation, SlotStatus } from './judgement.ts';
import type { Report } from './report.ts';
import type { RequiredAttestation } from './trail.ts';

export interface JudgedLevel {
  readonly statuses: readonly SlotStatus[];
  readonly explanations: readonly Explanation[];
}

interface Scene {
  readonly id: string;
  readonly artifact: string | null;
  readonly required: readonly RequiredAttestation[];
  readonly reports: readonly Report[];
  /** Reports that were meant for this level, but are about an artifact that is not here. */
  readonly displaced: readonly Report[];
}

/** All attestations of the trail itself, or of one of its artifacts. */
export function judgeLevel({ id, artifact, required, reports, displaced }: Scene): JudgedLevel {
  const slots = fillSlots(required, reports);
  const wouldFill = displaced.length === 0 ? [] : fillSlots(required, displaced);
  const extraNames = slots.flatMap((slot) => (slot.required === null ? [slot.report.attestation.name] : []));
  const level = { id, artifact, extraNames };
  return {
    statuses: slots.map(statusOf),
    explanations: slots.map((slot, place) => explainSlot(slot, level, wouldFill[place]?.report ?? null)),
  };
}

function statusOf({ required, report }: Slot): SlotStatus {
  if (report === null) {
    return {
      name: required.name,
      type: required.type,
      status: 'MISSING',
      isCompliant: null,
      attestationId: null,
      overriddenAttestationId: null,
      unexpected: false,
    };
  }
  return {
    name: report.attestation.name,
    type: report.type,
    status: 'COMPLETE',
    isCompliant: report.attestation.isCompliant,
    attestationId: report.attestation.id,
    overriddenAttestationId: report.originalId,
    unexpected: required === null,
  };
}
