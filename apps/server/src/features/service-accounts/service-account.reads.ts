import type { Ctx } from '../../platform/ctx.ts';
import { ARRAY_MAX, cut, decodeCursor, encodeCursor } from '../../platform/db/paginate.ts';
import { notFound } from '../../platform/errors.ts';
import { countSuspendedKeys } from '../api-keys/api-key.reads.ts';
import { readPeople } from '../users/user.reads.ts';
import { managesAll, requireManager } from './manager.ts';
import { findAccount, type ServiceAccountRow } from './service-account.store.ts';

export interface ServiceAccountView extends ServiceAccountRow {
  /** Login of the person who made it. */
  readonly maker: string | null;
  readonly suspended_keys: number;
}

async function toViews(ctx: Ctx, accounts: readonly ServiceAccountRow[]): Promise<ServiceAccountView[]> {
  const people = await readPeople(
    ctx.db,
    accounts.flatMap(({ made_by }) => made_by ?? []),
  );
  const suspended = await countSuspendedKeys(
    ctx.db,
    ctx.org,
    accounts.map(({ id }) => id),
  );
  return accounts.map((account) => ({
    ...account,
    maker: people.get(account.made_by ?? '')?.login ?? null,
    suspended_keys: suspended.get(account.id) ?? 0,
  }));
}

/** The account as it is shown, in the transaction that changed it. */
export async function viewOf(ctx: Ctx, account: ServiceAccountRow): Promise<ServiceAccountView> {
  const [view] = await toViews(ctx, [account]);
  if (!view) throw new Error('one account has one view');
  return view;
}

/** By name, at most 10,000 after the cursor, and the cursor of the rest if there is any. */
export async function listAccounts(ctx: Ctx, after: string | undefined) {
  let query = ctx.db
    .selectFrom('service_account')
    .selectAll()
    .where('org_id', '=', ctx.org)
    .where('archived_at', 'is', null)
    .orderBy('name');
  if (!managesAll(ctx.actor)) query = query.where('creating_user_id', '=', ctx.actor.id);
  if (after !== undefined) query = query.where('name', '>', decodeCursor(after).name);
  const { shown, last } = cut(await query.limit(ARRAY_MAX + 1).execute(), ARRAY_MAX);
  return { accounts: await toViews(ctx, shown), next: last && encodeCursor({ value: last.name, name: last.name }) };
}

export async function readAccount(ctx: Ctx, name: string): Promise<ServiceAccountRow> {
  const account = await findAccount(ctx.db, ctx.org, name);
  if (!account) throw notFound('Service account', name);
  requireManager(ctx, account);
  return account;
}
