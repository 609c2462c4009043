import type { Ctx } from '../../../platform/ctx.ts';
import { invalidField } from '../../../platform/errors.ts';
import { type EnvironmentRow, listPhysical } from '../../environments/environment.reads.ts';
import { type Cut, type EventKey, listKeys, listMergedKeys, listRepositoryKeys } from './event-key.reads.ts';
import { type EventRange, type PhysicalEnvironment, readRanges } from './event-range.reads.ts';
import { type WindowQuery, windowOf } from './event-window.ts';

/** Everything before a page of a merged list has to be merged as well. */
export const MERGED_MAX = 100_000;

interface PageQuery extends WindowQuery {
  readonly page: number;
  readonly perPage: number;
  readonly oldestFirst: boolean;
  /** Any of these; all when empty. */
  readonly repositories: readonly string[];
}

export async function listPage(
  ctx: Ctx,
  environment: EnvironmentRow,
  query: PageQuery,
): Promise<{ total: number; keys: EventKey[]; watched: readonly PhysicalEnvironment[] }> {
  const isLogical = environment.type === 'logical';
  const { page, perPage, oldestFirst, repositories } = query;
  if (isLogical && page * perPage > MERGED_MAX) {
    throw invalidField(
      'query.page',
      `is beyond the first ${MERGED_MAX} events; limit the period with start_ts or end_ts`,
    );
  }
  const window = windowOf(query, ctx.now(), isLogical ? null : environment.snapshot_count);
  const watched = await listPhysical(ctx, environment);
  const ranges = await readRanges(ctx, watched, window);
  const cut = { offset: (page - 1) * perPage, limit: perPage, oldestFirst };
  if (repositories.length > 0) return { ...(await listRepositoryKeys(ctx, ranges, repositories, cut)), watched };
  const total = ranges.reduce((sum, { before, upto }) => sum + upto - before, 0);
  const [only] = ranges;
  const keys = isLogical || !only ? await listMergedKeys(ctx, ranges, cut) : await listOwnKeys(ctx, only, cut);
  return { total, keys, watched };
}

/** The place in the list is the number of the event. */
async function listOwnKeys(ctx: Ctx, range: EventRange, { offset, limit, oldestFirst }: Cut): Promise<EventKey[]> {
  const { environment, before, upto } = range;
  if (oldestFirst) {
    const after = before + offset;
    return listKeys(ctx, environment.id, after, Math.min(upto, after + limit));
  }
  const last = upto - offset;
  return (await listKeys(ctx, environment.id, Math.max(before, last - limit), last)).reverse();
}
