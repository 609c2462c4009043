import {
  COSIGNATURE,
  cosign,
  formatCosignatures,
  formatVerifierKey,
  parseNote,
  parsePolicy,
  signerOf,
  signingKey,
  type TrustPolicy,
} from '@waymark/transparency';
import { sql } from 'kysely';
import type { Db } from '../../src/platform/db/db.ts';
import { givenSealedLedger, LOG_NAME } from './sealed.ts';

const WITNESSES = ['auditor', 'customer'] as const;

const witnessKey = (number: number) =>
  signingKey(`${WITNESSES[number]}.example`, COSIGNATURE, Buffer.alloc(32, number + 2));

/** The name of the log, and two witnesses that both have to cosign it. */
export async function givenWitnessed(): Promise<{ name: string; witnesses: TrustPolicy }> {
  const lines = await Promise.all(
    WITNESSES.map(
      async (name, i) => `witness ${name} ${formatVerifierKey(await witnessKey(i))} https://${name}.example`,
    ),
  );
  return {
    name: LOG_NAME,
    witnesses: parsePolicy(`${lines.join('\n')}\ngroup both all ${WITNESSES.join(' ')}\nquorum both\n`),
  };
}

/** Seals all that was recorded, and has the witnesses cosign it, as if at this time. */
export async function sealCosigned(db: Db, at: Date): Promise<void> {
  await db.updateTable('sealer').set({ has_key: true }).execute();
  await (await givenSealedLedger(db)).seal();
  await sql`update region_log set began_at = ${at}`.execute(db);
  await sql`update region_checkpoint set signed_at = ${at}`.execute(db);
  const newest = db.selectFrom('region_checkpoint').selectAll().orderBy('number', 'desc').limit(1);
  const { epoch, number, note, size } = await newest.executeTakeFirstOrThrow();
  for (const [i, name] of WITNESSES.entries()) {
    const key = await witnessKey(i);
    const of = { verifier_key: formatVerifierKey(key), epoch, cosigned_at: at };
    const seconds = Math.floor(at.getTime() / 1000);
    const line = formatCosignatures([await cosign(parseNote(note).text, signerOf(key), seconds)]);
    await db
      .insertInto('witness')
      .values({ ...of, name, size, url: `https://${name}.example` })
      .execute();
    await db
      .insertInto('checkpoint_cosignature')
      .values({ ...of, number, line })
      .execute();
  }
}
