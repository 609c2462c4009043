import { complianceNow, type EnvironmentCompliance, type EnvironmentType, worstCompliance } from '@waymark/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import {
  ARRAY_MAX,
  type Cursor,
  cutSized,
  decodeCursor,
  encodeCursor,
  requireFitting,
} from '../../platform/db/paginate.ts';
import { bytesOfTags, isTagged } from '../../platform/db/tag-filter.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { readAttachedNames } from '../policies/attached.reads.ts';
import { type EnvironmentRow, findEnvironment, listActiveMembers } from './environment-row.reads.ts';
import { isOneOf, isStale, staleSince } from './environment-state.reads.ts';

export type { EnvironmentRow } from './environment-row.reads.ts';

/** A logical environment has the times of its members. */
export interface EnvironmentView extends EnvironmentRow {
  readonly tags: Record<string, string>;
  /** By name. */
  readonly policies: readonly string[];
  /** In the order in which they were given. */
  readonly included: readonly string[];
  readonly last_reported_at: Date | null;
  readonly stale_since: Date | null;
  /** The current state; `compliance` is that of the latest snapshot. */
  readonly compliance_now: EnvironmentCompliance;
}

export interface EnvironmentFilter {
  readonly nameContains: string | undefined;
  /** Any of these; all when empty. */
  readonly types: readonly EnvironmentType[];
  /** `key` or `key:value`; all must match. */
  readonly tags: readonly string[];
  /** Any of these; all when empty. */
  readonly compliances?: readonly EnvironmentCompliance[];
  readonly stale?: boolean | undefined;
  readonly sort: 'name' | 'last_modified_at' | 'last_changed_at';
  readonly direction: 'asc' | 'desc';
}

/** Also finds it by a former name. */
export async function findEnvironmentByName(ctx: Ctx, name: string): Promise<EnvironmentRow> {
  const environment = await findEnvironment(ctx.db, ctx.org, name);
  if (!environment) throw notFound('Environment', name);
  return environment;
}

/** Returns the members of a logical environment in the order in which they were given, without archived ones. */
export function listMembers(ctx: Ctx, logicalId: string): Promise<EnvironmentRow[]> {
  return listActiveMembers(ctx.db, ctx.org, logicalId);
}

