import { type Html, html, type Part } from '../../../platform/http/html.ts';

/** On a narrow screen each row becomes a card, and each cell names its column. */
export function grid(title: string, columns: readonly string[], rows: readonly (readonly Part[])[]): Html {
  return html`
<div class="table" role="region" aria-label="${title}" tabindex="0"><table>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, at) => html`<td data-label="${columns[at]}">${cell}</td>`)}</tr>\n`)}</tbody>
</table></div>`;
}
