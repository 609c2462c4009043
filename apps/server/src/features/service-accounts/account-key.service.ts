import type { ApiKeyInput, ApiKeyRotation } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import {
  type CreatedKey,
  createKey,
  expiryOf,
  type KeyHolder,
  requireNoExpiry,
  restoreKey,
  revokeKey,
} from '../api-keys/api-key.service.ts';
import { inRotation, type RotatedKey, rotateKey, rotationOf } from '../api-keys/rotation.service.ts';
import { lockMaker } from '../memberships/maker.service.ts';
import { requireNotAbove } from './manager.ts';
import { readAccount } from './service-account.reads.ts';
import { lockManaged } from './service-account.service.ts';
import type { ServiceAccountRow } from './service-account.store.ts';

export async function createAccountKey(
  ctx: Ctx,
  account: string,
  input: ApiKeyInput,
  regionLetter: string,
): Promise<CreatedKey> {
  const expiresAt = expiryOf(ctx, input.expires_at);
  return inTransaction(ctx, async (ctx) => {
    const owner = await lockGranted(ctx, account);
    return createKey(ctx, {
      owner,
      description: input.description,
      expiresAt,
      scope: input.scope ?? null,
      regionLetter,
    });
  });
}

export async function rotateAccountKey(
  ctx: Ctx,
  account: string,
  id: string,
  input: ApiKeyRotation,
  regionLetter: string,
): Promise<RotatedKey> {
  const rotation = rotationOf(ctx, input, regionLetter);
  return inRotation(ctx, id, async (ctx) => rotateKey(ctx, await lockGranted(ctx, account), id, rotation));
}

export async function revokeAccountKey(ctx: Ctx, account: string, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => revokeKey(ctx, holderOf(await lockManaged(ctx, account)), id));
}

/** The account as the owner of keys, for reading. */
export async function readHolder(ctx: Ctx, account: string): Promise<KeyHolder> {
  return holderOf(await readAccount(ctx, account));
}

/** The same for a caller who is to get the text of one of its keys. */
async function lockGranted(ctx: Ctx, name: string): Promise<KeyHolder> {
  const now = await lockMaker(ctx, 'manage_service_accounts');
  const account = await lockManaged(now, name);
  requireNotAbove(now, account.privilege);
  return holderOf(account);
}

/** Keeps a key whose maker left or lost permissions. */
export async function restoreAccountKey(ctx: Ctx, account: string, id: string): Promise<KeyHolder> {
  requireNoExpiry(ctx, 'A restored key');
  return inTransaction(ctx, async (ctx) => {
    const now = await lockMaker(ctx, 'restore_keys');
    const owner = holderOf(await lockManaged(now, account));
    await restoreKey(ctx, owner, id);
    return owner;
  });
}

function holderOf({ id, name }: ServiceAccountRow): KeyHolder {
  return { kind: 'service_account', id, name, onlyOrg: null };
}
