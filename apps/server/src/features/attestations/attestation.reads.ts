import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { cutSized, type Moment, requireFitting, type SizedRow } from '../../platform/db/paginate.ts';
import { notFound } from '../../platform/errors.ts';
import { findTrailByName } from '../trails/trail.reads.ts';
import type { AttestationRow } from './attestation.store.ts';

/** With more values, matches are common, and found fastest by walking back through time. */
const BRANCHES_MAX = 100;

export interface AttestationView extends AttestationRow {
  readonly flow_name: string;
  readonly trail_name: string;
}

export interface AttestationFilter {
  readonly id?: string;
  readonly names?: readonly string[];
  readonly flowIds?: readonly string[];
  readonly types?: readonly string[];
  readonly isCompliant?: boolean;
  readonly from?: Date;
  readonly to?: Date;
  readonly commits?: readonly string[];
  readonly trailIds?: readonly string[];
  /** By its fingerprint, or by the names and commits under which it was reported. */
  readonly artifact?: { readonly fingerprint: string; readonly named: readonly (readonly [string, string])[] };
  /** Older than this one. */
  readonly before?: Moment;
}

/** Returns the newest matches, as many as fit, and the cursor of the rest, if any. */
export async function listAttestationsFrom(
  ctx: Ctx,
  filter: AttestationFilter,
  limit: number,
): Promise<{ attestations: AttestationView[]; next: Moment | undefined }> {
  const { shown, last } = cutSized(await listPlaces(ctx, filter, limit + 1), limit);
  return {
    attestations: await readPlaces(ctx, shown),
    next: last && { at: last.created_at, receipt: last.receipt },
  };
}

