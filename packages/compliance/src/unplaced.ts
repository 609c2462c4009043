import type { ArtifactIndex } from './artifact-index.ts';
import { byText } from './by-text.ts';
import { countingOf, isReport, placeOf, type Report } from './report.ts';
import type { Target } from './trail.ts';

/** A report about an artifact that is not in the trail. */
export interface UnplacedReport {
  readonly report: Report;
  readonly target: Exclude<Target, { readonly kind: 'trail' }>;
  /** A newer report of the same name and type, about an artifact of the same name, replaces it. */
  readonly replaced: boolean;
}

/** Reports come in order of receipt. Returns the one that counts of each name, type and target. */
export function findUnplaced(reports: readonly Report[], index: ArtifactIndex): UnplacedReport[] {
  const homeless = reports.filter(({ targetKey }) => !index.targetKeys.has(targetKey));
  if (homeless.length === 0) return [];
  const ofTargets = Map.groupBy(homeless, (report) => keyOf(report, report.targetKey));
  const newestOfArtifact = new Map(
    reports
      .filter(isReport)
      .flatMap((report) =>
        artifactsOf(report, index).map((artifact) => [keyOf(report, artifact), report.attestation] as const),
      ),
  );
  const unplaced = [...ofTargets.values()].flatMap((ofTarget) => {
    const report = countingOf(ofTarget);
    if (report === null || report.attestation.target.kind === 'trail') return [];
    const replaced = artifactsOf(report, index).every(
      (artifact) => newestOfArtifact.get(keyOf(report, artifact)) !== placeOf(report),
    );
    return [{ report, target: report.attestation.target, replaced }];
  });
  return unplaced.sort(byText(({ report }) => `${report.targetKey} ${report.attestation.name} ${report.type}`));
}

/** The names of the artifacts that a report is about. */
function artifactsOf({ attestation: { target } }: Report, { namesOfFingerprint }: ArtifactIndex): readonly string[] {
  switch (target.kind) {
    case 'trail':
      return [];
    case 'named':
      return [target.artifact];
    case 'fingerprint':
      return [...(namesOfFingerprint.get(target.fingerprint) ?? [target.fingerprint])];
  }
}

function keyOf({ attestation, type }: Report, about: string): string {
  return JSON.stringify([about, attestation.name, type]);
}
