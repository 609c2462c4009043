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

/** The place of a receipt in a list that is ordered by receipt. */
export function encodeReceipt(receipt: number): string {
  return receipt.toString(36);
}

export function decodeReceipt(text: string): number {
  const receipt = /^[0-9a-z]{1,9}$/.test(text) ? Number.parseInt(text, 36) : Number.NaN;
  if (!Number.isSafeInteger(receipt))
    throw invalidField('query.after', 'is no cursor of ours: take it as it was given');
  return receipt;
}

/** A place in a list by time of receipt; the number tells those of one moment apart. */
export interface Moment {
  readonly at: Date;
  readonly receipt: number;
}

export function encodeMoment({ at, receipt }: Moment): string {
  return `${at.getTime().toString(36)}.${encodeReceipt(receipt)}`;
}

export function decodeMoment(text: string): Moment {
  const [at = '', receipt = '', ...rest] = text.split('.');
  if (rest.length > 0) throw invalidField('query.after', 'is no cursor of ours: take it as it was given');
  return { at: new Date(decodeReceipt(at)), receipt: decodeReceipt(receipt) };
}

/** Of a list that was read one beyond its limit: what is shown, and the last of it when there is more. */
export function cut<Row>(rows: readonly Row[], limit: number): { shown: readonly Row[]; last: Row | undefined } {
  return { shown: rows.slice(0, limit), last: rows.length > limit ? rows[limit - 1] : undefined };
}
