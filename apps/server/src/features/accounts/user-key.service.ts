import type { ApiKeyInput, ApiKeyRotation } from '@waymark/contract';
import { actingPerson, type Ctx, inTransaction } from '../../platform/ctx.ts';
import { forbidden } from '../../platform/errors.ts';
import { type CreatedKey, createKey, expiryOf, type KeyHolder } from '../api-keys/api-key.service.ts';
import { inRotation, type RotatedKey, rotateKey, rotationOf } from '../api-keys/rotation.service.ts';
import { findMemberRole } from '../memberships/membership.reads.ts';
import { lockMembers } from '../memberships/membership.service.ts';

/** The caller as the owner of keys. */
export function callerAsHolder(ctx: Ctx): KeyHolder {
  const { id, name } = actingPerson(ctx);
  return { kind: 'user', id, name, onlyOrg: ctx.credential?.onlyOrg ?? null };
}

/** A key is valid in no more orgs than the credential that made it. */
export async function createUserKey(ctx: Ctx, input: ApiKeyInput, regionLetter: string): Promise<CreatedKey> {
  const owner = callerAsHolder(ctx);
  const expiresAt = expiryOf(ctx, input.expires_at);
  return inTransaction(ctx, async (ctx) => {
    await requireMember(ctx, owner);
    const { description, scope = null } = input;
    return createKey(ctx, { owner, description, expiresAt, scope, regionLetter, onlyOrg: owner.onlyOrg });
  });
}

export async function rotateUserKey(
  ctx: Ctx,
  id: string,
  input: ApiKeyRotation,
  regionLetter: string,
): Promise<RotatedKey> {
  const holder = callerAsHolder(ctx);
  const rotation = rotationOf(ctx, input, regionLetter);
  return inRotation(ctx, id, async (ctx) => {
    await requireMember(ctx, holder);
    return rotateKey(ctx, holder, id, rotation);
  });
}

/**
 * A former member of the org that authenticated them cannot make keys for it. Changes of its members wait, so no key is
 * left that was made while theirs were being revoked.
 */
async function requireMember(ctx: Ctx, { id, onlyOrg }: KeyHolder): Promise<void> {
  if (onlyOrg === null) return;
  const inOrg = { ...ctx, org: onlyOrg };
  await lockMembers(inOrg);
  if (await findMemberRole(inOrg, id)) return;
  throw forbidden('This credential is valid in only one org, and you are not a member of it');
}
