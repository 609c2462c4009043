import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Db } from '../../../platform/db/db.ts';
import { newId } from '../../../platform/ids.ts';
import type { SealedColumn } from '../../../platform/reseal.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { systemClock } from '../../../platform/time.ts';
import * as store from './webhook-key.store.ts';

export interface WebhookPublicKey {
  readonly id: string;
  /** The 32 bytes of Ed25519. */
  readonly publicKey: Buffer;
}

export interface SigningKey extends WebhookPublicKey {
  readonly privateKey: KeyObject;
}

/**
 * The key that signs messages of the org, created on first use. Undefined where secrets cannot be stored, or when the
 * installation's key has changed since.
 */
export async function signingKeyOf(
  db: Db,
  box: SecretBox | undefined,
  orgId: string,
  now: () => Date = systemClock,
): Promise<SigningKey | undefined> {
  if (!box) return undefined;
  const row = await keyOf(db, box, orgId, now);
  const der = openPrivate(box, row);
  if (!der) return undefined;
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { id: row.id, publicKey: row.public_key, privateKey };
}

/** The public part, for verification. */
export async function publicKeyOf(
  db: Db,
  box: SecretBox | undefined,
  orgId: string,
  now: () => Date = systemClock,
): Promise<WebhookPublicKey | undefined> {
  const row = box ? await keyOf(db, box, orgId, now) : await store.findKey(db, orgId);
  return row && { id: row.id, publicKey: row.public_key };
}

async function keyOf(db: Db, box: SecretBox, orgId: string, now: () => Date): Promise<store.WebhookKeyRow> {
  const known = await store.findKey(db, orgId);
  if (known) return known;
  await store.insertKey(db, { ...makeKey(box), org_id: orgId, created_at: now() });
  const stored = await store.findKey(db, orgId);
  if (!stored) throw new Error('a key that was made is not there');
  return stored;
}

function makeKey(box: SecretBox) {
  const id = newId();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  return {
    id,
    public_key: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'),
    private_sealed: box.seal(secret, contextOf(id)),
  };
}

function openPrivate(box: SecretBox, { id, private_sealed }: store.WebhookKeyRow): Buffer | undefined {
  try {
    return Buffer.from(box.open(private_sealed, contextOf(id)), 'base64');
  } catch {
    return undefined;
  }
}

export const webhookKeySecret: SealedColumn = { table: 'webhook_key', column: 'private_sealed', id: 'id', contextOf };

function contextOf(keyId: string): string {
  return `webhook-key:${keyId}`;
}
