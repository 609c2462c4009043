import type { RecordEntry } from './entry.ts';
import type { Expected, Row } from './expected.ts';
import type { RecordedRows } from './recorded-rows.ts';

/** An entry with the content that its type declares. */
export type ReadableEntry<Payload = Readonly<Record<string, unknown>>> = Omit<RecordEntry, 'payload'> & {
  readonly payload: Payload;
};

/** A table with rows that entries about a kind of subject record. */
export interface RecordTable {
  readonly table: string;
  /** The column with the id of the subject. */
  readonly of: string;
  /** The columns that identify a row of the org. */
  readonly key: readonly string[];
  /** Numbers the rows of a subject 1, 2, 3 … by this column, as `#`, where the entries do not contain the column. */
  readonly numberedBy?: string;
  /** Only rows for which this is true, as SQL. */
  readonly where?: string;
  /** The column that names the org, if it is not `org_id`. */
  readonly orgColumn?: string;
  /** What columns must contain because of other columns of the row. */
  readonly derive?: (row: Row) => Readonly<Record<string, Expected>>;
}

/** How the entries about a kind of subject become rows. */
export interface RecordKind {
  /** As in `subject_kind`. */
  readonly kind: string;
  /** The first one has the row of the subject itself. */
  readonly tables: readonly RecordTable[];
  /** Types that say nothing about these tables, and of which there may be very many. */
  readonly without?: readonly string[];
  /** Follows one entry. If the content of one was erased, nothing is known about the rows of its subject. */
  fold(entry: ReadableEntry, rows: RecordedRows): void;
}

/** The key of the row in a table, as text. */
export function keyOf({ key }: RecordTable, row: Row): string {
  return key.map((column) => String(row[column])).join(' ');
}
