import { byText } from './by-text.ts';
import { countingOf, isNewer, type Report } from './report.ts';
import type { RequiredAttestation } from './trail.ts';

/** One required attestation, or an extra one. */
export type Slot =
  | { readonly required: RequiredAttestation; readonly report: Report }
  | { readonly required: RequiredAttestation; readonly report: null; readonly ofOtherTypes: readonly Report[] }
  | { readonly required: null; readonly report: Report };

type NewestByType = ReadonlyMap<string, Report>;

/** Reports come in order of receipt. Slots follow the template, then the extras. */
export function fillSlots(required: readonly RequiredAttestation[], reports: readonly Report[]): Slot[] {
  const newest = newestByNameAndType(reports);
  const expected = new Set<Report>();
  const slots = required.map((requirement): Slot => {
    const ofThatName = newest.get(requirement.name) ?? new Map<string, Report>();
    const matching = matchesOf(requirement, ofThatName);
    for (const report of matching) expected.add(report);
    const report = matching.reduce<Report | null>(newer, null);
    if (report !== null) return { required: requirement, report };
    return { required: requirement, report, ofOtherTypes: [...ofThatName.values()].sort(byText(labelOf)) };
  });
  const extras = [...newest.values()].flatMap((ofThatName) =>
    [...ofThatName.values()].filter((it) => !expected.has(it)),
  );
  extras.sort(byText(labelOf));
  return [...slots, ...extras.map((report): Slot => ({ required: null, report }))];
}

/** Returns the report that counts of each name and type, whether or not a slot takes it. Reports come in order of receipt. */
export function newestOfEach(reports: readonly Report[]): Report[] {
  return [...newestByNameAndType(reports).values()].flatMap((ofThatName) => [...ofThatName.values()]);
}

function labelOf({ attestation, type }: Report): string {
  return `${attestation.name} ${type}`;
}

/** A slot for any type takes all reports under its name, so only the newest counts. */
function matchesOf({ type }: RequiredAttestation, ofThatName: NewestByType): Report[] {
  if (type === '*') return [...ofThatName.values()];
  const report = ofThatName.get(type);
  return report === undefined ? [] : [report];
}

function newer(best: Report | null, report: Report): Report {
  return best === null || isNewer(report, best) ? report : best;
}

function newestByNameAndType(reports: readonly Report[]): ReadonlyMap<string, NewestByType> {
  const newest = new Map<string, Map<string, Report>>();
  for (const [name, ofThatName] of Map.groupBy(reports, ({ attestation }) => attestation.name)) {
    const byType = new Map<string, Report>();
    for (const [type, ofThatType] of Map.groupBy(ofThatName, ({ type }) => type)) {
      const report = countingOf(ofThatType);
      if (report !== null) byType.set(type, report);
    }
    if (byType.size > 0) newest.set(name, byType);
  }
  return newest;
}
