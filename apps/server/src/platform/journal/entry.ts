import { createHmac } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { z } from 'zod';
import { tooLarge } from '../errors.ts';
import { newNonce } from './nonce.ts';

export const PAYLOAD_MAX_BYTES = 256 * 1024;

/** A type of entry. Its payload never changes shape: a new shape is a new version. */
export interface EntryType<Payload extends z.ZodType = z.ZodType> {
  readonly type: `${string}.${string}`;
  readonly version: number;
  readonly summary: string;
  readonly payload: Payload;
}

const declared = new Map<string, EntryType>();

export function defineEntry<Payload extends z.ZodType>(entry: EntryType<Payload>): EntryType<Payload> {
  const key = `${entry.type} v${entry.version}`;
  if (declared.has(key)) throw new Error(`journal entry ${key} is declared twice`);
  declared.set(key, entry);
  return entry;
}

/** Every type of entry that the loaded features declare, by name. */
export function declaredEntries(): EntryType[] {
  return [...declared.values()].sort((a, b) => a.type.localeCompare(b.type) || a.version - b.version);
}

export interface Sealed {
  readonly payload: string;
  readonly nonce: Buffer;
  readonly digest: Buffer;
}

/**
 * Canonical text of a payload and its keyed digest. With the nonce erased, the digest still proves the payload to
 * whoever has it, and short personal data cannot be guessed from it.
 */
export function seal<Payload extends z.ZodType>(type: EntryType<Payload>, payload: z.input<Payload>): Sealed {
  const text = textOf(type, payload);
  const nonce = newNonce();
  return { payload: text, nonce, digest: digestOf(text, nonce) };
}

/** The canonical text of a payload, to which `room` bytes can be added. */
export function textOf<Payload extends z.ZodType>(
  type: EntryType<Payload>,
  payload: z.input<Payload>,
  room = 0,
): string {
  const text = canonicalize(type.payload.parse(payload));
  if (text === undefined) throw new Error(`payload of ${type.type} has no JSON form`);
  if (Buffer.byteLength(text) > PAYLOAD_MAX_BYTES - room)
    throw tooLarge(`The record exceeds ${PAYLOAD_MAX_BYTES / 1024} KiB`);
  return text;
}

export function digestOf(payload: string, nonce: Buffer): Buffer {
  return createHmac('sha256', nonce).update(payload).digest();
}
