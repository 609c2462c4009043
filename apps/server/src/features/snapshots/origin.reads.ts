import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';

const FLOWS_KEPT = 100;

/** A report of an artifact, as far as it tells where the artifact came from. */
export interface Origin {
  readonly id: string;
  readonly fingerprint: string;
  readonly flow_id: string;
  readonly trail_id: string;
  readonly template_name: string | null;
  readonly commit_sha: string | null;
  readonly receipt: number;
}

const listNewestOrigins = statement<{ org_id: string; fingerprints: readonly string[] }, Origin>(
  'list_newest_origins',
  `select distinct on (fingerprint, flow_id) id, fingerprint, flow_id, trail_id, template_name, commit_sha, receipt
   from artifact
   where org_id = :org_id and fingerprint = any(:fingerprints::text[])
   order by fingerprint, flow_id, receipt desc`,
);

/** The newest report in each flow of each fingerprint, newest first. Fingerprints that nobody reported are not in it. */
export async function readOrigins(
  db: Db,
  org: string,
  fingerprints: readonly string[],
): Promise<Map<string, readonly Origin[]>> {
  const known = [...new Set(fingerprints)].filter((fingerprint) => fingerprint !== '');
  if (known.length === 0) return new Map();
  const rows = await listNewestOrigins(db, { org_id: org, fingerprints: known });
  const byFingerprint = Map.groupBy(rows, (row) => row.fingerprint);
  for (const [fingerprint, origins] of byFingerprint) {
    // By flow, so that another report in one of many flows does not change which of them are kept.
    const kept = origins.slice(0, FLOWS_KEPT);
    byFingerprint.set(
      fingerprint,
      kept.sort((a, b) => b.receipt - a.receipt),
    );
  }
  return byFingerprint;
}

/** What a run is a version of. Later runs of the same lineage replace earlier ones. */
export function lineageOf(run: { name: string }, origins: readonly Origin[]): string {
  const named = origins.find((origin) => origin.template_name !== null);
  return named ? `template ${named.flow_id} ${named.template_name}` : `name ${run.name}`;
}

const listOrigins = statement<{ org_id: string; ids: readonly string[] }, Origin>(
  'list_origins',
  `select id, fingerprint, flow_id, trail_id, template_name, commit_sha, receipt from artifact
   where org_id = :org_id and id = any(:ids::uuid[])`,
);

export async function readOriginsById(db: Db, org: string, ids: readonly string[]): Promise<Map<string, Origin>> {
  if (ids.length === 0) return new Map();
  const rows = await listOrigins(db, { org_id: org, ids });
  return new Map(rows.map((row) => [row.id, row]));
}
