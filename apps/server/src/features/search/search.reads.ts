import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { type JudgedArtifact, judgeArtifacts } from '../artifacts/artifact.reads.ts';
import { listMatches } from '../provenance/fingerprint.reads.ts';
import { listImageMatches, readRelatives } from '../provenance/image.reads.ts';

const MATCHES_SHOWN = 10;
const COUNTED_MAX = 1_000;
const ARTIFACTS_SHOWN = 100;

export interface ShaMatches {
  readonly count: number;
  readonly matches: readonly string[];
}

/** Fingerprints, or commits, of the org that begin with some digits. The count stops at 1,000. */
export async function findMatches(ctx: Ctx, column: 'fingerprint' | 'commit_sha', prefix: string): Promise<ShaMatches> {
  const reported = await listMatches(ctx, undefined, column, prefix, COUNTED_MAX);
  const images = column === 'fingerprint' ? await listImageMatches(ctx, prefix, COUNTED_MAX) : [];
  const found = [...new Set([...reported, ...images])].sort().slice(0, COUNTED_MAX);
  return { count: found.length, matches: found.slice(0, MATCHES_SHOWN) };
}

export interface FoundArtifact extends JudgedArtifact {
  /** How it relates to the search result: an image index to its platform, or the other way round. */
  readonly platform: string | null;
}

/**
 * The newest report in each flow of each artifact with these fingerprints, and of the indexes and platforms of images.
 */
export async function listByFingerprint(ctx: Ctx, matches: readonly string[]): Promise<FoundArtifact[]> {
  const relatives = [...(await readRelatives(ctx, matches)).values()].flat();
  const platformOf = new Map<string, string | null>(
    relatives.map(({ fingerprint, platform }) => [fingerprint, platform]),
  );
  for (const fingerprint of matches) platformOf.set(fingerprint, null);
  const found = await listArtifactsOf(ctx, 'fingerprint', [...platformOf.keys()]);
  return found.map((artifact) => ({ ...artifact, platform: platformOf.get(artifact.fingerprint) ?? null }));
}

export async function listByCommit(ctx: Ctx, matches: readonly string[]): Promise<FoundArtifact[]> {
  const found = await listArtifactsOf(ctx, 'commit_sha', matches);
  return found.map((artifact) => ({ ...artifact, platform: null }));
}

async function listArtifactsOf(
  ctx: Ctx,
  column: 'fingerprint' | 'commit_sha',
  matches: readonly string[],
): Promise<JudgedArtifact[]> {
  const { rows } = await sql<JudgedArtifact>`
    select * from (
      select distinct on (flow_id, fingerprint) * from artifact
      where org_id = ${ctx.org} and ${sql.ref(column)} = any(${matches}::text[])
      order by flow_id, fingerprint, receipt desc
    ) as newest order by receipt desc limit ${ARTIFACTS_SHOWN}`.execute(ctx.db);
  return judgeArtifacts(ctx, rows);
}

export interface FoundComponent {
  readonly name: string;
  readonly version: string;
  readonly purl: string | null;
  readonly flow_name: string;
  readonly trail_name: string;
  readonly attestation_id: string;
  readonly fingerprint: string | null;
  readonly created_at: Date;
  readonly receipt: number;
  readonly position: number;
}

export async function listComponents(
  ctx: Ctx,
  wanted: { name: string | undefined; version: string | undefined; purl: string | undefined },
  limit: number,
  before: { receipt: number; position: number } | undefined,
): Promise<FoundComponent[]> {
  const { rows } = await sql<FoundComponent>`
    select component.name, component.version, component.purl, flow.name as flow_name, trail.name as trail_name,
      attestation.id as attestation_id, attestation.fingerprint, attestation.created_at, attestation.receipt,
      component.position
    from component
    join sbom on sbom.org_id = component.org_id and sbom.list_id = component.attestation_id
    join attestation on attestation.org_id = sbom.org_id and attestation.id = sbom.attestation_id
    join trail on trail.org_id = attestation.org_id and trail.id = attestation.trail_id
    join flow on flow.org_id = attestation.org_id and flow.id = attestation.flow_id
    where component.org_id = ${ctx.org} and sbom.org_id = ${ctx.org}
      and ${wanted.purl === undefined ? sql`component.name = ${wanted.name ?? ''}` : sql`component.purl = ${wanted.purl}`}
      and (${wanted.version ?? null}::text is null or component.version = ${wanted.version ?? null})
      and (attestation.receipt, component.position) <
        (${before?.receipt ?? Number.MAX_SAFE_INTEGER}::bigint, ${before?.position ?? 0}::integer)
    order by attestation.receipt desc, component.position desc limit ${limit}`.execute(ctx.db);
  return rows;
}

/** Whether the org has a report of the artifact. */
export async function isReported(ctx: Ctx, fingerprint: string): Promise<boolean> {
  const { rows } = await sql`
    select from artifact where org_id = ${ctx.org} and fingerprint = ${fingerprint} limit 1`.execute(ctx.db);
  return rows.length > 0;
}
