import { type ApiKeyRotation, GRACE_HOURS } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { isRefused, isUnavailable } from '../../platform/db/failure.ts';
import { forbidden, invalidField, unavailable } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import { epochSeconds, fromEpochSeconds } from '../../platform/time.ts';
import { apiKeyRotated } from './api-key.entries.ts';
import {
  type CreatedKey,
  createKey,
  expiryOf,
  type KeyHolder,
  lockKey,
  ownerOf,
  whereKnown,
} from './api-key.service.ts';
import { findSuccessor, type KeyRow, updateKey } from './api-key.store.ts';

export interface Rotation {
  readonly graceHours: number;
  /** Undefined: the new key is valid for as long as the old one was. */
  readonly expiresAt: Date | null | undefined;
  readonly regionLetter: string;
}

export function rotationOf(ctx: Ctx, input: ApiKeyRotation, regionLetter: string): Rotation {
  return {
    graceHours: input.grace_period_hours ?? GRACE_HOURS,
    expiresAt: input.expires_at == null ? undefined : expiryOf(ctx, input.expires_at),
    regionLetter,
  };
}

export interface RotatedKey extends CreatedKey {
  /** When the old key expires. */
  readonly graceEndsAt: Date;
}

/** Makes a successor of a key, which stays valid for the grace period. Call it within `inRotation`. */
export async function rotateKey(ctx: Ctx, holder: KeyHolder, id: string, rotation: Rotation): Promise<RotatedKey> {
  const old = await lockKey(ctx, holder, id);
  const before = old.replaced_by === null ? undefined : await findSuccessor(ctx.db, old.replaced_by);
  requireRotatable(ctx, holder, old, before);
  const created = await createKey(ctx, {
    owner: holder,
    description: old.description,
    expiresAt: rotation.expiresAt === undefined ? sameValidity(ctx, before ?? old) : rotation.expiresAt,
    regionLetter: rotation.regionLetter,
    onlyOrg: old.only_org_id,
    scope: old.scope,
  });
  const graceEndsAt = graceEnd(ctx.now(), rotation.graceHours, old.expires_at);
  const seq = await updateKey(ctx.db, id, { expires_at: graceEndsAt, replaced_by: created.id });
  await emit(
    whereKnown(ctx, old),
    apiKeyRotated,
    { kind: 'api_key', id, seq },
    {
      description: old.description,
      owner: ownerOf(holder),
      replaced_by: created.id,
      expires_at: epochSeconds(graceEndsAt),
    },
  );
  return { ...created, graceEndsAt };
}

/**
 * Returns the expiry of a key that is made now and is valid for as long as another was. The expiry of a key that was
 * rotated before is the end of its grace period: its first successor then has the intended validity.
 */
function sameValidity(ctx: Ctx, { created_at, expires_at }: KeyRow): Date | null {
  if (expires_at === null) return null;
  return fromEpochSeconds(Math.ceil((ctx.now().getTime() + expires_at.getTime() - created_at.getTime()) / 1000));
}

function requireRotatable(ctx: Ctx, holder: KeyHolder, key: KeyRow, before: KeyRow | undefined): void {
  if (key.only_org_id !== holder.onlyOrg) {
    throw forbidden(
      `API key '${key.id}' is valid in only one org: to rotate it, sign in through that org's identity provider`,
    );
  }
  if (key.expires_at !== null && key.expires_at <= ctx.now()) {
    throw invalidField('key_id', `API key '${key.id}' has expired and cannot be rotated: create a new key`);
  }
  if (before?.revoked_at === null) {
    throw invalidField('key_id', `API key '${key.id}' was rotated before, to '${before.id}': rotate that one`);
  }
}

/** In whole seconds, as clients count expiries. */
function graceEnd(now: Date, hours: number, expiresAt: Date | null): Date {
  const end = fromEpochSeconds(Math.ceil(epochSeconds(now)) + hours * 3600);
  return expiresAt !== null && expiresAt < end ? expiresAt : end;
}

/**
 * Runs a rotation in its transaction. When it fails for an internal reason, the error says which key it was about, why,
 * and what became of it.
 */
export async function inRotation<T>(ctx: Ctx, keyId: string, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  let isWritten = false;
  try {
    return await inTransaction(ctx, async (ctx) => {
      isWritten = false;
      const result = await work(ctx);
      isWritten = true;
      return result;
    });
  } catch (error) {
    const cause = causeOf(error);
    if (!cause) throw error;
    // The connection was lost between the commit and its confirmation.
    const isUncertain = isWritten && isUnavailable(error);
    const outcome = isUncertain
      ? `API key '${keyId}' may or may not have been rotated: look for a new key in the list, and revoke it`
      : `API key '${keyId}' was not rotated, and no new key was created`;
    throw unavailable(`${outcome}; ${cause}`, { cause: error });
  }
}

function causeOf(error: unknown): string | undefined {
  if (isUnavailable(error)) return 'the database is temporarily unavailable';
  if (isRefused(error)) return 'the database rejected the change';
  return undefined;
}
