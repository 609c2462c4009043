import { API_KEYS_MAX, type KeyScope, normalizedScope } from '@waymark/contract';
import { z } from 'zod';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { conflict, forbidden, invalidField, Problem } from '../../platform/errors.ts';
import { hashKey, newKeyText } from '../../platform/http/key-text.ts';
import { emit } from '../../platform/journal/journal.ts';
import { recordedScope } from '../../platform/journal/recorded-scope.ts';
import { epochSeconds, fromEpochSeconds } from '../../platform/time.ts';
import { apiKeyCreated, apiKeyRestored, apiKeyRevoked } from './api-key.entries.ts';
import type { KeyHolder, KeyOwner, KeyRow } from './api-key.store.ts';
import * as store from './api-key.store.ts';

export type { KeyHolder } from './api-key.store.ts';

export interface NewKey {
  readonly owner: KeyOwner;
  readonly description: string;
  readonly expiresAt: Date | null;
  readonly regionLetter: string;
  /** Its scope; null or absent for all permissions of its owner. */
  readonly scope?: KeyScope | null;
  /** The org whose identity provider authenticated the owner; the key is valid there only. */
  readonly onlyOrg?: string | null;
  readonly purpose?: 'api' | 'scim';
  /** The verified claims of the job that gets the key, as canonical JSON. */
  readonly workload?: string;
}

export interface CreatedKey {
  readonly id: string;
  readonly text: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly scope: KeyScope | null;
  /** Whether it expires earlier than requested, because the key that made it does. */
  readonly isLimited: boolean;
}

/**
 * Makes a key and returns its text, which is stored nowhere. Recorded in the context's org: the personal org for a
 * user's key, the account's org for a service account's, and for a key that is valid in one org only, that one.
 */
export async function createKey(ctx: Ctx, key: NewKey): Promise<CreatedKey> {
  const { owner, description, onlyOrg = null, purpose = 'api', workload = null } = key;
  const { expiresAt, isLimited } = limitedExpiry(ctx, key.expiresAt);
  const scope = key.scope ? normalizedScope(key.scope) : null;
  const text = newKeyText(key.regionLetter);
  return inTransaction(ctx, async (ctx) => {
    if (purpose === 'api' && workload === null) await requireRoom(ctx, owner);
    const id = ctx.newId();
    const ofAccount = owner.kind === 'service_account';
    await store.insertKey(ctx.db, {
      id,
      hash: hashKey(text),
      user_id: ofAccount ? null : owner.id,
      org_id: ofAccount ? ctx.org : null,
      service_account_id: ofAccount ? owner.id : null,
      only_org_id: onlyOrg,
      purpose,
      workload,
      description,
      created_at: ctx.now(),
      created_by: ctx.actor.name,
      made_by: ctx.credential?.madeBy ?? (ofAccount ? null : owner.id),
      expires_at: expiresAt,
      scope: scope && JSON.stringify(scope),
    });
    const payload = {
      description,
      owner: ownerOf(owner),
      expires_at: expiresAt && epochSeconds(expiresAt),
      scope: recordedScope(scope),
    };
    await emit({ ...ctx, org: onlyOrg ?? ctx.org }, apiKeyCreated, { kind: 'api_key', id, seq: 1 }, payload);
    return { id, text, description, createdAt: ctx.now(), expiresAt, scope, isLimited };
  });
}

/** A key grants nothing beyond its own expiry. */
function limitedExpiry(ctx: Ctx, meant: Date | null): { expiresAt: Date | null; isLimited: boolean } {
  const latest = ctx.credential?.expiresAt ?? null;
  const isLimited = latest !== null && (meant === null || meant > latest);
  return { expiresAt: isLimited ? latest : meant, isLimited };
}

/** Concurrent callers wait, so that no race exceeds the limit. */
async function requireRoom(ctx: Ctx, owner: KeyOwner): Promise<void> {
  await lockSubject(ctx.db, ctx.org, 'api_keys', owner.id);
  if ((await store.countGoodKeys(ctx.db, ctx.org, owner, ctx.now())) < API_KEYS_MAX) return;
  const who = owner.kind === 'user' ? 'You have' : `Service account '${owner.name}' has`;
  throw conflict(`${who} ${API_KEYS_MAX} API keys, which is the maximum: revoke one first`);
}

export async function revokeKey(ctx: Ctx, holder: KeyHolder, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const key = await lockKey(ctx, holder, id);
    const seq = await store.updateKey(ctx.db, id, { revoked_at: ctx.now() });
    const payload = { description: key.description, owner: ownerOf(holder) };
    await emit(whereKnown(ctx, key), apiKeyRevoked, { kind: 'api_key', id, seq }, payload);
  });
}

/**
 * Whoever ends a suspension, or keeps a key that is about to be suspended, is responsible for it from then on. Other
 * keys stay unchanged.
 */
export async function restoreKey(ctx: Ctx, holder: KeyHolder, id: string): Promise<void> {
  const { suspended_at, description } = await lockKey(ctx, holder, id);
  if (suspended_at === null && !(await store.isAboutToEnd(ctx.db, ctx.org, id))) return;
  const seq = await store.updateKey(ctx.db, id, { suspended_at: null, made_by: ctx.credential?.madeBy ?? null });
  await emit(ctx, apiKeyRestored, { kind: 'api_key', id, seq }, { description, owner: ownerOf(holder) });
}

/** For an account that is being deleted; the entry about that has the number of keys. */
export function revokeAllKeys(ctx: Ctx, serviceAccount: string): Promise<number> {
  return store.revokeKeysOfAccount(ctx.db, ctx.org, serviceAccount, ctx.now());
}

/** 0 and absent mean never. */
export function expiryOf(ctx: Ctx, seconds: number | null | undefined): Date | null {
  if (!seconds) return null;
  const at = fromEpochSeconds(seconds);
  if (at <= ctx.now()) throw invalidField('expires_at', 'must be in the future, or 0 for never');
  const latest = ctx.credential?.expiresAt;
  if (latest && at > latest) {
    throw invalidField(
      'expires_at',
      `must not be later than ${epochSeconds(latest)}, when the key used for this request expires`,
    );
  }
  return at;
}

/** For grants of access without an expiry. */
export function requireNoExpiry(ctx: Ctx, what: string): void {
  if (!ctx.credential?.expiresAt) return;
  throw forbidden(`${what} would outlive the key used for this request: sign in, or use a key without an expiry`);
}

/** Locks the key until the transaction ends. */
export async function lockKey(ctx: Ctx, holder: KeyHolder, id: string): Promise<KeyRow> {
  if (!z.uuid().safeParse(id).success) throw missingKey(holder, id);
  await lockSubject(ctx.db, ctx.org, 'api_key', id);
  const key = await store.findKey(ctx.db, ctx.org, holder, id);
  if (!key) throw missingKey(holder, id);
  return key;
}

/** The same for a revoked key and for somebody else's. */
export function missingKey(holder: KeyOwner, id: string): Problem {
  const who = holder.kind === 'user' ? 'You have' : `Service account '${holder.name}' has`;
  return new Problem('not_found', `${who} no API key '${id}'`);
}

/** The org that records changes of a key. */
export function whereKnown(ctx: Ctx, key: KeyRow): Ctx {
  return { ...ctx, org: key.only_org_id ?? ctx.org };
}

export function ownerOf({ kind, id, name }: KeyOwner): KeyOwner {
  return { kind, id, name };
}
