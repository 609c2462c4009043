import { ED25519, formatSigningKey, signingKey } from '@waymark/transparency';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { directoryObjects } from '../../src/platform/blobs/directory-objects.ts';
import type { ObjectStore } from '../../src/platform/blobs/object-store.ts';
import type { Db } from '../../src/platform/db/db.ts';
import type { Installation } from './installation.ts';

/** The settings of an installation that signs its ledger. */
export async function signingEnv(keyNumber = 1): Promise<Readonly<Record<string, string>>> {
  return { WAYMARK_LEDGER_KEY: formatSigningKey(await signingKey('test', ED25519, Buffer.alloc(32, keyNumber))) };
}

export function objectsOf({ env }: Pick<Installation, 'env'>): ObjectStore {
  return directoryObjects({ root: env['WAYMARK_BLOB_DIR'] ?? '' });
}

/** How many entries no signed checkpoint covers. */
export async function countUnsigned(db: Db): Promise<number> {
  const { rows } = await sql<{ unsigned: number }>`
    select (select count(*) from journal) - coalesce(sum(signed.size), 0)::bigint as unsigned
    from org_log_checkpoint as signed where signed.org_id is not null and signed.epoch = (select epoch from sealer)`.execute(
    db,
  );
  return rows[0]?.unsigned ?? Number.NaN;
}

export async function untilSigned(db: Db): Promise<void> {
  await expect.poll(() => countUnsigned(db), { timeout: 90_000, interval: 100 }).toBe(0);
}

export async function countCheckpoints(db: Db, epoch = 1): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from region_checkpoint where epoch = ${epoch}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function stoppedBecause(db: Db): Promise<string | null> {
  const { rows } = await sql<{ stopped_because: string | null }>`select stopped_because from sealer`.execute(db);
  return rows[0]?.stopped_because ?? null;
}
