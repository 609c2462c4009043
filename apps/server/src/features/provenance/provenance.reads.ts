import type { ListedIn } from '@waymark/policy';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';
import { type ImagePlatform, INDEXES_READ, listListedImages, listPlatforms } from './image.reads.ts';

const FLOWS_SHOWN = 100;

/** The part of an artifact report that shows where the artifact was built. */
export interface ArtifactReport {
  readonly id: string;
  readonly fingerprint: string;
  readonly flow_id: string;
  readonly trail_id: string;
  readonly template_name: string | null;
  readonly commit_sha: string | null;
  readonly receipt: number;
  /** For a report of an image index: the platform under which it lists the artifact. */
  readonly platform?: string;
}

/** All reports that show where an artifact was built. */
export interface Provenance {
  /** The newest report of the artifact in each flow, then the newest of an index that lists it. */
  readonly reports: readonly ArtifactReport[];
  /** All platforms of an index with at least one reported platform; empty for anything else. */
  readonly platforms: readonly PlatformReports[];
  /** For an artifact without any report: the index that lists it. */
  readonly listedIn?: ListedIn;
}

interface PlatformReports {
  readonly platform: string;
  readonly fingerprint: string;
  readonly reports: readonly ArtifactReport[];
}

const REPORT = 'id, fingerprint, flow_id, trail_id, template_name, commit_sha, receipt';

const listNewestReports = statement<{ org_id: string; fingerprints: readonly string[] }, ArtifactReport>(
  'list_newest_reports',
  `select distinct on (fingerprint, flow_id) ${REPORT}
   from artifact
   where org_id = :org_id and fingerprint = any(:fingerprints::text[])
   order by fingerprint, flow_id, receipt desc`,
);

const listIndexReports = statement<
  { org_id: string; fingerprints: readonly string[] },
  ArtifactReport & { readonly listed: string; readonly platform: string }
>(
  'list_index_reports',
  `select distinct on (image.listed, report.flow_id) image.listed, image.platform, report.*
   from (
     select asked.fingerprint as listed, found.platform, found.index_fingerprint
     from unnest(:fingerprints::text[]) as asked (fingerprint)
     cross join lateral (
       select platform, index_fingerprint from image_platform
       where org_id = :org_id and platform_fingerprint = asked.fingerprint and is_listed
       order by receipt desc limit ${INDEXES_READ}
     ) as found
   ) as image
   cross join lateral (
     select distinct on (flow_id) ${REPORT} from artifact
     where org_id = :org_id and fingerprint = image.index_fingerprint
     order by flow_id, receipt desc
   ) as report
   order by image.listed, report.flow_id, report.receipt desc`,
);

/**
 * Reads the provenance of each fingerprint: reports of it, of the image indexes that list it, and of the platforms that
 * it lists. Fingerprints without any are left out.
 */
export async function readProvenance(
  db: Db,
  org: string,
  fingerprints: readonly string[],
): Promise<Map<string, Provenance>> {
  const asked = [...new Set(fingerprints)].filter((fingerprint) => fingerprint !== '');
  if (asked.length === 0) return new Map();
  const [own, ofIndexes, listed] = await Promise.all([
    listNewestReports(db, { org_id: org, fingerprints: asked }),
    listIndexReports(db, { org_id: org, fingerprints: asked }),
    listPlatforms(db, { org_id: org, fingerprints: asked }),
  ]);
  const reportsOf = Map.groupBy(own, (row) => row.fingerprint);
  for (const { listed, ...report } of ofIndexes) {
    reportsOf.set(listed, [...(reportsOf.get(listed) ?? []), report]);
  }
  const platformsOf = await readPlatformReports(db, org, listed);
  const known = (fingerprint: string) => reportsOf.has(fingerprint) || platformsOf.has(fingerprint);
  const listedIn = await readListedIn(
    db,
    org,
    asked.filter((fingerprint) => !known(fingerprint)),
  );
  return new Map(
    asked.flatMap((fingerprint): [string, Provenance][] => {
      const near = listedIn.get(fingerprint);
      if (!near && !known(fingerprint)) return [];
      const [reports, platforms] = [reportsOf.get(fingerprint) ?? [], platformsOf.get(fingerprint) ?? []];
      return [[fingerprint, { reports, platforms, ...(near && { listedIn: near }) }]];
    }),
  );
}

