import type { Ctx } from '../../platform/ctx.ts';
import { ARRAY_MAX, cut, decodeCursor, encodeCursor } from '../../platform/db/paginate.ts';
import { notFound } from '../../platform/errors.ts';
import { managesAll, requireManager } from './manager.ts';
import { findAccount, makerOf, type ServiceAccountRow, suspendedKeysOf } from './service-account.store.ts';

/** By name, at most 10,000 after the cursor, and the cursor of the rest if there is any. */
export async function listAccounts(ctx: Ctx, after: string | undefined) {
  let query = ctx.db
    .selectFrom('service_account')
    .selectAll()
    .select((account) => [makerOf(account), suspendedKeysOf(account)])
    .where('org_id', '=', ctx.org)
    .where('archived_at', 'is', null)
    .orderBy('name');
  if (!managesAll(ctx.actor)) query = query.where('creating_user_id', '=', ctx.actor.id);
  if (after !== undefined) query = query.where('name', '>', decodeCursor(after).name);
  const { shown, last } = cut(await query.limit(ARRAY_MAX + 1).execute(), ARRAY_MAX);
  return { accounts: shown, next: last && encodeCursor({ value: last.name, name: last.name }) };
}

export async function readAccount(ctx: Ctx, name: string): Promise<ServiceAccountRow> {
  const account = await findAccount(ctx.db, ctx.org, name);
  if (!account) throw notFound('Service account', name);
  requireManager(ctx, account);
  return account;
}
