import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { invalid } from '../../platform/errors.ts';
import { listImageMatches } from './image.reads.ts';

const MATCHES_SHOWN = 10;
/** One more than is shown, to know whether there are more. */
export const MATCHES_READ = MATCHES_SHOWN + 1;
const FINGERPRINT_LENGTH = 64;

export function isWholeFingerprint(fingerprint: string): boolean {
  return fingerprint.length === FINGERPRINT_LENGTH;
}

interface Flow {
  readonly id: string;
  readonly name: string;
}

interface FingerprintPlace {
  /** The field that has the digits. */
  readonly field: string;
  readonly flow?: Flow | undefined;
  /** Also matches what runs or has a waiver in this environment. */
  readonly environment?: { readonly id: string } | undefined;
}

/**
 * Returns the fingerprint that begins with these digits, or undefined. A whole one is returned as it is. An ambiguous
 * prefix is refused with up to ten matches.
 */
export async function findFingerprint(ctx: Ctx, prefix: string, place: FingerprintPlace): Promise<string | undefined> {
  if (isWholeFingerprint(prefix)) return prefix;
  const { field, flow, environment } = place;
  const limit = MATCHES_READ;
  const reported = await listMatches(ctx, flow?.id, 'fingerprint', prefix, limit);
  const present = environment ? await listPresent(ctx.db, ctx.org, environment.id, prefix, ctx.now(), limit) : [];
  const listed = flow
    ? (await listIndexMatches(ctx, flow.id, prefix, limit)).map(({ asked }) => asked)
    : await listImageMatches(ctx, prefix, limit);
  const matches = [...new Set([...reported, ...present, ...listed])].sort();
  return onlyMatch(matches, prefix, { field, what: 'fingerprint', place: flow ? ` in flow '${flow.name}'` : '' });
}

export interface Lookup {
  /** The field that has the digits. */
  readonly field: string;
  readonly what: 'fingerprint' | 'commit';
  /** Where the search was made, as the end of a message. */
  readonly place: string;
}

/** Returns the only match, or undefined. */
export function onlyMatch(
  matches: readonly string[],
  prefix: string,
  { field, what, place }: Lookup,
): string | undefined {
  if (matches.length <= 1) return matches[0];
  const shown = matches.slice(0, MATCHES_SHOWN).join(', ');
  const more = matches.length > MATCHES_SHOWN ? ', …' : '';
  throw invalid(`'${prefix}' matches more than one ${what}${place}: ${shown}${more}`, {
    [field]: `matches ${shown}${more}`,
  });
}

/** Lists distinct fingerprints or commits that begin with some digits, of a flow or of the whole org. */
export async function listMatches(
  { db, org }: Ctx,
  flowId: string | undefined,
  column: 'fingerprint' | 'commit_sha',
  prefix: string,
  limit: number,
): Promise<string[]> {
  const found = sql.ref(column);
  const inFlow = flowId === undefined ? sql`` : sql`and flow_id = ${flowId}`;
  const { rows } = await sql<{ match: string }>`
    select distinct ${found} as match from artifact
    where org_id = ${org} and ${found} >= ${prefix} and ${found} < ${`${prefix}g`} ${inFlow}
    order by match limit ${limit}`.execute(db);
  return rows.map((row) => row.match);
}

/** Lists platform images that begin with some digits, each with the newest index of the flow that lists it. */
export async function listIndexMatches(
  { db, org }: Ctx,
  flowId: string,
  prefix: string,
  limit: number,
): Promise<{ asked: string; fingerprint: string }[]> {
  const { rows } = await sql<{ asked: string; fingerprint: string }>`
    select distinct on (image.platform_fingerprint) image.platform_fingerprint as asked,
      image.index_fingerprint as fingerprint
    from image_platform as image
    cross join lateral (
      select receipt from artifact
      where org_id = ${org} and fingerprint = image.index_fingerprint and flow_id = ${flowId}
      order by receipt desc limit 1
    ) as report
    where image.org_id = ${org} and image.is_listed
      and image.platform_fingerprint >= ${prefix} and image.platform_fingerprint < ${`${prefix}g`}
    order by image.platform_fingerprint, report.receipt desc limit ${limit}`.execute(db);
  return rows;
}

/** Returns fingerprints that begin with these digits and run or have a waiver in an environment. */
async function listPresent(
  db: Db,
  org: string,
  environmentId: string,
  prefix: string,
  now: Date,
  limit: number,
): Promise<string[]> {
  const begins = sql`fingerprint >= ${prefix} and fingerprint < ${`${prefix}g`}`;
  const { rows } = await sql<{ fingerprint: string }>`
    select fingerprint from running
    where org_id = ${org} and environment_id = ${environmentId} and until_index is null and ${begins}
    union
    select fingerprint from waiver
    where org_id = ${org} and environment_id = ${environmentId} and ended_at is null and ${begins}
      and (expires_at is null or expires_at > ${now})
    order by fingerprint limit ${limit}`.execute(db);
  return rows.map((row) => row.fingerprint);
}
