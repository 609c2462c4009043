import { sha256 } from '@noble/hashes/sha2.js';
import { canonicalJson } from './canonical-json.ts';

/** A JSON object whose members have not been checked. */
export type Json = Readonly<Record<string, unknown>>;

const encoder = new TextEncoder();

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Returns an object, or an empty one instead of anything else. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function sha256Of(text: string): string {
  return sha256Bytes(encoder.encode(text));
}

export function sha256Bytes(bytes: Uint8Array): string {
  return hexOf(sha256(bytes));
}

/** Returns the SHA-256 of the canonical form of a value; undefined if it has none, as when it is nested too deeply. */
export function digestOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  try {
    return sha256Of(canonicalJson(value));
  } catch {
    return undefined;
  }
}

export function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  try {
    return canonicalJson(one) === canonicalJson(other);
  } catch {
    return false;
  }
}

/** Returns an id as the server derives it from content. */
export function contentId(content: string): string {
  const hex = sha256Of(content);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
