import { hash } from 'node:crypto';
import { type Html, html, trusted } from '../../../platform/http/html.ts';
import { text, time } from '../kit/cells.ts';
import { REPORT_STYLE } from './report-style.ts';

/** The page applies its own style and can do nothing else, whatever texts it holds, even from where it was saved. */
const IN_PAGE = ["default-src 'none'", `style-src 'sha256-${hash('sha256', REPORT_STYLE, 'base64')}'`];
export const REPORT_POLICY = [...IN_PAGE, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ');

export interface PrintedReport {
  readonly title: string;
  /** All inputs of the report: another time, or another service, makes another report. */
  readonly content: Html;
}

interface Made {
  readonly at: Date;
  readonly by: string;
  readonly publicUrl: string;
}

/**
 * The digest covers the lines from `<main>` to `</main>`. No value can contain such a line, so anybody can cut them out
 * with `sed`.
 */
export function reportPage(
  { title, content }: PrintedReport,
  made: Made,
): { readonly page: string; readonly sha256: string } {
  const main = `<main>\n${content.markup}\n</main>\n`;
  const sha256 = hash('sha256', main);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="${IN_PAGE.join('; ')}">
<title>${title}</title>
<style>${trusted(REPORT_STYLE)}</style>
</head>
<body>
<header class="made">
<p><strong>Waymark report</strong>, created ${time(made.at)} by ${text(made.by)} at ${text(made.publicUrl)}</p>
<p>SHA-256 of the content: <code>${sha256}</code></p>
<p>To verify a saved file: <code>sed -n '/^&lt;main&gt;$/,/^&lt;\\/main&gt;$/p' FILE | sha256sum</code></p>
</header>
${trusted(main)}</body>
</html>
`.markup;
  return { page, sha256 };
}
