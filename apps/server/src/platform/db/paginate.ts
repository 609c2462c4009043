import { invalidField } from '../errors.ts';

/** The most items in a plain array; the rest is behind a link. */
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
  throw invalidField('query.after', 'is not a valid cursor: use the one from the Link header unchanged');
}

export function pageCount(total: number, perPage: number): number {
  return Math.ceil(total / perPage);
}

/** The position of a receipt in a list ordered by receipt. */
export function encodeReceipt(receipt: number): string {
  return receipt.toString(36);
}

export function decodeReceipt(text: string): number {
  const receipt = /^[0-9a-z]{1,9}$/.test(text) ? Number.parseInt(text, 36) : Number.NaN;
  if (!Number.isSafeInteger(receipt))
    throw invalidField('query.after', 'is not a valid cursor: use the one from the previous page unchanged');
  return receipt;
}

/** A position in a list by time of receipt; the number distinguishes items of one moment. */
export interface Moment {
  readonly at: Date;
  readonly receipt: number;
}

export function encodeMoment({ at, receipt }: Moment): string {
  return `${at.getTime().toString(36)}.${encodeReceipt(receipt)}`;
}

export function decodeMoment(text: string): Moment {
  const [at = '', receipt = '', ...rest] = text.split('.');
  if (rest.length > 0)
    throw invalidField('query.after', 'is not a valid cursor: use the one from the previous page unchanged');
  return { at: new Date(decodeReceipt(at)), receipt: decodeReceipt(receipt) };
}

/**
 * Splits a list that was read with one item more than its limit: what to show, and its last item when there is more.
 */
export function cut<Row>(rows: readonly Row[], limit: number): { shown: readonly Row[]; last: Row | undefined } {
  return { shown: rows.slice(0, limit), last: rows.length > limit ? rows[limit - 1] : undefined };
}

/**
 * The most stored text that one response is made of: it is read, parsed and written on the one thread that serves
 * everybody.
 */
export const LIST_MAX_BYTES = 8 * 1024 * 1024;

/** A row of a list before its content is read. */
export interface SizedRow {
  readonly id: string;
  /** Approximate size of its texts. */
  readonly bytes: number;
}

/** Like `cut`, but also ends the page when more would be too large. The first item is always shown, however large. */
export function cutSized<Row extends SizedRow>(
  rows: readonly Row[],
  limit: number,
): { shown: readonly Row[]; last: Row | undefined } {
  const shown = rows.slice(0, Math.min(limit, countFitting(rows)));
  return { shown, last: shown.length < rows.length ? shown.at(-1) : undefined };
}

/** A numbered page cannot end early: refuses one that is too large, and says what would fit. */
export function requireFitting(rows: readonly SizedRow[]): void {
  const count = countFitting(rows);
  if (count === rows.length) return;
  const most = `${LIST_MAX_BYTES / 1024 / 1024} MiB`;
  throw invalidField('query.per_page', `is too large: this page has more than ${most}. Request ${count} or fewer`);
}

function countFitting(rows: readonly SizedRow[]): number {
  let bytes = 0;
  const beyond = rows.findIndex((row, place) => {
    bytes += row.bytes;
    return place > 0 && bytes > LIST_MAX_BYTES;
  });
  return beyond === -1 ? rows.length : beyond;
}
