import type { Explanation } from '@waymark/compliance';
import { type Html, html, type Part, trusted } from '../../../platform/http/html.ts';
import { verdictMark } from '../kit/verdict-mark.ts';
import { explanationTree, type Surroundings } from './explanation-tree.ts';
import { STYLE } from './report-style.ts';
import { reportTable, type Table } from './report-table.ts';
import { type Asked, requirements } from './requirements.ts';

export interface Sections {
  readonly explanation: Explanation | undefined;
  readonly around: Surroundings;
  readonly asked: Asked | undefined;
  readonly tables: readonly Table[];
}

export interface ReportPage extends Sections {
  readonly title: string;
  readonly facts: readonly (readonly [string, Part])[];
  readonly verdict: { readonly status: string; readonly because: string };
}

/** What follows the cover. */
export function reportSections({ explanation, around, asked, tables }: Sections): Html {
  return html`${explanation && html`<h2>Explanation</h2>${explanationTree(explanation, around)}`}
${asked && requirements(asked)}
${tables.map(reportTable)}`;
}

/** The report for readers: one file, without scripts or external resources. All values are escaped. */
export function reportPage(report: ReportPage): string {
  const { title, facts, verdict } = report;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
<h1><bdi>${title}</bdi></h1>
<p class="lead">${verdictMark(verdict.status)} ${verdict.because}</p>
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>
${reportSections(report)}
</body>
</html>
`.markup;
}
