import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type LinkRow = Selectable<Tables['sign_in_link']>;

export async function insertLink(db: Db, link: Insertable<Tables['sign_in_link']>): Promise<void> {
  await db.insertInto('sign_in_link').values(link).execute();
}

export function findLinkById(db: Db, id: string): Promise<LinkRow | undefined> {
  return db.selectFrom('sign_in_link').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findLinkByHash(db: Db, hash: Buffer): Promise<LinkRow | undefined> {
  return byHash(db, hash).executeTakeFirst();
}

export function lockLinkByHash(db: Db, hash: Buffer): Promise<LinkRow | undefined> {
  return byHash(db, hash).forUpdate().executeTakeFirst();
}

function byHash(db: Db, hash: Buffer) {
  return db.selectFrom('sign_in_link').selectAll().where(sql<boolean>`hashes @> array[${hash}]::bytea[]`);
}

export async function addHash(db: Db, id: string, hash: Buffer): Promise<void> {
  await db
    .updateTable('sign_in_link')
    .set({ hashes: sql`array_append(hashes, ${hash}::bytea)` })
    .where('id', '=', id)
    .execute();
}

export async function markUsed(db: Db, id: string, at: Date): Promise<void> {
  await db.updateTable('sign_in_link').set({ used_at: at }).where('id', '=', id).execute();
}
