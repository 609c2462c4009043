import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type RepositoryRow = Selectable<Tables['repository']>;

export function findByIdentity(db: Db, org: string, identity: string): Promise<RepositoryRow | undefined> {
  return db
    .selectFrom('repository')
    .selectAll()
    .where('org_id', '=', org)
    .where('identity', '=', identity)
    .executeTakeFirst();
}

/** Inserts the repository, or updates the one with its identity. */
export async function upsertRepository(db: Db, repository: Insertable<Tables['repository']>): Promise<string> {
  const { org_id: _org, id: _id, identity: _identity, created_at: _created, ...changes } = repository;
  const { id } = await db
    .insertInto('repository')
    .values(repository)
    .onConflict((conflict) => conflict.columns(['org_id', 'identity']).doUpdateSet(changes))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export function lockRepository(db: Db, org: string, id: string): Promise<RepositoryRow | undefined> {
  return db
    .selectFrom('repository')
    .selectAll()
    .where('org_id', '=', org)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Every journaled change goes through here, so that the revision counts the entries. */
export async function updateRepository(
  db: Db,
  repository: RepositoryRow,
  change: Updateable<Tables['repository']>,
): Promise<number> {
  const revision = repository.revision + 1;
  await db
    .updateTable('repository')
    .set({ ...change, revision })
    .where('org_id', '=', repository.org_id)
    .where('id', '=', repository.id)
    .execute();
  return revision;
}
