/** Colors of a document on white. */
export const LIGHT_COLOURS = `
:root {
  --page: #ffffff; --panel: #f6f7f6; --ink: #1b2421; --quiet: #56625d; --line: #d5dad8; --link: #0b6157;
  --shade: rgb(27 36 33 / 22%); --good: #1d6b34; --bad: #a12a2a; --open: #7a4b06;
}
`;

/**
 * The layout of documents, in any colors. Narrow layouts are for screens only: paper is narrower than most screens, and
 * its tables stay tables.
 */
export const DOCUMENT_STYLE = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  max-width: 76rem; margin: 0 auto; padding: 2rem 1.25rem 4rem;
  background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
}
h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.2rem; }
p { margin: 0.5rem 0; }
a { color: var(--link); text-underline-offset: 0.18em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
bdi { unicode-bidi: isolate; overflow-wrap: anywhere; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.86em; overflow-wrap: anywhere; }
time, .whole { white-space: nowrap; }
.lead { margin: 0.75rem 0 1.5rem; font-size: 1.1rem; max-width: 60rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.verdict { font-weight: 700; white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); font-weight: 700; }

dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 1.5rem; margin: 0; font-size: 0.95rem; }
dt { color: var(--quiet); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }

details { margin: 0.5rem 0; padding-left: 0.9rem; border-left: 2px solid var(--line); overflow-wrap: anywhere; }
details > p { margin: 0.2rem 0 0.2rem 1.1rem; max-width: 60rem; }
summary { cursor: pointer; }

table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.5rem 1rem 0.5rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
td { max-width: 24rem; overflow-wrap: break-word; }
td bdi { overflow-wrap: break-word; }
td a code { white-space: nowrap; }
td > div + div { margin-top: 0.15rem; }
td .digest { display: inline-block; min-width: 16ch; max-width: 32ch; word-break: break-all; }
.table {
  overflow-x: auto;
  background:
    linear-gradient(to right, var(--page) 30%, transparent) left / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--page) 30%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / 0.9rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / 0.9rem 100% no-repeat scroll;
}

@media screen and (max-width: 44rem) {
  body { padding: 1.25rem 1rem 3rem; }
  h1 { font-size: 1.35rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.6rem; }
  details { padding-left: 0.6rem; }
  details > p { margin-left: 0.25rem; }
  .table { overflow-x: visible; background: none; }
  table, tbody, tr, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { margin-bottom: 0.75rem; padding: 0.6rem 0.75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); }
  td { display: grid; grid-template-columns: 6.5rem 1fr; max-width: none; padding: 0.25rem 0; border: 0; }
  td::before { content: attr(data-label); grid-row: 1 / span 20; color: var(--quiet); }
  td > * { grid-column: 2; min-width: 0; }
  td bdi { overflow-wrap: anywhere; }
  td .digest { min-width: 0; max-width: none; }
  td:empty { display: none; }
}
`;
