import { DOCUMENT_STYLE, LIGHT_COLOURS } from '../kit/document-style.ts';

/** Equal for all reports, so that one digest in their content security policy covers it. */
export const REPORT_STYLE = `
:root { color-scheme: light; }
${LIGHT_COLOURS}
${DOCUMENT_STYLE}
.made {
  margin-bottom: 2rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line); font-size: 0.85rem;
  color: var(--quiet); overflow-wrap: anywhere;
}
.made p { margin: 0.2rem 0; }
.made strong { color: var(--ink); }
.strip { display: block; width: 100%; height: 2rem; margin: 0.75rem 0 0.25rem; border: 1px solid var(--line); }
.strip .is-compliant { fill: #8cc29a; }
.strip .is-non-compliant { fill: #a12a2a; }
.strip .is-unknown { fill: #e0c186; }
.strip .is-stale { fill: #ffffff; }
.ends { display: flex; justify-content: space-between; gap: 1rem; margin-bottom: 1rem; font-size: 0.85rem; color: var(--quiet); }
.key { display: inline-block; width: 0.8em; height: 0.8em; border: 1px solid var(--line); vertical-align: -0.05em; }
.key.is-compliant { background: #8cc29a; }
.key.is-non-compliant { background: #a12a2a; }
.key.is-unknown { background: #e0c186; }

@page {
  size: A4;
  margin: 16mm 15mm 20mm;
  @bottom-left { content: 'Waymark report'; font: 8pt system-ui, sans-serif; color: #56625d; }
  @bottom-right { content: counter(page) ' / ' counter(pages); font: 8pt system-ui, sans-serif; color: #56625d; }
}
@media print {
  html { font-size: 9pt; }
  body { max-width: none; padding: 0; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .table { overflow: visible; background: none; }
  thead { display: table-header-group; }
  tr, .strip { break-inside: avoid; }
  h2, summary { break-after: avoid; }
  th, td { padding: 0.35rem 0.75rem 0.35rem 0; }
  td .digest { min-width: 0; }
}
`;
