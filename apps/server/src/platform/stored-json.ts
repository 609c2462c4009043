import { unavailable } from './errors.ts';
import type { Logger } from './log.ts';

/** Parses JSON that a row holds as text. Undefined when it is damaged. */
export function readStored<Content>(text: string): Content | undefined {
  try {
    return JSON.parse(text) as Content;
  } catch {
    return undefined;
  }
}

/** The rows of one table in a response: a damaged one is named in the log and must not hide the others. */
export interface StoredRows {
  /** Returns a row's JSON, or `instead` when it is null or damaged. */
  read<Content>(id: string, text: string | null, instead: Content): Content;
  isDamaged(id: string): boolean;
  /** The member that marks a damaged row where it is shown; empty for any other. */
  mark(id: string): { unreadable?: true };
}

/** One per response, so that it logs a damaged row once. Messages are written without a log. */
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

/** For an export, which must not pass for complete: a damaged row fails it. */
export function wholeRows(table: string): StoredRows {
  return {
    read: (id, text, instead) => (text === null ? instead : requireStored(table, id, text)),
    isDamaged: () => false,
    mark: () => ({}),
  };
}

/** For a response that would mislead without this row: it fails, and names the row to restore. */
export function requireStored<Content>(table: string, id: string, text: string): Content {
  const content = readStored<Content>(text);
  if (content !== undefined) return content;
  throw unavailable(`Row ${id} of table ${table} cannot be read. Ask an operator to restore it from a backup`);
}
