import { FormatError } from './format-error.ts';
import { shown } from './text.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Reads JSON that is canonical, as in RFC 8785: what was read must be written back as the same text. */
export function parseCanonical<T>(
  text: string,
  format: string,
  { read, write }: { read: (value: unknown) => T; write: (value: T) => string },
): T {
  const value = read(parseJson(text, format));
  if (write(value) !== text) throw new FormatError(format, 'is not canonical JSON');
  return value;
}

function parseJson(text: string, format: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FormatError(format, 'is not JSON');
  }
}

export function fieldsOf(value: unknown, format: string, what = 'it'): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new FormatError(format, `${what} is not a JSON object`);
}

/** Returns a field, or throws if `isValid` rejects it. Members that an object inherits are not fields. */
export function fieldOf<T>(fields: Fields, name: string, isValid: (value: unknown) => value is T, format: string): T {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (isValid(value)) return value;
  throw new FormatError(format, value === undefined ? `has no ${name}` : `${name} is ${shown(JSON.stringify(value))}`);
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';
export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
