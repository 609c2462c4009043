import type { Ctx } from '../../../platform/ctx.ts';
import {
  type ArtifactReport,
  type Provenance,
  readReportsById,
  shownProvenance,
} from '../../provenance/provenance.reads.ts';
import type { KnownRun } from '../../snapshots/record/current-runs.reads.ts';

/** Returns the runs whose reports have changed. A report that only repeats another is no change. */
export async function withChangedProvenance(
  ctx: Ctx,
  runs: readonly KnownRun[],
  provenanceOf: ReadonlyMap<string, Provenance>,
): Promise<KnownRun[]> {
  const differing = runs.flatMap((run) => {
    const reports = shownProvenance(provenanceOf.get(run.fingerprint));
    const isKnown =
      reports.length === run.artifactIds.length && reports.every(({ id }, i) => id === run.artifactIds[i]);
    return isKnown ? [] : [{ run, reports }];
  });
  const earlier = await readReportsById(
    ctx.db,
    ctx.org,
    differing.flatMap(({ run }) => run.artifactIds),
  );
  return differing.flatMap(({ run, reports }) => {
    const before = run.artifactIds.map((id) => earlier.get(id));
    return reportText(before) === reportText(reports) ? [] : [run];
  });
}

/** Equal for reports with the same content, in whatever order they arrived. */
function reportText(reports: readonly (ArtifactReport | undefined)[]): string {
  const texts = reports.map((report) =>
    JSON.stringify([report?.flow_id, report?.trail_id, report?.template_name, report?.commit_sha]),
  );
  return texts.sort().join();
}
