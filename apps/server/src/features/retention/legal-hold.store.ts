import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { type ListPlace, PAGE_MAX } from './list-place.ts';

export type LegalHoldRow = Selectable<Tables['legal_hold']>;

export function findInPlace(db: Db, org: string, name: string): Promise<LegalHoldRow | undefined> {
  return db
    .selectFrom('legal_hold')
    .selectAll()
    .where('org_id', '=', org)
    .where('name', '=', name)
    .where('lifted_at', 'is', null)
    .executeTakeFirst();
}

export function findHold(db: Db, org: string, id: string): Promise<LegalHoldRow | undefined> {
  return db.selectFrom('legal_hold').selectAll().where('org_id', '=', org).where('id', '=', id).executeTakeFirst();
}

export async function countInPlace(db: Db, org: string): Promise<number> {
  const { count } = await db
    .selectFrom('legal_hold')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('org_id', '=', org)
    .where('lifted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function insertHold(db: Db, hold: Insertable<Tables['legal_hold']>): Promise<LegalHoldRow> {
  return db.insertInto('legal_hold').values(hold).returningAll().executeTakeFirstOrThrow();
}

export interface Lift {
  readonly lifted_at: Date;
  readonly lifted_by: string;
  readonly lift_reason: string;
}

export function updateToLifted(db: Db, org: string, id: string, lift: Lift): Promise<LegalHoldRow | undefined> {
  return db
    .updateTable('legal_hold')
    .set(lift)
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where('lifted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Newest first, one more than fits on a page. */
export function listHolds(
  db: Db,
  org: string,
  { lifted, after }: { readonly lifted: boolean; readonly after: ListPlace | undefined },
): Promise<LegalHoldRow[]> {
  let query = db
    .selectFrom('legal_hold')
    .selectAll()
    .where('org_id', '=', org)
    .orderBy('placed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(PAGE_MAX + 1);
  if (!lifted) query = query.where('lifted_at', 'is', null);
  if (after) query = query.where(sql<SqlBool>`(placed_at, id) < (${after.at}, ${after.id}::uuid)`);
  return query.execute();
}
