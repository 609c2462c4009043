import { refuse } from './error.ts';

export type Json = Readonly<Record<string, unknown>>;

const MAX_LENGTH = 1000;
/** Searched values are indexed, with room for some 2,700 bytes; lower case may take half as much again. */
const MAX_BYTES = 1500;

export function readObject(field: string, value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse('invalidSyntax', `${field} must be an object`);
  }
  return value as Json;
}

export function readText(field: string, value: unknown): string {
  if (typeof value !== 'string') throw refuse('invalidValue', `${field} must be a string`);
  const text = value.trim();
  if (text === '') throw refuse('invalidValue', `${field} must not be empty`);
  if (text.length > MAX_LENGTH || new TextEncoder().encode(text).length > MAX_BYTES) {
    throw refuse('invalidValue', `${field} must not be longer than ${MAX_LENGTH} characters, or ${MAX_BYTES} bytes`);
  }
  // PostgreSQL takes neither a zero character nor half of a surrogate pair.
  if (/\p{Cc}/u.test(text) || !text.isWellFormed())
    throw refuse('invalidValue', `${field} contains a character that is not allowed`);
  return text;
}

/** An empty text clears an attribute: identity providers send it where the standard wants null. */
export function readOptionalText(field: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' && value.trim() === '' ? null : readText(field, value);
}

/** Entra ID sends "True" and "False" unless its tenant URL asks it not to. */
export function readBoolean(field: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (word === 'true') return true;
  if (word === 'false') return false;
  throw refuse('invalidValue', `${field} must be true or false`);
}

/** Names of attributes ignore case; two that differ only by case are ambiguous. */
export function byLowerName(source: Json): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(source)) {
    const lower = name.toLowerCase();
    if (values.has(lower)) throw refuse('invalidSyntax', `${name} is given twice`);
    values.set(lower, value);
  }
  return values;
}
