import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { knownAs } from '../deployments/running.reads.ts';

/** The SBOM that counts for an artifact under a name in a flow: the newest. */
export interface ArtifactSbom {
  readonly fingerprint: string;
  readonly attestation_id: string;
  readonly attestation_name: string;
  readonly list_id: string;
  readonly flow_name: string;
  readonly trail_name: string;
  readonly created_at: Date;
}

/** Of one image, newest first. An SBOM that is recorded with every deployment may be there very often. */
const SBOMS_READ = 100;
/** Reports of an artifact that is built with the same digest again and again. */
const REPORTS_READ = 100;

/**
 * Returns the SBOMs of artifacts: their own, those of the image indexes that list them, and those of their platforms.
 * An SBOM on a trail says nothing about an artifact.
 */
export async function readSboms(
  ctx: Ctx,
  fingerprints: readonly string[],
): Promise<ReadonlyMap<string, readonly ArtifactSbom[]>> {
  if (fingerprints.length === 0) return new Map();
  const { rows } = await sql<ArtifactSbom>`
    select distinct on (asked.fingerprint, image.fingerprint, attestation.flow_id, attestation.name)
      asked.fingerprint, attestation.id as attestation_id, attestation.name as attestation_name, bill.list_id,
      flow.name as flow_name, trail.name as trail_name, attestation.created_at
    from unnest(${fingerprints}::text[]) as asked (fingerprint)
    cross join lateral (${knownAs(ctx, 'asked.fingerprint')}) as image (fingerprint)
    cross join lateral (${sbomsOf(ctx, 'image.fingerprint')}) as bill
    join attestation on attestation.org_id = ${ctx.org} and attestation.id = bill.attestation_id
    join trail on trail.org_id = ${ctx.org} and trail.id = attestation.trail_id
    join flow on flow.org_id = ${ctx.org} and flow.id = attestation.flow_id
    order by asked.fingerprint, image.fingerprint, attestation.flow_id, attestation.name, attestation.receipt desc
  `.execute(ctx.db);
  return Map.groupBy(rows, ({ fingerprint }) => fingerprint);
}

/** Recorded for the fingerprint, or for the name in the template and the commit that the artifact was reported with. */
function sbomsOf(ctx: Ctx, fingerprint: string): RawBuilder<unknown> {
  const image = sql.ref(fingerprint);
  return sql`
    (select attestation_id, list_id from sbom
     where org_id = ${ctx.org} and fingerprint = ${image} order by attestation_id desc limit ${SBOMS_READ})
    union all
    (select bound.attestation_id, bound.list_id
     from (
       select trail_id, template_name, commit_sha from artifact
       where org_id = ${ctx.org} and fingerprint = ${image} and template_name is not null
       order by receipt desc limit ${REPORTS_READ}
     ) as report
     join sbom as bound on bound.org_id = ${ctx.org} and bound.trail_id = report.trail_id
       and bound.fingerprint is null and bound.target_artifact = report.template_name
       and bound.commit_sha = report.commit_sha
     order by bound.attestation_id desc limit ${SBOMS_READ})`;
}

/** Artifacts that run now are counted up to here. */
const COUNTED_MAX = 10_000;

export interface SbomCoverage {
  readonly running: number;
  readonly without_sbom: number;
  readonly unidentified: number;
  readonly is_complete: boolean;
}

/** Counts what runs now in environments that are not archived, and how much of it has no SBOM. */
export async function readCoverage(ctx: Ctx): Promise<SbomCoverage> {
  const { rows } = await sql<{ running: number; without_sbom: number; unidentified: number; seen: number }>`
    with live as materialized (${liveFingerprints(ctx, '', COUNTED_MAX + 1)}), counted as (
      select fingerprint from live limit ${COUNTED_MAX}
    )
    select (select count(*) from live)::integer as seen,
      (select count(*) from counted)::integer as running,
      (select count(*) from counted where not exists (
        select from (${knownAs(ctx, 'counted.fingerprint')}) as image (fingerprint)
        cross join lateral (${sbomsOf(ctx, 'image.fingerprint')}) as bill))::integer as without_sbom,
      (select count(*) from (
        select from environment
        join running on running.org_id = ${ctx.org} and running.environment_id = environment.id
          and running.fingerprint = '' and running.until_index is null
        where environment.org_id = ${ctx.org} and environment.archived_at is null
        limit ${COUNTED_MAX}) as unidentified)::integer as unidentified`.execute(ctx.db);
  const [{ seen, ...counts } = { seen: 0, running: 0, without_sbom: 0, unidentified: 0 }] = rows;
  return { ...counts, is_complete: seen <= COUNTED_MAX && counts.unidentified < COUNTED_MAX };
}

/** Selects fingerprints of what runs now in environments that are not archived, in order, each once. */
function liveFingerprints(ctx: Ctx, after: string, limit: number): RawBuilder<unknown> {
  const live = sql`running.org_id = ${ctx.org} and running.until_index is null and running.fingerprint <> ''`;
  // Skips from one fingerprint to the next in the index: one may run in very many environments.
  return sql`
    with recursive step (fingerprint) as (
      (select running.fingerprint from running where ${live} and running.fingerprint > ${after}
       order by running.fingerprint limit 1)
      union all
      select (select running.fingerprint from running where ${live} and running.fingerprint > step.fingerprint
        order by running.fingerprint limit 1)
      from step where step.fingerprint is not null
    )
    select fingerprint from step
    where fingerprint is not null and exists (
      select from running
      join environment on environment.org_id = ${ctx.org} and environment.id = running.environment_id
      where ${live} and running.fingerprint = step.fingerprint and environment.archived_at is null)
    limit ${limit}`;
}

export async function listLiveFingerprints(ctx: Ctx, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ fingerprint: string }>`${liveFingerprints(ctx, after, limit)}`.execute(ctx.db);
  return rows.map(({ fingerprint }) => fingerprint);
}
