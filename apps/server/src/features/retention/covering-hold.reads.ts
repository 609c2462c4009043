import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { conflict } from '../../platform/errors.ts';

/** What is to be erased: evidence in a trail, an entry about an environment, or one that belongs to no trail. */
export type ToErase =
  | { readonly kind: 'in_trail'; readonly trailId: string }
  | { readonly kind: 'of_environment'; readonly environmentId: string }
  | { readonly kind: 'of_org' };

/** Refuses to erase what is under a legal hold. Call it with `lockKeeping`. `what` begins a sentence. */
export async function requireNoHold(ctx: Ctx, what: string, about: ToErase): Promise<void> {
  const hold = await findCoveringHold(ctx, about);
  if (hold)
    throw conflict(`${what} can't be erased: it is under legal hold '${hold.name}'. Ask an admin to lift it first`);
}

interface CoveringHold {
  readonly id: string;
  readonly name: string;
}

/**
 * Returns the oldest hold in place that covers it. A hold on an artifact covers the trails in which the artifact was
 * reported, and so does one on an environment for each artifact that ever ran there: evidence about one platform image
 * counts for its index, and the reverse. What belongs to no trail may be needed to understand what is held, so every
 * hold covers it; an entry about an environment is left out only by holds on other environments.
 */
async function findCoveringHold(ctx: Ctx, about: ToErase): Promise<CoveringHold | undefined> {
  const { rows } = await sql<CoveringHold>`
    select hold.id, hold.name from legal_hold as hold
    where hold.org_id = ${ctx.org} and hold.lifted_at is null and ${covers(ctx, about)}
    order by hold.placed_at, hold.id limit 1`.execute(ctx.db);
  return rows[0];
}

function covers(ctx: Ctx, about: ToErase) {
  if (about.kind === 'of_org') return sql`true`;
  if (about.kind === 'of_environment')
    return sql`(hold.subject_kind <> 'environment' or hold.subject_id = ${about.environmentId}::uuid)`;
  const reported = sql`
    select fingerprint from artifact where artifact.org_id = ${ctx.org} and artifact.trail_id = ${about.trailId}::uuid
    union
    select fingerprint from attestation where attestation.org_id = ${ctx.org}
      and attestation.trail_id = ${about.trailId}::uuid and attestation.fingerprint is not null`;
  const fingerprints = sql`(
    ${reported}
    union
    select image.index_fingerprint from image_platform as image where image.org_id = ${ctx.org}
      and image.platform_fingerprint in (${reported})
    union
    select image.platform_fingerprint from image_platform as image where image.org_id = ${ctx.org}
      and image.index_fingerprint in (${reported}))`;
  return sql`(
    hold.subject_kind = 'org'
    or hold.subject_kind = 'trail' and hold.subject_id = ${about.trailId}::uuid
    or hold.subject_kind = 'artifact' and hold.fingerprint in ${fingerprints}
    or hold.subject_kind = 'environment' and exists (
      select from running where running.org_id = ${ctx.org} and running.environment_id = hold.subject_id
        and running.fingerprint <> '' and running.fingerprint in ${fingerprints}))`;
}
