import type { Part } from '../../../platform/http/html.ts';
import { ROWS_SHOWN, type Table } from './report-table.ts';

/** The content of the report, collected while the records are written. */
export interface ReportDraft {
  /** Begins a table. The returned function receives each record, and keeps as many as are shown. */
  table(title: string, columns: readonly string[], whole: Part): (id: string | undefined, cells: () => Part[]) => void;
  readonly tables: readonly Table[];
  /** Ids of the records that were written. */
  readonly packaged: ReadonlySet<string>;
  /** From the id of an override to the id of what it replaced. */
  readonly overrides: Map<string, string>;
}

export function createReportDraft(): ReportDraft {
  const tables: (Table & { rows: Part[][]; total: number })[] = [];
  const packaged = new Set<string>();
  return {
    table(title, columns, whole) {
      const table = { title, columns, whole, rows: [] as Part[][], total: 0 };
      tables.push(table);
      return (id, cells) => {
        table.total++;
        if (id !== undefined) packaged.add(id);
        if (table.rows.length < ROWS_SHOWN) table.rows.push(cells());
      };
    },
    tables,
    packaged,
    overrides: new Map(),
  };
}
