import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { emitAll } from '../../../platform/journal/journal.ts';
import { sessionRevoked } from './session.entries.ts';

/** Ends all sessions that the identity provider of the org opened. What changed about the provider is recorded instead. */
export async function endAllOrgSessions({ db, org, now }: Ctx): Promise<void> {
  await db
    .updateTable('session')
    .set({ revoked_at: now() })
    .where('only_org_id', '=', org)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Ends the sessions that the identity provider of the org opened for these users. Their others continue. */
export async function endOrgSessions(ctx: Ctx, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  const ended = await ctx.db
    .updateTable('session')
    .set({ revoked_at: ctx.now() })
    .where('user_id', '=', sql<string>`any(${userIds}::uuid[])`)
    .where('only_org_id', '=', ctx.org)
    .where('revoked_at', 'is', null)
    .returning(['id', 'user_id', 'method'])
    .execute();
  await emitAll(
    ctx,
    sessionRevoked,
    'session',
    ended.map(({ id, user_id, method }) => ({ id, seq: 2, payload: { user_id, method, only_org: ctx.org } })),
  );
}