/** Returns the environment itself or, for a logical one, its members by name: the order of events at the same time. */
export async function listPhysical(ctx: Ctx, environment: EnvironmentRow): Promise<EnvironmentRow[]> {
  if (environment.type !== 'logical') return [environment];
  return (await listMembers(ctx, environment.id)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function readEnvironment(ctx: Ctx, name: string): Promise<EnvironmentView> {
  const { id } = await findEnvironmentByName(ctx, name);
  const [view] = await listViews(ctx, [id]);
  if (!view) throw notFound('Environment', name);
  return view;
}

export async function countEnvironments(ctx: Ctx, filter: EnvironmentFilter): Promise<number> {
  const { total } = await matching(ctx, filter)
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export async function listEnvironmentPage(ctx: Ctx, filter: EnvironmentFilter, page: number, perPage: number) {
  const total = await countEnvironments(ctx, filter);
  const found = await sorted(ctx, filter)
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
  requireFitting(found);
  return { total, environments: await listViews(ctx, idsOf(found)) };
}

/** At most `limit` environments after the cursor, as many as fit, and the cursor of the rest, if any. */
export async function listEnvironmentsFrom(
  ctx: Ctx,
  filter: EnvironmentFilter,
  after: string | undefined,
  limit = ARRAY_MAX,
) {
  const found = await sorted(ctx, filter, after === undefined ? undefined : decodeCursor(after))
    .limit(limit + 1)
    .execute();
  const { shown, last } = cutSized(found, limit);
  const environments = await listViews(ctx, idsOf(shown));
  const end = last && environments.at(-1);
  return { environments, next: end && encodeCursor(cursorOf(end, filter)) };
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Environments that never changed come before every time. */
const NEVER = '-infinity';

function cursorOf(environment: EnvironmentView, { sort }: EnvironmentFilter): Cursor {
  const value = environment[sort];
  return { value: value instanceof Date ? value.toISOString() : (value ?? NEVER), name: environment.name };
}

function matching(ctx: Ctx, filter: EnvironmentFilter) {
  let query = ctx.db
    .selectFrom('environment')
    .where('environment.org_id', '=', ctx.org)
    .where('environment.archived_at', 'is', null);
  if (filter.nameContains !== undefined) {
    query = query.where(sql<SqlBool>`strpos(lower(environment.name), lower(${filter.nameContains})) > 0`);
  }
  if (filter.types.length > 0) query = query.where('environment.type', 'in', filter.types);
  for (const tag of filter.tags) query = query.where(isTagged(ctx.org, 'environment', 'environment.id', tag));
  const { compliances = [], stale } = filter;
  if (compliances.length > 0) query = query.where(isOneOf(ctx, compliances));
  if (stale !== undefined) query = query.where(sql<SqlBool>`${isStale(ctx)} = ${stale}`);
  return query;
}

function sorted(ctx: Ctx, filter: EnvironmentFilter, after?: Cursor) {
  const by = sortValue(filter.sort);
  const query = matching(ctx, filter)
    // PostgreSQL drops it from the plan when no column of it is selected, as it has at most one row for each
    // environment.
    .leftJoin(newestOfMembers(ctx).as('whole'), 'whole.logical_id', 'environment.id')
    .select('environment.id')
    .select(
      sql<number>`octet_length(environment.description) + ${bytesOfTags(ctx.org, 'environment', 'environment.id')}`.as(
        'bytes',
      ),
    )
    .orderBy(by, filter.direction)
    .orderBy('environment.name', filter.direction);
  if (!after) return query;
  const beyond = filter.direction === 'asc' ? sql.raw('>') : sql.raw('<');
  if (filter.sort === 'name') return query.where(sql<SqlBool>`environment.name ${beyond} ${after.name}`);
  return query.where(sql<SqlBool>`(${by}, environment.name) ${beyond} (${timeOf(after)}::timestamptz, ${after.name})`);
}

/** A logical environment changes when its members do, which no index covers. */
function newestOfMembers(ctx: Ctx) {
  return ctx.db
    .selectFrom('environment_member as member')
    .innerJoin('environment as physical', (join) =>
      join.onRef('physical.org_id', '=', 'member.org_id').onRef('physical.id', '=', 'member.physical_id'),
    )
    .select('member.logical_id')
    .select((newest) => newest.fn.max('physical.last_changed_at').as('last_changed_at'))
    .where('member.org_id', '=', ctx.org)
    .where('physical.archived_at', 'is', null)
    .groupBy('member.logical_id');
}

function sortValue(sort: EnvironmentFilter['sort']): RawBuilder<unknown> {
  if (sort !== 'last_changed_at') return sql.ref(`environment.${sort}`);
  return sql`coalesce(environment.last_changed_at, whole.last_changed_at, ${sql.lit(NEVER)})`;
}

function timeOf({ value }: Cursor): Date | typeof NEVER {
  if (value === NEVER) return NEVER;
  const at = new Date(value);
  // No environment was changed in a year beyond four digits, and some are out of range for the database.
  if (/^\d{4}-/.test(value) && !Number.isNaN(at.getTime())) return at;
  throw invalidField('query.after', 'is not a valid cursor of this list');
}

/** Returns views of these environments, in their order: one batch each for rows, tags, policies and members. */
export async function listViews(ctx: Ctx, ids: readonly string[]): Promise<EnvironmentView[]> {
  const rows = await listWithHeartbeat(ctx, ids);
  const tags = await listTags(ctx, ids);
  const policies = await readAttachedNames(ctx.db, ctx.org, ids);
  const logical = rows.filter(({ type }) => type === 'logical').map(({ id }) => id);
  const members = logical.length > 0 ? await listWholes(ctx, logical) : new Map<string, Whole>();
  const byId = new Map(
    rows.map((row) => [
      row.id,
      {
        ...row,
        compliance_now: complianceNow(row.compliance, row.stale_since !== null),
        included: [],
        ...members.get(row.id),
        tags: tags.get(row.id) ?? {},
        policies: policies.get(row.id) ?? [],
      },
    ]),
  );
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function listWithHeartbeat(ctx: Ctx, ids: readonly string[]) {
  return ctx.db
    .selectFrom('environment')
    .leftJoin('environment_heartbeat as beat', (join) =>
      join.onRef('beat.org_id', '=', 'environment.org_id').onRef('beat.environment_id', '=', 'environment.id'),
    )
    .selectAll('environment')
    .select('beat.last_reported_at')
    .select(staleSince(ctx).as('stale_since'))
    .where('environment.org_id', '=', ctx.org)
    .where(sql<SqlBool>`environment.id = any(${ids}::uuid[])`)
    .execute();
}

async function listTags(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Record<string, string>>> {
  const rows = await ctx.db
    .selectFrom('tag')
    .select('subject_id')
    .select(sql<Record<string, string>>`jsonb_object_agg(key, value)`.as('tags'))
    .where('org_id', '=', ctx.org)
    .where('subject_kind', '=', 'environment')
    .where(sql<SqlBool>`subject_id = any(${ids}::uuid[])`)
    .groupBy('subject_id')
    .execute();
  return new Map(rows.map(({ subject_id, tags }) => [subject_id, tags]));
}

type Whole = Pick<
  EnvironmentView,
  'included' | 'compliance' | 'compliance_now' | 'last_changed_at' | 'last_reported_at' | 'stale_since'
>;

/** The states of logical environments, from their active members. */
async function listWholes(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Whole>> {
  const rows = await ctx.db
    .selectFrom('environment_member as member')
    .innerJoin('environment', (join) =>
      join.onRef('environment.org_id', '=', 'member.org_id').onRef('environment.id', '=', 'member.physical_id'),
    )
    .leftJoin('environment_heartbeat as beat', (join) =>
      join.onRef('beat.org_id', '=', 'member.org_id').onRef('beat.environment_id', '=', 'member.physical_id'),
    )
    .select('member.logical_id')
    .select([
      sql<string[]>`array_agg(environment.name order by member.position, environment.name)`.as('included'),
      sql<EnvironmentCompliance[]>`array_agg(environment.compliance)`.as('compliances'),
      sql<boolean[]>`array_agg(${staleSince(ctx)} is not null)`.as('stale'),
      sql<Date | null>`max(environment.last_changed_at)`.as('last_changed_at'),
      sql<Date | null>`max(beat.last_reported_at)`.as('last_reported_at'),
      sql<Date | null>`min(${staleSince(ctx)})`.as('stale_since'),
    ])
    .where('member.org_id', '=', ctx.org)
    .where(sql<SqlBool>`member.logical_id = any(${ids}::uuid[])`)
    .where('environment.archived_at', 'is', null)
    .groupBy('member.logical_id')
    .execute();
  return new Map(
    rows.map(({ logical_id, compliances, stale, ...whole }) => {
      const now = compliances.map((compliance, i) => complianceNow(compliance, stale[i] ?? false));
      const worst = { compliance: worstCompliance(compliances), compliance_now: worstCompliance(now) };
      return [logical_id, { ...whole, ...worst }];
    }),
  );
}
