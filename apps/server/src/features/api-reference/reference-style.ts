/** Its hash is in the page's content security policy, so it must be sent unchanged. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f6f7f6; --line: #dfe3e1; --ink: #1b2421; --quiet: #56625d;
  --link: #0b6157; --mark: #0b6157; --wash: #eaf3f0;
  --get: #1d5a8c; --get-wash: #e7f0f8; --put: #7a4b06; --put-wash: #faf0dc;
  --post: #23642f; --post-wash: #e6f3e8; --patch: #65419a; --patch-wash: #f1ebfa;
  --delete: #9a2a2a; --delete-wash: #fbe9e8;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif;
  --mono: ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121615; --panel: #1a201e; --line: #2d3633; --ink: #e3e8e6; --quiet: #9ca8a3;
    --link: #74cabb; --mark: #74cabb; --wash: #1b2c28;
    --get: #8fc1ea; --get-wash: #1a2a39; --put: #e6bd77; --put-wash: #322815;
    --post: #8fcf9b; --post-wash: #1a2e1e; --patch: #c4a8ee; --patch-wash: #2a2239;
    --delete: #f0a09a; --delete-wash: #3a2020;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.6 var(--sans); }
h1, h2, h3, h4, p, ul, table, figure, pre { margin: 0; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 2.25rem; letter-spacing: -0.02em; }
h2 { font-size: 1.5rem; letter-spacing: -0.01em; }
h3 { font-size: 1.2rem; }
h4 { font-size: 0.9rem; margin-top: 1.75rem; }
p + p, h2 + p, h3 + p { margin-top: 0.75rem; }
h4 + p { margin-top: 0.35rem; }
a { color: var(--link); text-underline-offset: 0.18em; }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: 0.86em; overflow-wrap: anywhere; }
p code, td code { background: var(--panel); border-radius: 4px; padding: 0.1em 0.3em; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 1rem; background: var(--page); z-index: 1; }
.skip:focus { top: 1rem; }

nav { padding: 0.25rem 1.25rem 1.5rem; border-block: 1px solid var(--line); background: var(--panel); font-size: 0.9rem; }
nav h2 { margin: 1.25rem 0 0.35rem; font-size: 0.9rem; letter-spacing: 0; }
nav h2 a { color: var(--ink); }
nav ul { padding: 0; list-style: none; }
nav a { display: flex; gap: 0.6rem; align-items: baseline; padding: 0.2rem 0; color: var(--quiet); text-decoration: none; line-height: 1.4; }
nav a:focus-visible { outline-offset: 0; }
nav a:hover { color: var(--link); }
nav .method { flex: none; width: 3rem; padding: 0; background: none; line-height: inherit; }
.brand { display: none; }
.brand a { color: var(--ink); font-weight: 700; font-size: 1.1rem; }

header { padding: 2rem 1.25rem 1.75rem; }
main { padding: 1rem 1.25rem 4rem; max-width: 52rem; }
.version { color: var(--quiet); font-weight: 400; }
.lead { margin-top: 0.75rem; font-size: 1.15rem; color: var(--quiet); max-width: 40rem; }
.base { margin-top: 1.25rem; font-size: 0.9rem; }
.base span { color: var(--quiet); margin-right: 0.5rem; }
.topic { padding: 1.5rem 0; }
.topic h2 { font-size: 1.2rem; }
.group { margin-top: 3rem; padding-top: 2.5rem; border-top: 1px solid var(--line); }
article { padding: 2rem 0; border-bottom: 1px solid var(--line); }
article:last-child { border-bottom: 0; }
.text { min-width: 0; }
.text > p { max-width: 42rem; }
.sample { min-width: 0; margin-top: 1.5rem; }
.heading { color: inherit; text-decoration: none; }
.heading::after { content: ' #'; color: var(--quiet); opacity: 0; }
.heading:hover::after, .heading:focus-visible::after { opacity: 1; }
:target > .text > h2 .heading, :target > .text > h3 .heading, :target > h3 .heading { color: var(--mark); }

.endpoint { margin-top: 0.6rem; }
.endpoint code { background: none; padding: 0; font-size: 0.9rem; }
.access, .note { color: var(--quiet); font-size: 0.9rem; }
.access b { color: var(--ink); font-weight: 600; }
.note { margin-top: 0.5rem; }
.method { display: inline-block; padding: 0.15rem 0.45rem; border-radius: 4px; font: 600 0.75rem/1.4 var(--mono); }
.get { color: var(--get); background: var(--get-wash); }
.put { color: var(--put); background: var(--put-wash); }
.post { color: var(--post); background: var(--post-wash); }
.patch { color: var(--patch); background: var(--patch-wash); }
.delete { color: var(--delete); background: var(--delete-wash); }

table { width: 100%; margin-top: 0.5rem; border-collapse: collapse; font-size: 0.875rem; line-height: 1.5; }
th, td { padding: 0.55rem 0.75rem 0.55rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { padding-block: 0.35rem; color: var(--quiet); font-weight: 400; }
tbody th { font-weight: 600; }
tbody th code { overflow-wrap: break-word; }
.fields thead { position: absolute; clip-path: inset(50%); }
.fields tbody { border-top: 1px solid var(--line); }
.fields tbody th { width: 32%; }
td p { margin-top: 0.15rem; }
.required, .optional { display: block; font-size: 0.8rem; font-weight: 400; color: var(--quiet); }
.required { color: var(--put); }
#schemas .required { color: var(--quiet); }
.limits, .media { color: var(--quiet); }
.media { font-weight: 400; }

figure { border: 1px solid var(--line); border-radius: 8px; background: var(--panel); overflow: hidden; }
figure + figure { margin-top: 1rem; }
figcaption { padding: 0.45rem 0.9rem; border-bottom: 1px solid var(--line); color: var(--quiet); font-size: 0.8rem; }
pre { padding: 0.8rem 0.9rem; font-size: 0.78rem; line-height: 1.6; white-space: pre-wrap; }
pre code { font-size: inherit; user-select: all; }

@media (max-width: 40rem) {
  thead { position: absolute; clip-path: inset(50%); }
  table, tbody, tr, tbody th, td { display: block; }
  tr { padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  tbody { border-top: 1px solid var(--line); }
  .fields tbody tr > *, .responses tbody tr > * { padding: 0; border: 0; width: auto; }
  .required, .optional { display: inline; margin-left: 0.4rem; }
  .responses tr { display: grid; grid-template-columns: 3.25rem 1fr; }
  .responses td { grid-column: 2; }
  .responses th + td { grid-row: 1; }
}
@media (min-width: 60rem) {
  body { display: grid; grid-template: auto 1fr / 18rem minmax(0, 1fr); }
  nav { grid-area: 1 / 1 / 3; position: sticky; top: 0; height: 100vh; overflow-y: auto; padding-top: 1.5rem; }
  nav { border: 0; border-right: 1px solid var(--line); }
  .brand { display: block; }
  header { padding: 3.5rem 3rem 1rem; }
  main { padding: 0 3rem 6rem; }
}
@media (min-width: 80rem) {
  main { max-width: 80rem; }
  .split { display: grid; grid-template-columns: minmax(0, 1fr) minmax(20rem, 27rem); gap: 3rem; }
  .sample { margin: 0; position: sticky; top: 1.5rem; align-self: start; }
  #schemas article { max-width: 44rem; }
}
@media print {
  :root { --page: #fff; --panel: #fff; --line: #bbb; --ink: #000; --quiet: #444; --link: #000; --mark: #000; }
  html { font-size: 10pt; }
  nav, .skip { display: none; }
  header, main { padding: 0; max-width: none; }
  h2, h3, h4, .endpoint { break-after: avoid; }
  tr, figure { break-inside: avoid; }
}
`;
