import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type ControlRow = Selectable<Tables['control']>;
export type ControlVersionRow = Selectable<Tables['control_version']>;

export function findControl(db: Db, org: string, identifier: string): Promise<ControlRow | undefined> {
  return db
    .selectFrom('control')
    .selectAll()
    .where('org_id', '=', org)
    .where('identifier', '=', identifier)
    .executeTakeFirst();
}

/** Locks the identifier of a control until the transaction ends, whether or not it exists. */
export async function lockControl(db: Db, org: string, identifier: string): Promise<ControlRow | undefined> {
  await lockSubject(db, org, 'control', identifier);
  return findControl(db, org, identifier);
}

export function insertControl(db: Db, control: Insertable<Tables['control']>): Promise<ControlRow> {
  return db.insertInto('control').values(control).returningAll().executeTakeFirstOrThrow();
}

/** Every change of a control goes through here, so that its revision counts its journal entries. */
export function updateControl(db: Db, control: ControlRow, change: Updateable<Tables['control']>): Promise<ControlRow> {
  return db
    .updateTable('control')
    .set({ ...change, revision: control.revision + 1 })
    .where('org_id', '=', control.org_id)
    .where('id', '=', control.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function insertVersion(db: Db, version: Insertable<Tables['control_version']>): Promise<void> {
  await db.insertInto('control_version').values(version).execute();
}
