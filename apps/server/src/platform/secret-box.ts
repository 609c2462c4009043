import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

/** Encrypts secrets of customers that must be used in clear text later, such as a client secret. */
export interface SecretBox {
  /** Prefix of every text sealed by the newest key, so that SQL finds what another key sealed. */
  readonly prefix: string;
  /** `context` names what the secret belongs to; it opens only under the same context, so rows cannot be swapped. */
  seal(secret: string, context: string): string;
  open(sealed: string, context: string): string;
}

const VERSION = 2;
const ID_BYTES = 5;
/** Version and key id: a multiple of three bytes, so that it is a prefix in base64, too. */
const HEAD_BYTES = 1 + ID_BYTES;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Length of `prefix`. */
export const SEALED_PREFIX_LENGTH = (HEAD_BYTES / 3) * 4;

/** Seals with the newest key, and opens what any of the keys sealed. */
export function openSecretBox(newest: Buffer, ...older: Buffer[]): SecretBox {
  const keys = new Map([newest, ...older].map((key) => [secretKeyId(key), key]));
  const head = Buffer.concat([Buffer.from([VERSION]), Buffer.from(secretKeyId(newest), 'hex')]);
  return {
    prefix: head.toString('base64'),
    seal(secret, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newest, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([head, iv, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(text, context) {
      const bytes = Buffer.from(text, 'base64');
      if (bytes[0] !== VERSION) throw new Error('the secret was sealed in an unknown format');
      const id = sealedWith(text);
      const key = keys.get(id);
      if (!key) throw new Error(`the secret was sealed with key ${id}, which WAYMARK_SECRET_KEY does not hold`);
      const [iv, tag, sealed] = partsOf(bytes);
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
    },
  };
}

/** Identifies a key without revealing anything about it. */
export function secretKeyId(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('waymark secret key '), key])).slice(0, 2 * ID_BYTES);
}

/** The id of the key that a secret was sealed with. */
export function sealedWith(text: string): string {
  return Buffer.from(text, 'base64').subarray(1, HEAD_BYTES).toString('hex');
}

function partsOf(bytes: Buffer): [Buffer, Buffer, Buffer] {
  const tagAt = HEAD_BYTES + IV_BYTES;
  const sealedAt = tagAt + TAG_BYTES;
  return [bytes.subarray(HEAD_BYTES, tagAt), bytes.subarray(tagAt, sealedAt), bytes.subarray(sealedAt)];
}
