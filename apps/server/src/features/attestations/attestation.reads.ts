import { type SqlBool, sql } from 'kysely';
import { RE2JS } from 're2js';
import type { Ctx } from '../../platform/ctx.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { findTrailByName } from '../trails/trail.reads.ts';
import type { AttestationRow } from './attestation.store.ts';

/** The most that a list without pages holds. */
const LIST_MAX = 1_000;
const NAMES_MAX = 10_000;

export interface AttestationView extends AttestationRow {
  readonly flow_name: string;
  readonly trail_name: string;
}

export interface AttestationFilter {
  readonly id?: string;
  readonly names?: readonly string[];
  readonly flowIds?: readonly string[];
  /** `custom` means every custom type. */
  readonly types?: readonly string[];
  readonly isCompliant?: boolean;
  readonly from?: Date;
  readonly to?: Date;
  readonly commits?: readonly string[];
  readonly trailId?: string;
}

function matching(ctx: Ctx, filter: AttestationFilter) {
  let query = ctx.db.selectFrom('attestation').where('attestation.org_id', '=', ctx.org);
  if (filter.id) query = query.where('attestation.id', '=', filter.id);
  if (filter.names) query = query.where('attestation.name', 'in', filter.names);
  if (filter.flowIds) query = query.where('attestation.flow_id', 'in', filter.flowIds);
  if (filter.trailId) query = query.where('attestation.trail_id', '=', filter.trailId);
  if (filter.commits) query = query.where('attestation.commit_sha', 'in', filter.commits);
  if (filter.isCompliant !== undefined) query = query.where('attestation.is_compliant', '=', filter.isCompliant);
  if (filter.from) query = query.where('attestation.created_at', '>=', filter.from);
  if (filter.to) query = query.where('attestation.created_at', '<=', filter.to);
  return filter.types ? query.where(typeIn(filter.types)) : query;
}

function typeIn(types: readonly string[]) {
  const exact = types.filter((type) => type !== 'custom');
  if (exact.length === types.length) return sql<SqlBool>`attestation.type = any(${exact}::text[])`;
  // A range, so that the index is of use: after custom: comes custom;
  return sql<SqlBool>`(attestation.type = any(${exact}::text[])
    or (attestation.type >= 'custom:' and attestation.type < 'custom;'))`;
}

/** The newest that match, before a receipt if one is given. */
export function listAttestations(
  ctx: Ctx,
  filter: AttestationFilter,
  limit: number,
  before?: number,
  offset = 0,
): Promise<AttestationView[]> {
  let query = matching(ctx, filter);
  if (before !== undefined) query = query.where('attestation.receipt', '<', before);
  return query
    .innerJoin('trail', (join) =>
      join.onRef('trail.org_id', '=', 'attestation.org_id').onRef('trail.id', '=', 'attestation.trail_id'),
    )
    .innerJoin('flow', (join) =>
      join.onRef('flow.org_id', '=', 'attestation.org_id').onRef('flow.id', '=', 'attestation.flow_id'),
    )
    .selectAll('attestation')
    .select(['trail.name as trail_name', 'flow.name as flow_name'])
    .orderBy('attestation.receipt', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function listOfTrail(ctx: Ctx, flowName: string, trailName: string, name?: string) {
  const { trail } = await findTrailByName(ctx, flowName, trailName);
  return listAttestations(ctx, { trailId: trail.id, ...(name !== undefined && { names: [name] }) }, LIST_MAX);
}

/** By its fingerprint, and by the name and commit under which it was reported. */
export async function listOfArtifact(
  ctx: Ctx,
  about: { trailIds: readonly string[]; fingerprint: string; named: readonly (readonly [string, string])[] },
  name: string | undefined,
): Promise<AttestationView[]> {
  const found = await Promise.all(
    about.trailIds.map((trailId) =>
      listAttestations(ctx, { trailId, ...(name !== undefined && { names: [name] }) }, LIST_MAX),
    ),
  );
  const isNamed = (row: AttestationView) =>
    !row.fingerprint &&
    about.named.some(([target, commit]) => row.target_artifact === target && row.commit_sha === commit);
  return found
    .flat()
    .filter((row) => row.fingerprint === about.fingerprint || isNamed(row))
    .sort((a, b) => b.receipt - a.receipt);
}

export function listForCommits(ctx: Ctx, filter: AttestationFilter & { commits: readonly string[] }) {
  return listAttestations(ctx, filter, LIST_MAX);
}

/** The one with this id in this trail, or the 404. */
export async function readOfTrail(ctx: Ctx, flowName: string, trailName: string, id: string): Promise<AttestationView> {
  const { trail } = await findTrailByName(ctx, flowName, trailName);
  const [row] = await listAttestations(ctx, { id, trailId: trail.id }, 1);
  if (!row) throw notFound('Attestation', id);
  return row;
}

/**
 * The names in use that a pattern fits. The pattern runs here, in linear time, over names that are read by hopping
 * through their index, and never in the database.
 */
export async function findNames(ctx: Ctx, pattern: string): Promise<string[]> {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    throw invalidField('query.name_regex', `is no regular expression in RE2 syntax: ${(error as Error).message}`);
  }
  const { rows } = await sql<{ name: string }>`
    with recursive hop (name, number) as (
      (select name, 1 from attestation where org_id = ${ctx.org} order by name limit 1)
      union all
      select (select name from attestation where org_id = ${ctx.org} and name > hop.name order by name limit 1),
        number + 1
      from hop where hop.name is not null and number < ${NAMES_MAX}
    )
    select name from hop where name is not null`.execute(ctx.db);
  return rows.map((row) => row.name).filter((name) => compiled.matcher(name).find());
}
