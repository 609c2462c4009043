import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Keeps secrets of customers that must be told to others again, such as a client secret, unreadable in the database. */
export interface SecretBox {
  /** `context` says what the secret is of; it is opened under the same context only, so rows cannot be swapped. */
  seal(secret: string, context: string): string;
  open(sealed: string, context: string): string;
}

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function openSecretBox(key: Buffer): SecretBox {
  return {
    seal(secret, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION]), iv, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(text, context) {
      const bytes = Buffer.from(text, 'base64');
      if (bytes[0] !== VERSION) throw new Error('the secret was sealed in a way that is not known here');
      const iv = bytes.subarray(1, 1 + IV_BYTES);
      const tag = bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      const sealed = bytes.subarray(1 + IV_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
    },
  };
}
