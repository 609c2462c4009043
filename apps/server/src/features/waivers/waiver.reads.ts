import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import {
  ARRAY_MAX,
  type Cursor,
  cutSized,
  decodeCursor,
  encodeCursor,
  type SizedRow,
} from '../../platform/db/paginate.ts';
import { invalidField } from '../../platform/errors.ts';
import { findEnvironmentByName, listPhysical } from '../environments/environment.reads.ts';
import { findUnended, type WaiverRow } from './waiver.store.ts';

export interface WaiverView extends WaiverRow {
  readonly environment_name: string;
}

export interface WaiverFilter {
  /** A logical environment selects its members; all when absent. */
  readonly environmentName: string | undefined;
  /** Includes ended ones. */
  readonly ended: boolean;
}

/** Newest first: at most `limit` after the cursor, and the cursor of the rest, if any. */
export async function listWaiversFrom(ctx: Ctx, filter: WaiverFilter, after: string | undefined, limit = ARRAY_MAX) {
  let query = (await matching(ctx, filter))
    .select(['waiver.id', 'waiver.created_at'])
    .select(sql<number>`octet_length(waiver.description) + octet_length(waiver.artifact_name)`.as('bytes'))
    .orderBy('waiver.created_at', 'desc')
    .orderBy('waiver.id', 'desc')
    .limit(limit + 1);
  if (after !== undefined) {
    const { at, id } = placeOf(decodeCursor(after));
    query = query.where(sql<SqlBool>`(waiver.created_at, waiver.id) < (${at}, ${id}::uuid)`);
  }
  const { shown, last } = cutSized(await query.execute(), limit);
  return {
    waivers: await readWaivers(ctx, shown),
    next: last && encodeCursor({ value: last.created_at.toISOString(), name: last.id }),
  };
}

export async function countWaivers(ctx: Ctx, filter: WaiverFilter): Promise<number> {
  const { total } = await (await matching(ctx, filter))
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

async function matching(ctx: Ctx, filter: WaiverFilter) {
  let query = ctx.db
    .selectFrom('waiver')
    .innerJoin('environment', (join) =>
      join.onRef('environment.org_id', '=', 'waiver.org_id').onRef('environment.id', '=', 'waiver.environment_id'),
    )
    .where('waiver.org_id', '=', ctx.org);
  if (filter.environmentName !== undefined) {
    const physical = await listPhysical(ctx, await findEnvironmentByName(ctx, filter.environmentName));
    const ids = physical.map(({ id }) => id);
    query = query.where(sql<SqlBool>`waiver.environment_id = any(${ids}::uuid[])`);
  }
  if (!filter.ended) {
    query = query
      .where('environment.archived_at', 'is', null)
      .where('waiver.ended_at', 'is', null)
      .where((is) => is.or([is('waiver.expires_at', 'is', null), is('waiver.expires_at', '>', ctx.now())]));
  }
  return query;
}

/** Returns the active waiver for an artifact in an environment, or undefined. */
export async function findWaiver(
  ctx: Ctx,
  environmentName: string,
  fingerprint: string,
): Promise<WaiverView | undefined> {
  const { id, name } = await findEnvironmentByName(ctx, environmentName);
  const waiver = await findUnended(ctx.db, ctx.org, id, fingerprint);
  if (!waiver || (waiver.expires_at && waiver.expires_at <= ctx.now())) return undefined;
  return { ...waiver, environment_name: name };
}

function readWaivers(ctx: Ctx, places: readonly SizedRow[]): Promise<WaiverView[]> {
  return ctx.db
    .selectFrom('waiver')
    .innerJoin('environment', (join) =>
      join.onRef('environment.org_id', '=', 'waiver.org_id').onRef('environment.id', '=', 'waiver.environment_id'),
    )
    .selectAll('waiver')
    .select('environment.name as environment_name')
    .where('waiver.org_id', '=', ctx.org)
    .where(sql<SqlBool>`waiver.id = any(${places.map(({ id }) => id)}::uuid[])`)
    .orderBy('waiver.created_at', 'desc')
    .orderBy('waiver.id', 'desc')
    .execute();
}

function placeOf({ value, name: id }: Cursor): { at: Date; id: string } {
  const at = new Date(value);
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  // No waiver was created in a year of five digits, and the database cannot hold some of them.
  if (isUuid && /^\d{4}-/.test(value) && !Number.isNaN(at.getTime())) return { at, id };
  throw invalidField('query.after', 'is not a valid cursor of this list');
}
