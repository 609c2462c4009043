import { unavailable } from './errors.ts';
import type { Logger } from './log.ts';

/** Reads JSON that a row holds as text. Undefined when it is damaged. */
export function readStored<Content>(text: string): Content | undefined {
  try {
    return JSON.parse(text) as Content;
  } catch {
    return undefined;
  }
}

/** The rows of one table that an answer shows: a damaged one is named in the log and must not hide the others. */
export interface StoredRows {
  /** Returns what a row holds as JSON text, and `instead` when that is null or damaged. */
  read<Content>(id: string, text: string | null, instead: Content): Content;
  isDamaged(id: string): boolean;
  /** The member that marks a damaged row where it is shown; empty for any other. */
  mark(id: string): { unreadable?: true };
}

/** One for each answer, so that it names a damaged row once. Messages are written without a log. */
export function storedRows(log: Logger | undefined, table: string): StoredRows {
  const damaged = new Set<string>();
  return {
    read<Content>(id: string, text: string | null, instead: Content): Content {
      if (text === null) return instead;
      const content = readStored<Content>(text);
      if (content !== undefined) return content;
      if (!damaged.has(id)) log?.error({ table, id }, 'a stored row cannot be read; it is shown without its content');
      damaged.add(id);
      return instead;
    },
    isDamaged: (id) => damaged.has(id),
    mark: (id) => (damaged.has(id) ? { unreadable: true } : {}),
  };
}

/** For an export, which must not pass for a whole one: a damaged row fails it. */
export function wholeRows(table: string): StoredRows {
  return {
    read: (id, text, instead) => (text === null ? instead : requireStored(table, id, text)),
    isDamaged: () => false,
    mark: () => ({}),
  };
}

/** For an answer that would mislead without this row: it fails, and says which row has to be restored. */
export function requireStored<Content>(table: string, id: string, text: string): Content {
  const content = readStored<Content>(text);
  if (content !== undefined) return content;
  throw unavailable(`Row ${id} of table ${table} cannot be read. Ask an operator to restore it from a backup`);
}
