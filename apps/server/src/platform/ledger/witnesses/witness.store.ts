import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { NewestCheckpoint } from '../newest-checkpoint.ts';

/** A witness that is asked for cosignatures. */
export interface AskedWitness {
  /** In the policy. */
  readonly name: string;
  /** Its verifier key, which stands for the witness in the database. */
  readonly verifierKey: string;
  readonly url: string;
}

/** What a witness cosigned last, as far as is known here. */
export interface LastCosigned {
  readonly verifierKey: string;
  readonly epoch: number;
  readonly size: number;
}

/** Makes the rows of witnesses those of the policy. What is known of one that stays is kept. */
export async function replaceWitnesses(db: Db, witnesses: readonly AskedWitness[]): Promise<void> {
  const keys = witnesses.map(({ verifierKey }) => verifierKey);
  const names = witnesses.map(({ name }) => name);
  const urls = witnesses.map(({ url }) => url);
  await sql`
    with removed as (
      delete from witness where verifier_key <> all (${keys}::text[])
    )
    insert into witness (verifier_key, name, url)
    select * from unnest(${keys}::text[], ${names}::text[], ${urls}::text[])
    on conflict (verifier_key) do update set name = excluded.name, url = excluded.url`.execute(db);
}

export async function listLastCosigned(db: Db): Promise<LastCosigned[]> {
  const { rows } = await sql<LastCosigned>`
    select verifier_key as "verifierKey", epoch, size from witness`.execute(db);
  return rows;
}

export interface Cosignature {
  /** With its newline. */
  readonly line: string;
  readonly cosignedAt: Date;
}

export async function insertCosignature(
  db: Db,
  verifierKey: string,
  { epoch, number, size, signedAt }: NewestCheckpoint,
  { line, cosignedAt }: Cosignature,
): Promise<void> {
  await sql`
    with stored as (
      insert into checkpoint_cosignature (epoch, number, verifier_key, line, cosigned_at)
      values (${epoch}, ${number}, ${verifierKey}, ${line}, ${cosignedAt})
      on conflict do nothing returning verifier_key
    )
    update witness set epoch = ${epoch}, size = ${size}, cosigned_at = ${cosignedAt}, failed_at = null, error = null,
      contradicts = false, cosignatures = cosignatures + (select count(*) from stored),
      delay_ms = delay_ms + (select count(*) from stored)
        * greatest(0, extract(epoch from clock_timestamp() - ${signedAt}::timestamptz) * 1000)::bigint
    where verifier_key = ${verifierKey}`.execute(db);
}

/** A contradiction stays until the witness cosigns again: that it cannot be reached then says nothing new. */
export async function updateFailure(
  db: Db,
  verifierKey: string,
  { error, contradicts }: { readonly error: string; readonly contradicts: boolean },
): Promise<void> {
  await sql`
    update witness set failed_at = clock_timestamp(), failures = failures + 1,
      error = case when contradicts and not ${contradicts}::boolean then error else ${error} end,
      contradicts = contradicts or ${contradicts}
    where verifier_key = ${verifierKey}`.execute(db);
}

/** Whether this log has signed a checkpoint of this size. */
export async function findSignedSize(db: Db, epoch: number, size: number): Promise<boolean> {
  const { rows } = await sql`select from region_checkpoint where epoch = ${epoch} and size = ${size}`.execute(db);
  return rows.length > 0;
}
