import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';

const FLOWS_TOLD = 100;

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

/** The newest report in each flow of each fingerprint. Fingerprints that nobody reported are not in it. */
export async function readOrigins(
  db: Db,
  org: string,
  fingerprints: readonly string[],
): Promise<Map<string, readonly Origin[]>> {
  const known = [...new Set(fingerprints)].filter((fingerprint) => fingerprint !== '');
  if (known.length === 0) return new Map();
  const rows = await listNewestOrigins(db, { org_id: org, fingerprints: known });
  return Map.groupBy(rows, (row) => row.fingerprint);
}

/**
 * What a snapshot tells of, newest first. Of very many flows the same ones, so that another report in one of them does
 * not change which they are.
 */
export function toldOrigins(origins: readonly Origin[] = []): readonly Origin[] {
  const told = origins.toSorted((a, b) => (a.flow_id < b.flow_id ? -1 : 1)).slice(0, FLOWS_TOLD);
  return told.sort((a, b) => b.receipt - a.receipt);
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
