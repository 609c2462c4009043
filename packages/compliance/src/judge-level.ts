import { explainMissingSlot } from './explain-missing-slot.ts';
import { explainSlot } from './explain-slot.ts';
import { fillSlots, type Slot } from './fill-slots.ts';
import type { Explanation, SlotStatus } from './judgement.ts';
import type { Report } from './report.ts';
import type { Stray } from './strays.ts';

export interface JudgedLevel {
  readonly statuses: readonly SlotStatus[];
  readonly explanations: readonly Explanation[];
}

interface Scene {
  readonly id: string;
  readonly artifact: string | null;
  readonly slots: readonly Slot[];
  /** Reports that were meant for this level, but are about an unknown artifact. */
  readonly displaced: readonly Report[];
  readonly strayOf: (name: string) => Stray | undefined;
}

/** All attestations of the trail itself, or of one of its artifacts. */
export function judgeLevel({ id, artifact, slots, displaced, strayOf }: Scene): JudgedLevel {
  const required = slots.flatMap((slot) => slot.required ?? []);
  const wouldFill = displaced.length === 0 ? [] : fillSlots(required, displaced);
  const about = artifact === null ? '' : ` on artifact '${artifact}'`;
  const level = { id, artifact, about, extraNames: extraNamesOf(slots) };
  return {
    statuses: slots.map(statusOf),
    explanations: slots.map((slot, place) => {
      if (slot.report !== null) return explainSlot(slot, level);
      return explainMissingSlot(slot, level, {
        displaced: wouldFill[place]?.report ?? null,
        stray: strayOf(slot.required.name) ?? null,
      });
    }),
  };
}

/** A name that is required with another type is not a typo. */
function extraNamesOf(slots: readonly Slot[]): string[] {
  const asked = new Set(slots.map(({ required }) => required?.name));
  return slots.flatMap(({ required, report }) =>
    required === null && !asked.has(report.attestation.name) ? [report.attestation.name] : [],
  );
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
