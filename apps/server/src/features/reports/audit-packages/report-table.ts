import { type Html, html, type Part } from '../../../platform/http/html.ts';
import { grid } from '../kit/grid.ts';

/** The most rows of a table. */
export const ROWS_SHOWN = 1_000;

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Part[])[];
  readonly total: number;
  /** Where all of them are. */
  readonly whole: Part;
}

export function reportTable({ title, columns, rows, total, whole }: Table): Html {
  if (total === 0) return html`<h2>${title}</h2><p class="quiet">None.</p>`;
  const cut = rows.length < total && html`<p>The newest ${rows.length} of ${total}; all of them are in ${whole}.</p>`;
  return html`<h2>${title}</h2>${cut}${grid(title, columns, rows)}`;
}
