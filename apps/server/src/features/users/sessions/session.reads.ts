import { type Selectable, sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Tables } from '../../../platform/db/tables.ts';
import { SESSION_IDLE_MS, SESSION_MAX_MS, sessionBounds } from '../../../platform/http/session-cookie.ts';
import { listOwnOrgs, type OwnOrg } from '../../orgs/org.reads.ts';

export type SessionRow = Pick<
  Selectable<Tables['session']>,
  'id' | 'method' | 'address' | 'user_agent' | 'created_at' | 'last_seen_at'
>;

const MAX_LISTED = 1_000;

/**
 * The valid sessions of the acting user, newest first. Someone who came through the identity provider of an org sees
 * only sessions that came the same way.
 */
export function listSessions(ctx: Ctx): Promise<SessionRow[]> {
  const { seenAfter, begunAfter } = sessionBounds(ctx.now());
  const onlyOrg = ctx.credential?.onlyOrg ?? null;
  return ctx.db
    .selectFrom('session')
    .select(['id', 'method', 'address', 'user_agent', 'created_at', 'last_seen_at'])
    .where('user_id', '=', ctx.actor.id)
    .where('revoked_at', 'is', null)
    .where('last_seen_at', '>', seenAfter)
    .where('created_at', '>', begunAfter)
    .$if(onlyOrg !== null, (query) => query.where('only_org_id', '=', onlyOrg))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_LISTED)
    .execute();
}

export function endOf({ created_at, last_seen_at }: SessionRow): Date {
  return new Date(Math.min(last_seen_at.getTime() + SESSION_IDLE_MS, created_at.getTime() + SESSION_MAX_MS));
}

export interface EnterableOrg extends OwnOrg {
  /** Whether it requires another sign-in first, through its identity provider. */
  readonly sso_required: boolean;
}

/** The orgs of the actor; with a credential for one org, only that one. */
export async function listEnterableOrgs(ctx: Ctx): Promise<EnterableOrg[]> {
  const orgs = await listOwnOrgs(ctx);
  const mayEnterAll = ctx.actor.kind !== 'user' || (ctx.credential?.onlyOrg ?? null) !== null;
  const strict = new Set(mayEnterAll ? [] : await listStrictOrgs(ctx, orgs));
  return orgs.map((org) => ({ ...org, sso_required: strict.has(org.id) }));
}

async function listStrictOrgs({ db }: Ctx, orgs: readonly OwnOrg[]): Promise<string[]> {
  if (orgs.length === 0) return [];
  const ids = orgs.map(({ id }) => id);
  const rows = await db
    .selectFrom('org')
    .select('id')
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('sso_enforced_at', 'is not', null)
    .execute();
  return rows.map(({ id }) => id);
}
