import { type Html, html, type Part } from '../../platform/http/html.ts';

/** The most rows of a table; the rest is in the records. */
export const ROWS_SHOWN = 1_000;

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Part[])[];
  readonly total: number;
  /** Where in the package all of them are. */
  readonly folder: string;
}

export function reportTable({ title, columns, rows, total, folder }: Table): Html {
  if (total === 0) return html`<h2>${title}</h2><p class="quiet">None.</p>`;
  const cut =
    rows.length < total &&
    html`<p>The newest ${rows.length} of ${total}; all of them are in <code>${folder}</code>.</p>`;
  return html`<h2>${title}</h2>${cut}${grid(title, columns, rows)}`;
}

/** On a narrow screen each row becomes a card, and each cell says by itself which column it is in. */
export function grid(title: string, columns: readonly string[], rows: readonly (readonly Part[])[]): Html {
  return html`
<div class="table" role="region" aria-label="${title}" tabindex="0"><table>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, at) => html`<td data-label="${columns[at]}">${cell}</td>`)}</tr>\n`)}</tbody>
</table></div>`;
}
