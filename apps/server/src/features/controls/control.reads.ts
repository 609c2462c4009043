import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { ARRAY_MAX } from '../../platform/db/paginate.ts';
import { isTagged } from '../../platform/db/tag-filter.ts';
import { notFound } from '../../platform/errors.ts';
import { type ControlRow, type ControlVersionRow, findControl } from './control.store.ts';

export interface ControlView extends ControlRow {
  readonly tags: Record<string, string>;
  readonly policies: string[];
}

export interface ControlFilter {
  /** Part of the name or the identifier. */
  readonly contains: string | undefined;
  /** `key` or `key:value`; all must match. */
  readonly tags: readonly string[];
  readonly archived: boolean;
}

export interface PageOf {
  readonly page: number;
  readonly perPage: number;
  readonly direction: 'asc' | 'desc';
}

/** The control, or the 404. */
export async function requireControl(ctx: Ctx, identifier: string): Promise<ControlRow> {
  const control = await findControl(ctx.db, ctx.org, identifier);
  if (!control) throw notFound('Control', identifier);
  return control;
}

export async function readControl(ctx: Ctx, identifier: string): Promise<ControlView> {
  const control = await views(ctx).where('control.identifier', '=', identifier).executeTakeFirst();
  if (!control) throw notFound('Control', identifier);
  return control;
}

export async function listControlPage(
  ctx: Ctx,
  filter: ControlFilter,
  { page, perPage, direction, sort }: PageOf & { readonly sort: 'name' | 'identifier' },
): Promise<{ total: number; controls: ControlView[] }> {
  const { total } = await matching(ctx, filter)
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const ids = matching(ctx, filter)
    .select('control.id')
    .orderBy(`control.${sort}`, direction)
    .orderBy('control.identifier', direction)
    .limit(perPage)
    .offset((page - 1) * perPage);
  const controls = await views(ctx)
    .where('control.id', 'in', ids)
    .orderBy(`control.${sort}`, direction)
    .orderBy('control.identifier', direction)
    .execute();
  return { total, controls };
}

function matching(ctx: Ctx, { contains, tags, archived }: ControlFilter) {
  let query = ctx.db
    .selectFrom('control')
    .where('control.org_id', '=', ctx.org)
    .where('control.archived_at', archived ? 'is not' : 'is', null);
  if (contains !== undefined) {
    query = query.where(
      sql<SqlBool>`(strpos(lower(control.name), lower(${contains})) > 0
        or strpos(lower(control.identifier), lower(${contains})) > 0)`,
    );
  }
  for (const tag of tags) query = query.where(isTagged(ctx.org, 'control', 'control.id', tag));
  return query;
}

function views(ctx: Ctx) {
  return ctx.db
    .selectFrom('control')
    .selectAll('control')
    .select([
      sql<Record<string, string>>`coalesce((
        select jsonb_object_agg(tag.key, tag.value) from tag
        where tag.org_id = control.org_id and tag.subject_kind = 'control' and tag.subject_id = control.id
      ), '{}')`.as('tags'),
      sql<string[]>`array(
        select policy.name from policy
        join policy_version as latest on latest.org_id = policy.org_id and latest.policy_id = policy.id
          and latest.version = policy.version
        where policy.org_id = control.org_id and policy.archived_at is null
          and latest.controls @> array[control.identifier]
        order by policy.name
      )`.as('policies'),
    ])
    .where('control.org_id', '=', ctx.org);
}

export async function listVersionPage(
  ctx: Ctx,
  control: ControlRow,
  { page, perPage, direction }: PageOf,
): Promise<ControlVersionRow[]> {
  return versionsOf(ctx, control)
    .orderBy('version', direction)
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
}

export async function readVersion(ctx: Ctx, control: ControlRow, version: number): Promise<ControlVersionRow> {
  const found = await versionsOf(ctx, control).where('version', '=', version).executeTakeFirst();
  if (!found) throw notFound(`Control '${control.identifier}', version`, String(version));
  return found;
}

function versionsOf(ctx: Ctx, control: ControlRow) {
  return ctx.db
    .selectFrom('control_version')
    .selectAll()
    .where('org_id', '=', ctx.org)
    .where('control_id', '=', control.id);
}

/** The tag keys of controls, each with its values. */
export async function listControlTags(ctx: Ctx): Promise<{ key: string; values: string[] }[]> {
  const rows = await ctx.db
    .selectFrom('tag')
    .select(['key', 'value'])
    .distinct()
    .where('org_id', '=', ctx.org)
    .where('subject_kind', '=', 'control')
    .orderBy('key')
    .orderBy('value')
    .limit(ARRAY_MAX)
    .execute();
  return [...Map.groupBy(rows, (row) => row.key)].map(([key, tags]) => ({ key, values: tags.map((tag) => tag.value) }));
}
