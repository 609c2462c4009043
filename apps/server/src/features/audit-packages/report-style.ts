export const STYLE = `
:root { color-scheme: light dark; --quiet: #56625d; --line: #d5dad8; --good: #1d6b34; --bad: #a12a2a; --open: #7a4b06; }
@media (prefers-color-scheme: dark) {
  :root { --quiet: #9ca8a3; --line: #36403c; --good: #8fcf9b; --bad: #f0a09a; --open: #e6bd77; }
}
body { max-width: 70rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin-top: 2.5rem; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.86em; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); }
th { white-space: nowrap; }
td { max-width: 24rem; overflow-wrap: break-word; }
td code { display: inline-block; min-width: 16ch; max-width: 32ch; word-break: break-all; }
time { white-space: nowrap; }
.table { overflow-x: auto; }
.quiet { color: var(--quiet); }
.verdict { font-weight: 700; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
details { margin: 0.35rem 0 0.35rem 1rem; }
details > p { margin: 0.2rem 0 0.2rem 1rem; }
bdi { unicode-bidi: isolate; }
@media print { details { break-inside: avoid; } body { max-width: none; } }
`;
