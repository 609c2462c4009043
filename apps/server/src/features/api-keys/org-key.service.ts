import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { emit, emitAll } from '../../platform/journal/journal.ts';
import { apiKeyRevoked } from './api-key.entries.ts';

/** Revokes all personal keys that are valid in this org only. What changed about its provider is recorded instead. */
export async function revokeAllOrgKeys({ db, org, now }: Ctx): Promise<void> {
  await db
    .updateTable('api_key')
    .set({ revoked_at: now() })
    .where('only_org_id', '=', org)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Revokes the personal keys of these users that are valid in this org only. Their others continue. */
export async function revokeOrgKeys(ctx: Ctx, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  const revoked = await ctx.db
    .updateTable('api_key')
    .from('user_account')
    .set((key) => ({ revoked_at: ctx.now(), revision: key('api_key.revision', '+', 1) }))
    .whereRef('user_account.id', '=', 'api_key.user_id')
    .where('api_key.user_id', '=', sql<string>`any(${userIds}::uuid[])`)
    .where('api_key.only_org_id', '=', ctx.org)
    .where('api_key.revoked_at', 'is', null)
    .returning(['api_key.id', 'api_key.revision', 'api_key.description', 'api_key.user_id', 'user_account.login'])
    .execute();
  await emitAll(
    ctx,
    apiKeyRevoked,
    'api_key',
    revoked.map(({ id, revision, description, user_id, login }) => ({
      id,
      seq: revision,
      payload: { description, owner: { kind: 'user' as const, id: user_id ?? '', name: login } },
    })),
  );
}

/** Revokes the key of the org's identity provider, if it is still valid. */
export async function revokeScimKey(ctx: Ctx, id: string): Promise<void> {
  const key = await ctx.db
    .updateTable('api_key')
    .from('service_account')
    .set((row) => ({ revoked_at: ctx.now(), revision: row('api_key.revision', '+', 1) }))
    .whereRef('service_account.org_id', '=', 'api_key.org_id')
    .whereRef('service_account.id', '=', 'api_key.service_account_id')
    .where('api_key.id', '=', id)
    .where('api_key.org_id', '=', ctx.org)
    .where('api_key.purpose', '=', 'scim')
    .where('api_key.revoked_at', 'is', null)
    .returning(['api_key.revision', 'api_key.description', 'service_account.id as account_id', 'service_account.name'])
    .executeTakeFirst();
  if (!key) return;
  const owner = { kind: 'service_account' as const, id: key.account_id, name: key.name };
  await emit(ctx, apiKeyRevoked, { kind: 'api_key', id, seq: key.revision }, { description: key.description, owner });
}
