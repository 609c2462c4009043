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

/**
 * Returns them in order of receipt, but overrides of something that is not here before all others: nobody can tell which
 * report their author saw, so any report that is here counts as newer. An override can only follow a chain back in time,
 * so that no chain is endless.
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

/** An override of something that is not here has nothing else to stand for, so it counts as a report. */
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
