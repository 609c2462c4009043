import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import type { Tables } from '../../../platform/db/tables.ts';

export type TypeRow = Selectable<Tables['custom_attestation_type']>;
export type TypeVersionRow = Selectable<Tables['custom_attestation_type_version']>;

/**
 * Serializes changes to the types of one name, also before the first exists. Taken before anything is written, so that
 * journal entries are in the order of the changes.
 */
export function lockName(db: Db, org: string, name: string): Promise<void> {
  return lockSubject(db, org, 'attestation_type', name);
}

export function findActive(db: Db, org: string, name: string): Promise<TypeRow | undefined> {
  return db
    .selectFrom('custom_attestation_type')
    .selectAll()
    .where('org_id', '=', org)
    .where('name', '=', name)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
}

export async function insertType(db: Db, row: Insertable<Tables['custom_attestation_type']>): Promise<void> {
  await db.insertInto('custom_attestation_type').values(row).execute();
}

/** Every change of a type goes through here, so that its revision counts its journal entries. */
export async function updateType(
  db: Db,
  type: TypeRow,
  change: { description?: string; archived_at?: Date; last_modified_at: Date },
): Promise<number> {
  const revision = type.revision + 1;
  await db
    .updateTable('custom_attestation_type')
    .set({ ...change, revision })
    .where('org_id', '=', type.org_id)
    .where('id', '=', type.id)
    .execute();
  return revision;
}

export async function insertVersion(db: Db, row: Insertable<Tables['custom_attestation_type_version']>): Promise<void> {
  await db.insertInto('custom_attestation_type_version').values(row).execute();
}
