import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';

/** An image that is rebuilt every night with the same digest is in very many indexes; the newest count. */
export const INDEXES_READ = 100;

export interface ImagePlatform {
  readonly index_fingerprint: string;
  readonly platform_fingerprint: string;
  readonly platform: string;
}

/** Reads the platforms of image indexes, in the order of their names. */
export const listPlatforms = statement<{ org_id: string; fingerprints: readonly string[] }, ImagePlatform>(
  'list_image_platforms',
  `select index_fingerprint, platform_fingerprint, platform from image_platform
   where org_id = :org_id and index_fingerprint = any(:fingerprints::text[]) and is_listed
   order by index_fingerprint, platform, platform_fingerprint`,
);

export interface ListedImage {
  readonly fingerprint: string;
  readonly platform: string;
  readonly index_fingerprint: string;
  /** Platforms of the same index whose images were reported. */
  readonly reported: readonly string[];
}

/** The newest index that lists each of these images. */
export const listListedImages = statement<{ org_id: string; fingerprints: readonly string[] }, ListedImage>(
  'list_listed_images',
  `select asked.fingerprint, image.platform, image.index_fingerprint, array(
     select sibling.platform from image_platform as sibling
     where sibling.org_id = :org_id and sibling.index_fingerprint = image.index_fingerprint and sibling.is_listed
       and exists (select from artifact
         where artifact.org_id = :org_id and artifact.fingerprint = sibling.platform_fingerprint)
     order by sibling.platform) as reported
   from unnest(:fingerprints::text[]) as asked (fingerprint)
   cross join lateral (
     select platform, index_fingerprint from image_platform
     where org_id = :org_id and platform_fingerprint = asked.fingerprint and is_listed
     order by receipt desc limit 1
   ) as image`,
);

/** Lists fingerprints of images known as or through an index that begin with some digits. */
export async function listImageMatches(ctx: Ctx, prefix: string, limit: number): Promise<string[]> {
  const inRange = (column: string) =>
    sql`org_id = ${ctx.org} and ${sql.ref(column)} >= ${prefix} and ${sql.ref(column)} < ${`${prefix}g`} and is_listed`;
  const { rows } = await sql<{ match: string }>`
    select match from (
      (select distinct platform_fingerprint as match from image_platform where ${inRange('platform_fingerprint')}
       order by match limit ${limit})
      union
      (select distinct index_fingerprint from image_platform where ${inRange('index_fingerprint')}
       order by 1 limit ${limit})
    ) as image order by match limit ${limit}`.execute(ctx.db);
  return rows.map((row) => row.match);
}

/**
 * Returns the artifacts that each of these fingerprints is related to: the indexes that list an image, and the images
 * that an index lists. Fingerprints without any are left out.
 */
export async function readRelatives(
  ctx: Ctx,
  fingerprints: readonly string[],
): Promise<ReadonlyMap<string, readonly { readonly fingerprint: string; readonly platform: string }[]>> {
  if (fingerprints.length === 0) return new Map();
  const { rows } = await sql<{ asked: string; fingerprint: string; platform: string }>`
    select asked.fingerprint as asked, relative.fingerprint, relative.platform
    from unnest(${[...new Set(fingerprints)]}::text[]) as asked (fingerprint)
    cross join lateral (
      (select index_fingerprint as fingerprint, platform from image_platform
       where org_id = ${ctx.org} and platform_fingerprint = asked.fingerprint and is_listed
       order by receipt desc limit ${INDEXES_READ})
      union all
      (select platform_fingerprint, platform from image_platform
       where org_id = ${ctx.org} and index_fingerprint = asked.fingerprint and is_listed)
    ) as relative`.execute(ctx.db);
  return Map.groupBy(rows, (row) => row.asked);
}
