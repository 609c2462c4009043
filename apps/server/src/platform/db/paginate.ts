import { invalidField } from '../errors.ts';

/** The most a plain array holds; the rest is behind a link. */
export const ARRAY_MAX = 10_000;

/** A place in a sorted list: the sort value and the name of the last item seen. */
export interface Cursor {
  readonly value: string;
  readonly name: string;
}

export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify([cursor.value, cursor.name])).toString('base64url');
}

export function decodeCursor(text: string): Cursor {
  try {
    const [value, name, ...rest] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    const parts = [value, name];
    if (rest.length === 0 && parts.every((part) => typeof part === 'string' && !part.includes('\u0000'))) {
      return { value: value as string, name: name as string };
    }
  } catch {
    // Told below, like every other text that is no cursor.
  }
  throw invalidField('query.after', 'is no cursor of ours: take it from a Link header as it is');
}

export function pageCount(total: number, perPage: number): number {
  return Math.ceil(total / perPage);
}
