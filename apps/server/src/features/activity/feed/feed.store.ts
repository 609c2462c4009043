import type { Selectable } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Tables } from '../../../platform/db/tables.ts';

export type FeedRow = Selectable<Tables['feed_event']>;

export function listFeedAfter(db: Db, org: string, position: number, limit: number): Promise<FeedRow[]> {
  return db
    .selectFrom('feed_event')
    .selectAll()
    .where('org_id', '=', org)
    .where('position', '>', position)
    .orderBy('position')
    .limit(limit)
    .execute();
}

export interface FeedBounds {
  /** The last number given out. */
  readonly head: number;
  /** The first that is still stored. */
  readonly oldest: number | undefined;
}

export async function findFeedBounds(db: Db, org: string): Promise<FeedBounds> {
  const { head, oldest } = await db
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('feed_head').select('position').where('org_id', '=', org).as('head'),
      selectFrom('feed_event').select('position').where('org_id', '=', org).orderBy('position').limit(1).as('oldest'),
    ])
    .executeTakeFirstOrThrow();
  return { head: head ?? 0, oldest: oldest ?? undefined };
}
