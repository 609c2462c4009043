import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type ErasureRow = Selectable<Tables['erasure']>;

export interface ErasableAttestation extends Selectable<Tables['attestation']> {
  readonly flow_name: string;
  readonly trail_name: string;
}

export async function lockAttestation(db: Db, org: string, id: string): Promise<ErasableAttestation | undefined> {
  const { rows } = await sql<ErasableAttestation>`
    select attestation.*, flow.name as flow_name, trail.name as trail_name from attestation
    join trail on trail.org_id = attestation.org_id and trail.id = attestation.trail_id
    join flow on flow.org_id = attestation.org_id and flow.id = attestation.flow_id
    where attestation.org_id = ${org} and attestation.id = ${id}
    for update of attestation`.execute(db);
  return rows[0];
}

export async function insertErasure(db: Db, erasure: Insertable<Tables['erasure']>): Promise<void> {
  await db.insertInto('erasure').values(erasure).execute();
}