/** Covers indexes with at least one reported platform. */
async function readPlatformReports(
  db: Db,
  org: string,
  listed: readonly ImagePlatform[],
): Promise<Map<string, PlatformReports[]>> {
  if (listed.length === 0) return new Map();
  const fingerprints = [...new Set(listed.map((image) => image.platform_fingerprint))];
  const reports = Map.groupBy(await listNewestReports(db, { org_id: org, fingerprints }), (row) => row.fingerprint);
  const all = Map.groupBy(listed, (image) => image.index_fingerprint);
  const some = [...all].filter(([, images]) => images.some((image) => reports.has(image.platform_fingerprint)));
  return new Map(
    some.map(([index, images]) => [
      index,
      images.map(({ platform, platform_fingerprint: fingerprint }) => {
        return { platform, fingerprint, reports: reports.get(fingerprint) ?? [] };
      }),
    ]),
  );
}

async function readListedIn(db: Db, org: string, fingerprints: readonly string[]): Promise<Map<string, ListedIn>> {
  if (fingerprints.length === 0) return new Map();
  const rows = await listListedImages(db, { org_id: org, fingerprints });
  return new Map(
    rows.map(({ fingerprint, platform, index_fingerprint: index, reported }) => {
      return [fingerprint, { platform, index, reported }];
    }),
  );
}

/**
 * Returns the reports that give an artifact provenance. An index that was not reported itself has provenance only when
 * each of its platforms has: which of them runs is unknown.
 */
export function reportsOf(provenance: Provenance | undefined): readonly ArtifactReport[] {
  if (!provenance) return [];
  const { reports, platforms } = provenance;
  const hasProvenance = reports.length > 0 || platforms.every((platform) => platform.reports.length > 0);
  return hasProvenance ? [...reports, ...platforms.flatMap((platform) => platform.reports)] : [];
}

/**
 * Returns the reports that a snapshot shows, newest first, one per flow, preferring those of the artifact itself to
 * those of an image index or a platform. With very many flows it picks the same flows each time, so that another report
 * in one of them does not change the selection.
 */
export function shownProvenance(provenance: Provenance | undefined): readonly ArtifactReport[] {
  const firstInFlow = new Map<string, ArtifactReport>();
  for (const report of reportsOf(provenance)) {
    if (!firstInFlow.has(report.flow_id)) firstInFlow.set(report.flow_id, report);
  }
  const shown = [...firstInFlow.values()].sort((a, b) => (a.flow_id < b.flow_id ? -1 : 1)).slice(0, FLOWS_SHOWN);
  return shown.sort((a, b) => b.receipt - a.receipt);
}

/** Returns the lineage of a run. Later runs of a lineage replace earlier ones. */
export function lineageOf(run: { name: string }, reports: readonly ArtifactReport[]): string {
  const named = reports.find((report) => report.template_name !== null);
  return named ? `template ${named.flow_id} ${named.template_name}` : `name ${run.name}`;
}

const listReports = statement<{ org_id: string; ids: readonly string[] }, ArtifactReport>(
  'list_reports_by_id',
  `select ${REPORT} from artifact
   where org_id = :org_id and id = any(:ids::uuid[])`,
);

export async function readReportsById(
  db: Db,
  org: string,
  ids: readonly string[],
): Promise<Map<string, ArtifactReport>> {
  if (ids.length === 0) return new Map();
  const rows = await listReports(db, { org_id: org, ids });
  return new Map(rows.map((row) => [row.id, row]));
}
