/** Its hash is in the pages' content security policy, so it must be sent unchanged. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f6; --panel: #ffffff; --line: #dfe3e1; --field: #8b9691; --ink: #1b2421; --quiet: #56625d;
  --link: #0b6157; --button: #0b6157; --on-button: #ffffff; --bad: #9a2a2a; --bad-wash: #fbe9e8;
  --good: #23642f; --good-wash: #e6f3e8;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif;
  --mono: ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121615; --panel: #1a201e; --line: #2d3633; --field: #6d7974; --ink: #e3e8e6; --quiet: #9ca8a3;
    --link: #74cabb; --button: #74cabb; --on-button: #10201c; --bad: #f0a09a; --bad-wash: #3a2020;
    --good: #8fcf9b; --good-wash: #1a2e1e;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.6 var(--sans); }
h1, h2, p, ul, dl, dd, table, pre { margin: 0; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -0.01em; text-wrap: balance; }
h2 { margin-top: 2.25rem; font-size: 1.1rem; line-height: 1.3; }
p + p, h1 + p, h2 + p, h1 + form, h2 + form, p + form, form + form, .note + * { margin-top: 1rem; }
a { color: var(--link); text-underline-offset: 0.18em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: 0.9em; overflow-wrap: anywhere; }
header { padding: 1.25rem; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; align-items: baseline; max-width: 28rem; margin: 0 auto; }
.wide > header { max-width: 60rem; }
header .brand { color: var(--ink); font-weight: 700; text-decoration: none; margin-right: auto; }
main { margin: 1.5rem auto 4rem; padding: 1.5rem 1.25rem; max-width: 28rem; background: var(--panel); border-block: 1px solid var(--line); }
.wide > main { max-width: 60rem; }
button + p, .button + p { margin-top: 1rem; }
.problem { margin-top: 0.3rem; color: var(--bad); font-size: 0.9rem; }
.tag { padding: 0.05rem 0.45rem; border-radius: 999px; background: var(--good-wash); color: var(--good); font-size: 0.8rem; font-weight: 400; white-space: nowrap; }
.tag.bad { background: var(--bad-wash); color: var(--bad); }
.tag.neutral { background: var(--page); color: var(--quiet); }
.short, time { white-space: nowrap; }
.block { display: block; }
.after { margin-top: 1rem; }
.narrow { max-width: 26rem; }
.unseen { position: absolute; clip-path: inset(50%); }
.label { color: var(--quiet); }
.quiet { color: var(--quiet); font-size: 0.9rem; }
.note { padding: 0.6rem 0.85rem; border-radius: 6px; background: var(--good-wash); color: var(--good); }
.note.bad { background: var(--bad-wash); color: var(--bad); }
h1 + .note { margin-top: 1rem; }
.secret { display: block; padding: 0.75rem; border: 1px dashed var(--field); border-radius: 6px; user-select: all; }
label { display: block; margin-top: 1rem; font-weight: 600; font-size: 0.9rem; }
label .quiet { font-weight: 400; }
::placeholder { color: var(--quiet); opacity: 1; }
input, select { display: block; width: 100%; margin-top: 0.3rem; padding: 0.55rem 0.7rem; font: 400 1rem/1.6 var(--sans); color: var(--ink);
  background: var(--page); border: 1px solid var(--field); border-radius: 6px; }
button, .button { display: inline-block; margin-top: 1.25rem; padding: 0.6rem 1.1rem; font: inherit; font-weight: 600; cursor: pointer; text-decoration: none;
  color: var(--on-button); background: var(--button); border: 1px solid var(--button); border-radius: 6px; }
button.second, .button.second { color: var(--ink); background: none; border-color: var(--field); }
button.plain { margin: 0; padding: 0.2rem 0.6rem; font-weight: 400; color: var(--ink); background: none; border-color: var(--field); }
table { width: 100%; margin-top: 0.75rem; border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.5rem 0.75rem 0.5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
tbody th { font-weight: 600; }
tbody th .quiet, td .quiet { font-weight: 400; }
thead th { color: var(--quiet); font-weight: 400; }
td form { margin: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.4rem 1.25rem; margin-top: 1rem; }
dt { color: var(--quiet); }
dd { overflow-wrap: anywhere; }
@media (min-width: 44rem) {
  .label { display: none; }
  td:has(> form) { width: 1%; white-space: nowrap; }
  header { padding-inline: 2rem; }
  main { padding: 2rem; border: 1px solid var(--line); border-radius: 10px; }
}
@media (max-width: 44rem) {
  table.stacks thead { position: absolute; clip-path: inset(50%); }
  table.stacks tr { display: block; padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  table.stacks td, table.stacks th { display: block; padding: 0.1rem 0; border: 0; }
}
`;
