import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { ImageClaim } from './image-claim.service.ts';

/**
 * Locks the row of the index, so that reports of it are serialized. Returns false when a newer one named its platforms.
 */
export async function upsertIndex(db: Db, org: string, index: string, receipt: number): Promise<boolean> {
  const { rows } = await sql`
    insert into image_index (org_id, fingerprint, receipt) values (${org}, ${index}, ${receipt})
    on conflict (org_id, fingerprint) do update set receipt = excluded.receipt
      where image_index.receipt < excluded.receipt
    returning fingerprint`.execute(db);
  return rows.length > 0;
}

export async function upsertPlatforms(db: Db, org: string, claim: ImageClaim, receipt: number): Promise<void> {
  const fingerprints = claim.platforms.map(({ fingerprint }) => fingerprint);
  await sql`
    insert into image_platform (org_id, index_fingerprint, platform_fingerprint, platform, receipt, is_listed)
    select ${org}::uuid, ${claim.index}::text, fingerprint, platform, ${receipt}::bigint, true
    from unnest(${fingerprints}::text[], ${claim.platforms.map(({ platform }) => platform)}::text[])
      as listed (fingerprint, platform)
    on conflict (org_id, index_fingerprint, platform_fingerprint) do update
      set platform = excluded.platform, receipt = excluded.receipt, is_listed = true`.execute(db);
  await sql`
    update image_platform set is_listed = false
    where org_id = ${org} and index_fingerprint = ${claim.index} and is_listed
      and platform_fingerprint <> all(${fingerprints}::text[])`.execute(db);
}
