import { DOCUMENT_STYLE, LIGHT_COLOURS } from '../kit/document-style.ts';

export const STYLE = `
:root { color-scheme: light dark; }
${LIGHT_COLOURS}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121615; --panel: #1a201e; --ink: #e3e8e6; --quiet: #9ca8a3; --line: #36403c; --link: #74cabb;
    --shade: rgb(0 0 0 / 80%); --good: #8fcf9b; --bad: #f0a09a; --open: #e6bd77;
  }
}
${DOCUMENT_STYLE}
@media print { details { break-inside: avoid; } body { max-width: none; } }
`;
