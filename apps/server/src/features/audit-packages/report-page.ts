import type { Explanation } from '@waymark/compliance';
import type { Template } from '@waymark/template';
import { type Html, html, type Part, trusted } from '../../platform/http/html.ts';
import { explanationTree } from './explanation-tree.ts';
import { STYLE } from './report-style.ts';
import { verdictMark } from './verdict-mark.ts';

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

export interface Report {
  readonly title: string;
  readonly facts: readonly (readonly [string, Part])[];
  readonly verdict: { readonly status: string; readonly because: string };
  readonly explanation: Explanation | undefined;
  readonly template: Template | undefined;
  readonly tables: readonly Table[];
  /** Ids of the records in the package. */
  readonly packaged: ReadonlySet<string>;
}

/** The report for reading: one file, no scripts, nothing from elsewhere. Everything put in is escaped. */
export function reportPage(report: Report): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${report.title}</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
<h1><bdi>${report.title}</bdi></h1>
<p>${verdictMark(report.verdict.status)} ${report.verdict.because}</p>
<table><tbody>${report.facts.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>
${report.explanation && html`<h2>Explanation</h2>${explanationTree(report.explanation, report.packaged)}`}
${report.template && requirements(report.template)}
${report.tables.map(table)}
</body>
</html>
`.markup;
}

function requirements({ trail }: Template): Html {
  const about = (subject: string, asked: readonly { name: string; type: string }[]) =>
    asked.map(
      ({ name, type }) => html`<tr><td><bdi>${subject}</bdi></td><td><bdi>${name}</bdi></td><td>${type}</td></tr>`,
    );
  const rows = [
    about('the trail', trail.attestations),
    trail.artifacts.map((artifact) => [
      html`<tr><td><bdi>${artifact.name}</bdi></td><td class="quiet">the artifact itself</td><td></td></tr>`,
      about(artifact.name, artifact.attestations),
    ]),
  ];
  const isEmpty = trail.attestations.length + trail.artifacts.length === 0;
  return html`<h2>Requirements</h2>
<p class="quiet">From the template that the trail pinned: <a href="records/template.json">template.json</a></p>
${
  isEmpty
    ? html`<p>Nothing is required.</p>`
    : html`<div class="table"><table><thead><tr><th>About</th><th>Needs</th><th>Of type</th></tr></thead><tbody>${rows}</tbody></table></div>`
}`;
}

function table({ title, columns, rows, total, folder }: Table): Html {
  if (total === 0) return html`<h2>${title}</h2><p class="quiet">None.</p>`;
  const cut =
    rows.length < total &&
    html`<p>The newest ${rows.length} of ${total}; all of them are in <code>${folder}</code>.</p>`;
  return html`<h2>${title}</h2>${cut}
<div class="table"><table><thead><tr>${columns.map((column) => html`<th>${column}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody></table></div>`;
}
