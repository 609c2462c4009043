import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import {
  ARRAY_MAX,
  type Cursor,
  cutSized,
  decodeCursor,
  encodeCursor,
  requireFitting,
  type SizedRow,
} from '../../platform/db/paginate.ts';
import { bytesOfTags, isTagged } from '../../platform/db/tag-filter.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { type FlowRow, findFlow } from './flow.store.ts';

export interface FlowView extends FlowRow {
  readonly tags: Record<string, string>;
}

export interface FlowFilter {
  readonly nameContains: string | undefined;
  readonly caseSensitive: boolean;
  /** `key` or `key:value`; all must match. */
  readonly tags: readonly string[];
  readonly sort: 'name' | 'latest_activity';
  readonly direction: 'asc' | 'desc';
}

export async function readFlow(ctx: Ctx, name: string): Promise<FlowView> {
  const flow = await findFlow(ctx.db, ctx.org, name);
  if (!flow) throw notFound('Flow', name);
  const tags = await ctx.db
    .selectFrom('tag')
    .select(['key', 'value'])
    .where('org_id', '=', ctx.org)
    .where('subject_kind', '=', 'flow')
    .where('subject_id', '=', flow.id)
    .orderBy('key')
    .execute();
  return { ...flow, tags: Object.fromEntries(tags.map((tag) => [tag.key, tag.value])) };
}

export async function countFlows(ctx: Ctx, filter: FlowFilter): Promise<number> {
  const { total } = await matching(ctx, filter)
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export async function listFlowPage(ctx: Ctx, filter: FlowFilter, page: number, perPage: number) {
  const total = await countFlows(ctx, filter);
  const places = await sorted(ctx, filter)
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
  requireFitting(places);
  return { total, flows: await withTags(ctx, filter, places) };
}

/** Returns at most `limit` flows after the cursor, as many as fit, and the cursor of the rest, if any. */
export async function listFlowsFrom(ctx: Ctx, filter: FlowFilter, after: string | undefined, limit = ARRAY_MAX) {
  const places = await sorted(ctx, filter, after === undefined ? undefined : decodeCursor(after))
    .limit(limit + 1)
    .execute();
  const { shown, last } = cutSized(places, limit);
  return { flows: await withTags(ctx, filter, shown), next: last && encodeCursor(cursorOf(last, filter)) };
}

function cursorOf(flow: FlowPlace, filter: FlowFilter): Cursor {
  return { value: filter.sort === 'name' ? flow.name : flow.latest_activity_at.toISOString(), name: flow.name };
}

type FlowPlace = SizedRow & Pick<FlowView, 'name' | 'latest_activity_at'>;

function matching(ctx: Ctx, filter: FlowFilter) {
  let query = ctx.db.selectFrom('flow').where('flow.org_id', '=', ctx.org).where('flow.archived_at', 'is', null);
  if (filter.nameContains !== undefined) {
    query = filter.caseSensitive
      ? query.where(sql<SqlBool>`strpos(flow.name, ${filter.nameContains}) > 0`)
      : query.where(sql<SqlBool>`strpos(lower(flow.name), lower(${filter.nameContains})) > 0`);
  }
  for (const tag of filter.tags) query = query.where(isTagged(ctx.org, 'flow', 'flow.id', tag));
  return query;
}

function sorted(ctx: Ctx, filter: FlowFilter, after?: Cursor) {
  const column = filter.sort === 'name' ? 'flow.name' : 'flow.latest_activity_at';
  let query = matching(ctx, filter)
    .select(['flow.id', 'flow.name', 'flow.latest_activity_at'])
    .select(
      sql<number>`coalesce(octet_length(flow.template), 255 * cardinality(flow.template_names), 0)
        + octet_length(flow.description) + ${bytesOfTags(ctx.org, 'flow', 'flow.id')}`.as('bytes'),
    )
    .orderBy(column, filter.direction);
  if (filter.sort !== 'name') query = query.orderBy('flow.name', filter.direction);
  if (!after) return query;
  const beyond = filter.direction === 'asc' ? sql.raw('>') : sql.raw('<');
  if (filter.sort === 'name') return query.where(sql<SqlBool>`flow.name ${beyond} ${after.name}`);
  const at = new Date(after.value);
  // No flow was active in a year of five digits, and the database cannot hold some of them.
  if (!/^\d{4}-/.test(after.value) || Number.isNaN(at.getTime()))
    throw invalidField('query.after', 'is not a valid cursor of this list');
  return query.where(sql<SqlBool>`(flow.latest_activity_at, flow.name) ${beyond} (${at}, ${after.name})`);
}

function withTags(ctx: Ctx, filter: FlowFilter, places: readonly SizedRow[]): Promise<FlowView[]> {
  const ids = places.map(({ id }) => id);
  return ctx.db
    .selectFrom('flow')
    .selectAll('flow')
    .select(
      sql<Record<string, string>>`coalesce((
        select jsonb_object_agg(tag.key, tag.value) from tag
        where tag.org_id = flow.org_id and tag.subject_kind = 'flow' and tag.subject_id = flow.id
      ), '{}')`.as('tags'),
    )
    .where('flow.org_id', '=', ctx.org)
    .where(sql<SqlBool>`flow.id = any(${ids}::uuid[])`)
    .orderBy(filter.sort === 'name' ? 'flow.name' : 'flow.latest_activity_at', filter.direction)
    .orderBy('flow.name', filter.direction)
    .execute();
}
