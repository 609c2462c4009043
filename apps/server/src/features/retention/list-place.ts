import { type Cursor, decodeCursor, encodeCursor } from '../../platform/db/paginate.ts';
import { invalidField } from '../../platform/errors.ts';

/** The most items of one page: each may have a reason of 2,000 characters. */
export const PAGE_MAX = 500;

/** The last item of a page of a list by time, newest first. */
export interface ListPlace {
  readonly at: Date;
  readonly id: string;
}

export function encodePlace({ at, id }: ListPlace): string {
  return encodeCursor({ value: at.toISOString(), name: id });
}

export function decodePlace(after: string): ListPlace {
  const { value, name: id }: Cursor = decodeCursor(after);
  const at = new Date(value);
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  // PostgreSQL cannot hold some of the times with a year of five digits.
  if (isUuid && /^\d{4}-/.test(value) && !Number.isNaN(at.getTime())) return { at, id };
  throw invalidField('query.after', 'is not a valid cursor of this list');
}
