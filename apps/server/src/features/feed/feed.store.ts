import type { Selectable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';

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

/** The last number given out, and the first that is still kept. */
export async function findFeedBounds(db: Db, org: string): Promise<{ head: number; oldest: number | undefined }> {
  const head = await db.selectFrom('feed_head').select('position').where('org_id', '=', org).executeTakeFirst();
  const oldest = await db
    .selectFrom('feed_event')
    .select('position')
    .where('org_id', '=', org)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  return { head: head?.position ?? 0, oldest: oldest?.position };
}
