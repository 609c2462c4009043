import type { Found } from './judgement.ts';
import { targetKey } from './target-key.ts';
import type { Attestation } from './trail.ts';

/** An attestation as it counts: an override stands for the first original in its chain. */
export interface Report {
  readonly attestation: Attestation;
  readonly type: string;
  readonly originalId: string | null;
  /** Null as well when it is an override of something that is not here. */
  readonly original: Attestation | null;
  readonly targetKey: string;
}

export function inOrderOfReceipt<T extends { readonly receipt: number }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => a.receipt - b.receipt);
}

/** In order of receipt. An override can only follow a chain back in time, so that no chain is endless. */
export function toReports(attestations: readonly Attestation[]): Report[] {
  const earlier = new Map<string, Report>();
  return inOrderOfReceipt(attestations).map((attestation) => {
    const report = toReport(attestation, earlier);
    earlier.set(attestation.id, report);
    return report;
  });
}

function toReport(attestation: Attestation, earlier: ReadonlyMap<string, Report>): Report {
  const { overrides, type } = attestation;
  const key = targetKey(attestation.target);
  if (overrides === null) return { attestation, type, originalId: null, original: null, targetKey: key };
  const overridden = earlier.get(overrides.id);
  return {
    attestation,
    type: overridden?.type ?? overrides.type,
    originalId: overridden?.originalId ?? overrides.id,
    original: overridden?.originalId === null ? overridden.attestation : (overridden?.original ?? null),
    targetKey: key,
  };
}

/** An override comes with what it overrides, if that is here. */
export function foundOf(report: Report): Found[] {
  const { original } = report;
  return original === null ? [foundReport(report)] : [foundReport(report), found(original, original.type)];
}

export function foundReport({ attestation, type }: Report): Found {
  return found(attestation, type);
}

function found({ id, name, isCompliant, receivedAt }: Attestation, type: string): Found {
  return { kind: 'attestation', id, name, type, isCompliant, at: receivedAt };
}
