import { html } from '../http/html.ts';
import type { Mail } from './mailer.ts';

export interface MailContent {
  /** The subject, and the first line. */
  readonly title: string;
  readonly before: readonly string[];
  readonly action: { readonly label: string; readonly url: string };
  readonly after: readonly string[];
}

/** The same content as text and as HTML. Whatever is put in is shown as text. */
export function layOutMail({ title, before, action, after }: MailContent): Pick<Mail, 'subject' | 'text' | 'html'> {
  const text = [title, ...before, action.url, ...after].map(oneLine).join('\n\n');
  const paragraph = (line: string) => html`<p style="margin: 0 0 16px">${line}</p>`;
  const { markup } = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${title}</title></head>
<body style="margin: 0; padding: 24px; font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif">
<div style="max-width: 448px; margin: 0 auto">
<h1 style="margin: 0 0 16px; font-size: 20px; line-height: 1.3">${title}</h1>
${before.map(paragraph)}
<p style="margin: 0 0 16px"><a href="${action.url}" style="display: inline-block; padding: 10px 18px; border-radius: 6px; background: #0b6157; color: #ffffff; font-weight: 600; text-decoration: none">${action.label}</a></p>
<p style="margin: 0 0 16px; font-size: 13px; overflow-wrap: anywhere">${action.url}</p>
${after.map(paragraph)}
</div>
</body>
</html>
`;
  return { subject: oneLine(title), text: `${text}\n`, html: markup };
}

/** A name with line breaks in it could else look like a line of ours. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
