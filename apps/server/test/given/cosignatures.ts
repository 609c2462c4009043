import {
  COSIGNATURE,
  cosign,
  formatCosignatures,
  formatVerifierKey,
  parsePolicy,
  parseSignedCheckpoint,
  type SigningKey,
  signerOf,
  signingKey,
  type TrustPolicy,
} from '@waymark/transparency';
import { sql } from 'kysely';
import type { Db } from '../../src/platform/db/db.ts';

export interface GivenWitness {
  readonly name: string;
  readonly key: SigningKey;
}

/** Witnesses without a server, whose keys are the same in every run. */
export function givenWitnesses(...names: string[]): Promise<GivenWitness[]> {
  return Promise.all(
    names.map(async (name, i) => ({
      name,
      key: await signingKey(`${name}.example/w`, COSIGNATURE, Buffer.alloc(32, 100 + i)),
    })),
  );
}

/** A policy that needs the cosignatures of all. */
export function policyOf(witnesses: readonly GivenWitness[]): TrustPolicy {
  const lines = witnesses.map(({ name, key }) => `witness ${name} ${formatVerifierKey(key)} https://${name}.example\n`);
  const names = witnesses.map(({ name }) => name).join(' ');
  return parsePolicy(`${lines.join('')}group every all ${names}\nquorum every\n`);
}

/** Stores the cosignature of a witness on a checkpoint, as if it had just arrived; on the newest one unless given. */
export async function givenCosignature(
  db: Db,
  { name, key }: GivenWitness,
  given: { epoch?: number; number?: number } = {},
): Promise<void> {
  const { epoch = 1, number = null } = given;
  const { rows } = await sql<{ number: number; size: number; note: string; signed_at: Date }>`
    select number, size, note, signed_at from region_checkpoint
    where epoch = ${epoch} and number = coalesce(${number}::bigint, number) order by number desc limit 1`.execute(db);
  const [checkpoint] = rows;
  if (!checkpoint) throw new Error(`epoch ${epoch} has no checkpoint ${number ?? ''}`);
  const seconds = Math.floor(checkpoint.signed_at.getTime() / 1000) + 1;
  const signature = await cosign(parseSignedCheckpoint(checkpoint.note).note.text, signerOf(key), seconds);
  const verifierKey = formatVerifierKey(key);
  const at = new Date(seconds * 1000);
  await sql`
    insert into checkpoint_cosignature (epoch, number, verifier_key, line, cosigned_at)
    values (${epoch}, ${checkpoint.number}, ${verifierKey}, ${formatCosignatures([signature])}, ${at})`.execute(db);
  await sql`
    insert into witness (verifier_key, name, url, epoch, size, cosigned_at, cosignatures)
    values (${verifierKey}, ${name}, ${`https://${name}.example`}, ${epoch}, ${checkpoint.size}, ${at}, 1)
    on conflict (verifier_key) do update
    set epoch = excluded.epoch, size = excluded.size, cosigned_at = excluded.cosigned_at`.execute(db);
}

/** As if no witness had cosigned anything. */
export async function givenNoCosignatures(db: Db): Promise<void> {
  await sql`truncate checkpoint_cosignature, witness`.execute(db);
}
