import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { isTagged } from '../../platform/db/tag-filter.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import type { RepositoryRow } from './repo.store.ts';

const CANDIDATES = 10;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface RepositoryView extends RepositoryRow {
  readonly tags: Record<string, string>;
}

export interface RepositoryFilter {
  readonly name: string | undefined;
  readonly nameContains: string | undefined;
  readonly provider: string | undefined;
  readonly externalId: string | undefined;
  /** `key` or `key:value`; all must match. */
  readonly tags: readonly string[];
}

/** Ids of the repositories with this name, or the 404. */
export async function findRepositoryIds(ctx: Ctx, name: string): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('repository')
    .select('id')
    .where('org_id', '=', ctx.org)
    .where('name', '=', name)
    .limit(100)
    .execute();
  if (rows.length === 0) throw notFound('Repository', name);
  return rows.map((row) => row.id);
}

export async function readRepositoryById(ctx: Ctx, id: string): Promise<RepositoryView> {
  const found = await findById(ctx, id);
  if (!found) throw notFound('Repository', id);
  return found;
}

/**
 * Returns the repository of this name. Several are refused, listing what distinguishes them. If a provider is given,
 * they are one repository that was recreated, and the most recently used one counts.
 */
export async function readRepositoryByName(
  ctx: Ctx,
  name: string,
  provider: string | undefined,
): Promise<RepositoryView> {
  if (provider === undefined) return onlyOne(await listByName(ctx, name), name, 'query.provider');
  const [usedLast] = await views(ctx)
    .where('repository.name', '=', name)
    .where('repository.provider', '=', provider)
    .orderBy(usedAt(ctx), 'desc')
    .orderBy('repository.id', 'desc')
    .limit(1)
    .execute();
  if (!usedLast) throw notFound('Repository', name);
  return usedLast;
}

/** By our id or, when no other has it, by name. */
export async function findRepository(ctx: Ctx, idOrName: string): Promise<RepositoryView> {
  return (await findById(ctx, idOrName)) ?? onlyOne(await listByName(ctx, idOrName), idOrName, 'id');
}

async function findById(ctx: Ctx, id: string): Promise<RepositoryView | undefined> {
  if (!UUID.test(id)) return undefined;
  return views(ctx).where('repository.id', '=', id).executeTakeFirst();
}

/** When the newest artifact of a repository was reported, or the repository was first reported. */
function usedAt(ctx: Ctx) {
  return sql`greatest(repository.created_at, (
    select artifact.created_at from artifact
    where artifact.org_id = ${ctx.org} and artifact.repository_id = repository.id
    order by artifact.receipt desc limit 1))`;
}

function listByName(ctx: Ctx, name: string): Promise<RepositoryView[]> {
  return views(ctx)
    .where('repository.name', '=', name)
    .orderBy('repository.id')
    .limit(CANDIDATES + 1)
    .execute();
}

function onlyOne(found: readonly RepositoryView[], name: string, field: string): RepositoryView {
  const [first, second] = found;
  if (!first) throw notFound('Repository', name);
  if (!second) return first;
  const shown = found.slice(0, CANDIDATES).map(({ provider, id }) => `${provider ?? 'no provider'} (id ${id})`);
  const more = found.length > CANDIDATES ? ', …' : '';
  throw invalid(`More than one repository is named '${name}': select one by its provider or its id`, {
    [field]: `matches ${shown.join(', ')}${more}`,
  });
}

export async function listRepositoryPage(
  ctx: Ctx,
  filter: RepositoryFilter,
  direction: 'asc' | 'desc',
  page: number,
  perPage: number,
): Promise<{ total: number; repositories: RepositoryView[] }> {
  const { total } = await matching(ctx, filter)
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const ids = matching(ctx, filter)
    .select('repository.id')
    .orderBy('repository.name', direction)
    .orderBy('repository.id', direction)
    .limit(perPage)
    .offset((page - 1) * perPage);
  const repositories = await views(ctx)
    .where('repository.id', 'in', ids)
    .orderBy('repository.name', direction)
    .orderBy('repository.id', direction)
    .execute();
  return { total, repositories };
}

function matching(ctx: Ctx, filter: RepositoryFilter) {
  let query = ctx.db.selectFrom('repository').where('repository.org_id', '=', ctx.org);
  if (filter.name !== undefined) query = query.where('repository.name', '=', filter.name);
  if (filter.nameContains !== undefined) {
    query = query.where(sql<SqlBool>`strpos(lower(repository.name), lower(${filter.nameContains})) > 0`);
  }
  if (filter.provider !== undefined) query = query.where('repository.provider', '=', filter.provider);
  if (filter.externalId !== undefined) query = query.where('repository.external_id', '=', filter.externalId);
  for (const tag of filter.tags) query = query.where(isTagged(ctx.org, 'repository', 'repository.id', tag));
  return query;
}

function views(ctx: Ctx) {
  return ctx.db
    .selectFrom('repository')
    .selectAll('repository')
    .select(
      sql<Record<string, string>>`coalesce((
        select jsonb_object_agg(tag.key, tag.value) from tag
        where tag.org_id = repository.org_id and tag.subject_kind = 'repository' and tag.subject_id = repository.id
      ), '{}')`.as('tags'),
    )
    .where('repository.org_id', '=', ctx.org);
}
