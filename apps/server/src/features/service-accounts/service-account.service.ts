import { atLeast, Role, ServiceAccountName } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { parse } from '../../platform/http/validation.ts';
import { emit, type Subject } from '../../platform/journal/journal.ts';
import { revokeAllKeys } from '../api-keys/api-key.service.ts';
import { suspendOutranked } from '../api-keys/suspension.service.ts';
import { lockMaker } from '../memberships/maker.service.ts';
import { requireShared } from '../orgs/org.reads.ts';
import { requireManager, requireNotAbove } from './manager.ts';
import { serviceAccountCreated, serviceAccountDeleted, serviceAccountUpdated } from './service-account.entries.ts';
import { type ServiceAccountView, viewOf } from './service-account.reads.ts';
import type { ServiceAccountRow } from './service-account.store.ts';
import * as store from './service-account.store.ts';

export interface NewAccount {
  readonly name: string;
  readonly privilege: Role;
  readonly description: string;
  /** Null when the name is shown. */
  readonly display_name: string | null;
}

export async function createAccount(ctx: Ctx, account: NewAccount): Promise<ServiceAccountView> {
  requireNotAbove(ctx, account.privilege);
  return inTransaction(ctx, async (ctx) => {
    await store.lockName(ctx.db, ctx.org, account.name);
    if (await store.findAccount(ctx.db, ctx.org, account.name)) {
      throw invalidField('name', `is taken: service account '${account.name}' already exists`);
    }
    return viewOf(ctx, await insert(ctx, account));
  });
}

/** Returns the account of that name, creating it with the given privilege if there is none. */
export async function ensureServiceAccount(
  ctx: Ctx,
  account: { name: string; privilege: Role },
): Promise<{ id: string }> {
  const name = parse(ServiceAccountName, account.name, 'name');
  const privilege = parse(Role, account.privilege, 'privilege');
  return inTransaction(ctx, async (ctx) => {
    await store.lockName(ctx.db, ctx.org, name);
    return (
      (await store.findAccount(ctx.db, ctx.org, name)) ??
      (await insert(ctx, { name, privilege, description: '', display_name: null }))
    );
  });
}

async function insert(ctx: Ctx, account: NewAccount): Promise<ServiceAccountRow> {
  await requireShared(ctx, 'Service accounts exist only in shared orgs, and this is a personal org');
  const { name, privilege, description, display_name } = account;
  const inserted = await store.insertAccount(ctx.db, {
    org_id: ctx.org,
    id: ctx.newId(),
    name,
    privilege,
    description,
    display_name,
    created_by: ctx.actor.name,
    creating_user_id: ctx.actor.id,
    made_by: ctx.credential?.madeBy ?? null,
    created_at: ctx.now(),
  });
  await emit(ctx, serviceAccountCreated, subjectOf(inserted), { name, privilege, description, display_name });
  return inserted;
}

/** Absent keys stay unchanged. */
export interface AccountChange {
  readonly description?: string;
  readonly privilege?: Role;
  /** Null restores the name. */
  readonly display_name?: string | null;
}

/** A value that is already set is not recorded again. */
export async function updateAccount(ctx: Ctx, name: string, change: AccountChange): Promise<ServiceAccountView> {
  return inTransaction(ctx, async (ctx) => {
    const now = change.privilege === undefined ? ctx : await lockMaker(ctx, 'manage_service_accounts');
    const account = await lockManaged(now, name);
    if (change.privilege !== undefined) requireNotAbove(now, change.privilege);
    const { description = account.description, privilege = account.privilege } = change;
    const { display_name = account.display_name } = change;
    const next = { description, privilege, display_name };
    if (isSame(account, next)) return viewOf(ctx, account);
    const updated = await store.updateAccount(ctx.db, account, next);
    const payload = { name, ...next, previous_privilege: account.privilege };
    await emit(ctx, serviceAccountUpdated, subjectOf(updated), payload);
    if (!atLeast(account.privilege, privilege)) await suspendOutranked(ctx, account.id);
    return viewOf(ctx, updated);
  });
}

function isSame(account: ServiceAccountRow, next: Omit<NewAccount, 'name'>): boolean {
  return (
    account.description === next.description &&
    account.privilege === next.privilege &&
    account.display_name === next.display_name
  );
}

export async function deleteAccount(ctx: Ctx, name: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const account = await lockManaged(ctx, name);
    const archived = await store.updateAccount(ctx.db, account, { archived_at: ctx.now() });
    const revoked = await revokeAllKeys(ctx, account.id);
    await emit(ctx, serviceAccountDeleted, subjectOf(archived), { name, revoked_keys: revoked });
  });
}

/**
 * The account, if it exists and the caller may manage it. Neither it nor its keys change until the transaction ends.
 */
export async function lockManaged(ctx: Ctx, name: string): Promise<ServiceAccountRow> {
  await store.lockName(ctx.db, ctx.org, name);
  const account = await store.findAccount(ctx.db, ctx.org, name);
  if (!account) throw notFound('Service account', name);
  requireManager(ctx, account);
  return account;
}

function subjectOf({ id, revision }: ServiceAccountRow): Subject {
  return { kind: 'service_account', id, seq: revision };
}