/** Counts the matches up to `most`. */
export async function countAttestations(ctx: Ctx, filter: AttestationFilter, most: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::integer as total from (${newestOf(ctx, filter, most)}) as attestation`.execute(ctx.db);
  return rows[0]?.total ?? 0;
}

export async function listAttestationPage(
  ctx: Ctx,
  filter: AttestationFilter,
  page: number,
  perPage: number,
): Promise<AttestationView[]> {
  const places = await listPlaces(ctx, filter, perPage, (page - 1) * perPage);
  requireFitting(places);
  return readPlaces(ctx, places);
}

interface AttestationPlace extends SizedRow {
  readonly created_at: Date;
  readonly receipt: number;
}

/** PostgreSQL knows the size of a text without reading it. */
async function listPlaces(ctx: Ctx, filter: AttestationFilter, limit: number, offset = 0): Promise<AttestationPlace[]> {
  const { rows } = await sql<AttestationPlace>`
    select id, created_at, receipt, coalesce(octet_length(content), 0) + octet_length(verdict) as bytes
    from (${newestOf(ctx, filter, limit + offset)}) as attestation
    order by created_at desc, receipt desc limit ${limit} offset ${offset}`.execute(ctx.db);
  return rows;
}

async function readPlaces(ctx: Ctx, places: readonly AttestationPlace[]): Promise<AttestationView[]> {
  if (places.length === 0) return [];
  const { rows } = await sql<AttestationView>`
    select attestation.*, trail.name as trail_name, flow.name as flow_name
    from attestation
    join trail on trail.org_id = attestation.org_id and trail.id = attestation.trail_id
    join flow on flow.org_id = attestation.org_id and flow.id = attestation.flow_id
    where attestation.org_id = ${ctx.org} and attestation.id = any(${places.map(({ id }) => id)}::uuid[])
    order by attestation.created_at desc, attestation.receipt desc`.execute(ctx.db);
  return rows;
}

interface Alternatives {
  readonly column: 'name' | 'flow_id' | 'type' | 'commit_sha';
  readonly values: readonly string[];
}

/**
 * With several values of a column, each is read separately from the index that is ordered by time, and the newest of
 * all are taken: one scan for `column = any(…)` would have to sort, or to skip everything else.
 */
function newestOf(ctx: Ctx, filter: AttestationFilter, limit: number): RawBuilder<unknown> {
  const alternatives = alternativesOf(filter);
  const several = alternatives.find(({ values }) => values.length > 1 && values.length <= BRANCHES_MAX);
  const others = alternatives.filter((one) => one !== several).map(anyOf);
  const where = sql.join([...fixedConditions(ctx, filter), ...others], sql` and `);
  const newest = sql`order by created_at desc, receipt desc limit ${limit}`;
  if (!several) return sql`select * from attestation where ${where} ${newest}`;
  const column = sql.ref(several.column);
  return sql`
    select found.* from unnest(${[...new Set(several.values)]}::${sql.raw(typeOf(several))}[]) as wanted (value)
    cross join lateral (
      select * from attestation where ${where} and ${column} = wanted.value ${newest}
    ) as found`;
}

function alternativesOf({ names, flowIds, types, commits }: AttestationFilter): Alternatives[] {
  return [
    ...(commits ? [{ column: 'commit_sha' as const, values: commits }] : []),
    ...(names ? [{ column: 'name' as const, values: names }] : []),
    ...(types ? [{ column: 'type' as const, values: types }] : []),
    ...(flowIds ? [{ column: 'flow_id' as const, values: flowIds }] : []),
  ];
}

function anyOf({ column, values }: Alternatives): RawBuilder<unknown> {
  const [first] = values;
  if (values.length === 1) return sql`${sql.ref(column)} = ${first}`;
  return sql`${sql.ref(column)} = any(${values}::${sql.raw(typeOf({ column }))}[])`;
}

function typeOf({ column }: Pick<Alternatives, 'column'>): 'uuid' | 'text' {
  return column === 'flow_id' ? 'uuid' : 'text';
}

function fixedConditions(ctx: Ctx, filter: AttestationFilter): RawBuilder<unknown>[] {
  const { id, trailIds, artifact, isCompliant, from, to, before } = filter;
  return [
    sql`org_id = ${ctx.org}`,
    ...(id === undefined ? [] : [sql`id = ${id}`]),
    ...(trailIds === undefined ? [] : [sql`trail_id = any(${trailIds}::uuid[])`]),
    ...(artifact === undefined ? [] : [isAbout(artifact)]),
    ...(isCompliant === undefined ? [] : [sql`is_compliant = ${isCompliant}`]),
    ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`created_at <= ${to}`]),
    ...(before === undefined ? [] : [sql`(created_at, receipt) < (${before.at}, ${before.receipt})`]),
  ];
}

function isAbout({ fingerprint, named }: NonNullable<AttestationFilter['artifact']>): RawBuilder<unknown> {
  const names = named.map(([name]) => name);
  const commits = named.map(([, commit]) => commit);
  return sql`(fingerprint = ${fingerprint} or fingerprint is null and (target_artifact, commit_sha) in (
    select * from unnest(${names}::text[], ${commits}::text[])))`;
}

/** Returns the attestation with this id in this trail, or throws a 404. */
export async function readOfTrail(ctx: Ctx, flowName: string, trailName: string, id: string): Promise<AttestationView> {
  const { trail } = await findTrailByName(ctx, flowName, trailName);
  const [row] = await listAttestationPage(ctx, { id, trailIds: [trail.id] }, 1, 1);
  if (!row) throw notFound('Attestation', id);
  return row;
}

/** Values per statement; other requests are served between two of them. */
const VALUES_READ = 1_000;

/** The custom types in use. */
export async function findCustomTypes(ctx: Ctx): Promise<string[]> {
  const prefix = 'custom:';
  const found: string[] = [];
  for await (const types of distinctValues(ctx, 'type', prefix)) {
    const custom = types.filter((type) => type.startsWith(prefix));
    found.push(...custom);
    if (custom.length < types.length) break;
  }
  return found;
}

/** Yields the values of a column from `first` on, in batches, by skipping through its index. */
export async function* distinctValues(ctx: Ctx, column: 'name' | 'type', first: string): AsyncGenerator<string[]> {
  const value = sql.ref(column);
  for (let start = sql`${value} >= ${first}`; ; ) {
    const { rows } = await sql<{ value: string }>`
      with recursive hop (value, number) as (
        (select ${value}, 1 from attestation where org_id = ${ctx.org} and ${start} order by ${value} limit 1)
        union all
        select (select ${value} from attestation where org_id = ${ctx.org} and ${value} > hop.value order by ${value} limit 1),
          number + 1
        from hop where hop.value is not null and number < ${VALUES_READ}
      )
      select value from hop where value is not null`.execute(ctx.db);
    yield rows.map((row) => row.value);
    const last = rows.at(-1);
    if (!last || rows.length < VALUES_READ) return;
    start = sql`${value} > ${last.value}`;
  }
}
