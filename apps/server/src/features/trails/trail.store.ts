import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type TrailRow = Selectable<Tables['trail']>;

export function lockTrailName(db: Db, org: string, flowId: string, name: string): Promise<void> {
  return lockSubject(db, org, 'trail', `${flowId} ${name}`);
}

export function findTrail(db: Db, org: string, flowId: string, name: string): Promise<TrailRow | undefined> {
  return db
    .selectFrom('trail')
    .selectAll()
    .where('org_id', '=', org)
    .where('flow_id', '=', flowId)
    .where('name', '=', name)
    .executeTakeFirst();
}

export function insertTrail(db: Db, trail: Insertable<Tables['trail']>): Promise<TrailRow> {
  return db.insertInto('trail').values(trail).returningAll().executeTakeFirstOrThrow();
}

/** Every change of a trail goes through here, so that its revision counts its journal entries. */
export async function updateTrail(db: Db, trail: TrailRow, change: Updateable<Tables['trail']>): Promise<number> {
  const revision = trail.revision + 1;
  await db
    .updateTable('trail')
    .set({ ...change, revision })
    .where('org_id', '=', trail.org_id)
    .where('id', '=', trail.id)
    .execute();
  return revision;
}

export async function insertTrailEvent(db: Db, event: Insertable<Tables['trail_event']>): Promise<void> {
  await db.insertInto('trail_event').values(event).execute();
}

export async function insertTrailCommit(
  db: Db,
  org: string,
  trail: Pick<TrailRow, 'id' | 'receipt'>,
  commit: string,
): Promise<void> {
  await db
    .insertInto('trail_commit')
    .values({ org_id: org, commit_sha: commit, trail_receipt: trail.receipt, trail_id: trail.id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
