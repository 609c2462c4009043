import type { Found } from './judgement.ts';
import { targetKey } from './target-key.ts';
import type { Attestation } from './trail.ts';

/** An effective attestation: an override represents the first original in its chain. */
export interface Report {
  readonly attestation: Attestation;
  readonly type: string;
  readonly originalId: string | null;
  /** Null as well for an override of an unknown report. */
  readonly original: Attestation | null;
  readonly targetKey: string;
}

export function inOrderOfReceipt<T extends { readonly receipt: number }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => a.receipt - b.receipt);
}

/**
 * Returns reports in order of receipt, but overrides of unknown reports first: nobody can tell which report their
 * author saw, so any known report counts as newer. A chain of overrides only leads back in time, so it always ends.
 */
export function toReports(attestations: readonly Attestation[]): Report[] {
  const earlier = new Map<string, Report>();
  const reports = inOrderOfReceipt(attestations).map((attestation) => {
    const report = toReport(attestation, earlier);
    earlier.set(attestation.id, report);
    return report;
  });
  return [...reports.filter(isOrphan), ...reports.filter((report) => !isOrphan(report))];
}

function isOrphan({ original, originalId }: Report): boolean {
  return originalId !== null && original === null;
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

/**
 * Returns the report that counts: the newest one, or the newest override that names it. An override of an older report
 * never covers a newer one, whatever arrived first. Reports come in order of receipt, all of one name and type.
 */
export function countingOf(reports: readonly Report[]): Report | null {
  const newest = reports.findLast(isReport);
  if (newest === undefined) return null;
  return reports.findLast(({ original }) => original === newest.attestation) ?? newest;
}

/** An override of an unknown report replaces nothing, so it counts as a report. */
export function isReport({ original }: Report): boolean {
  return original === null;
}

/** Returns the attestation that decides how new a report is: for an override, the one whose place it takes. */
export function placeOf({ original, attestation }: Report): Attestation {
  return original ?? attestation;
}

export function isNewer(report: Report, than: Report): boolean {
  if (isOrphan(report) !== isOrphan(than)) return isOrphan(than);
  return placeOf(report).receipt > placeOf(than).receipt;
}

/** An override comes with its original, if that is known. */
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
