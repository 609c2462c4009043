import type { z } from 'zod';
import { type EntryType, textOf } from './entry.ts';
import { newNonce } from './nonce.ts';

/** Of a number up to 2^53. */
const NUMBER_DIGITS = 16;
/** Of SHA-256, as RFC 2104 pads a key to it. */
const BLOCK_BYTES = 64;
const INNER = 0x36;
const OUTER = 0x5c;

/**
 * A payload whose receipt PostgreSQL draws in the statement that records the entry. What is left to do for its digest is
 * two times SHA-256, which PostgreSQL has; the keyed digest itself needs an extension.
 */
export interface OpenPayload {
  /** Canonical, with 0 as the receipt. */
  readonly payload: string;
  readonly nonce: Buffer;
  readonly innerKey: Buffer;
  readonly outerKey: Buffer;
}

export function sealWithoutReceipt<Payload extends z.ZodType<unknown, { readonly receipt: number }>>(
  type: EntryType<Payload>,
  payload: Omit<z.input<Payload>, 'receipt'>,
): OpenPayload {
  const open = { ...payload, receipt: 0 } as z.input<Payload>;
  const text = textOf(type, open, NUMBER_DIGITS);
  const nonce = newNonce();
  return { payload: text, nonce, innerKey: padded(nonce, INNER), outerKey: padded(nonce, OUTER) };
}

function padded(key: Buffer, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, pad);
  for (const [place, byte] of key.entries()) block[place] = byte ^ pad;
  return block;
}

/** SQL for the payload with its receipt. Quotes within texts are escaped, so only the key itself can match. */
export function withReceipt(payload: string, receipt: string): string {
  return `replace(${payload}, '"receipt":0', '"receipt":' || ${receipt})`;
}

/** SQL for the digest of a complete payload. */
export function openDigest(payload: string, { innerKey, outerKey }: Record<'innerKey' | 'outerKey', string>): string {
  return `sha256(${outerKey} || sha256(${innerKey} || convert_to(${payload}, 'UTF8')))`;
}
