import type { RecordEntry } from './entry.ts';
import type { Expected } from './expected.ts';

/** What is named of an entry. */
type Made = Pick<RecordEntry, 'index' | 'type'>;

export type Columns = Readonly<Record<string, Expected>>;

/** A row as the entries say it is. */
export interface ComparedRow {
  readonly columns: ReadonlyMap<string, { readonly value: Expected; readonly entry: Made }>;
  /** The entry that made it. */
  readonly entry: Made;
  /** Whether something that has no entry of its own may have removed it. */
  readonly mayBeGone: boolean;
}

interface MutableRow extends ComparedRow {
  readonly columns: Map<string, { value: Expected; entry: Made }>;
  mayBeGone: boolean;
}

/** The rows that entries say there are, by table and key. */
export interface RecordedRows {
  /** Begins a row, or changes columns of it. */
  put(entry: Made, table: string, key: string, columns: Columns): void;
  remove(table: string, key: string): void;
  allowGone(table: string, key: string): void;
  keys(table: string): IterableIterator<string>;
  rows(table: string): ReadonlyMap<string, ComparedRow>;
}

export function createRecordedRows(): RecordedRows {
  const tables = new Map<string, Map<string, MutableRow>>();

  function of(table: string): Map<string, MutableRow> {
    const found = tables.get(table) ?? new Map<string, MutableRow>();
    tables.set(table, found);
    return found;
  }

  function row(entry: Made, table: string, key: string): MutableRow {
    const rows = of(table);
    const found = rows.get(key) ?? { columns: new Map(), entry, mayBeGone: false };
    rows.set(key, found);
    return found;
  }

  return {
    put(entry, table, key, columns) {
      const { columns: stored } = row(entry, table, key);
      for (const [name, value] of Object.entries(columns)) stored.set(name, { value, entry });
    },
    remove(table, key) {
      of(table).delete(key);
    },
    allowGone(table, key) {
      const found = of(table).get(key);
      if (found) found.mayBeGone = true;
    },
    keys: (table) => of(table).keys(),
    rows: of,
  };
}
