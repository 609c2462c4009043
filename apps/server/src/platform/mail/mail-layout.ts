import { html } from '../http/html.ts';
import type { Mail } from './mailer.ts';

export interface MailContent {
  /** The subject, and the first line. */
  readonly title: string;
  /** Shown by a colored line beside the title; the title says it, too. */
  readonly tone?: 'good' | 'bad' | 'neutral';
  readonly before: readonly string[];
  readonly facts?: readonly { readonly label: string; readonly value: string }[];
  readonly action: { readonly label: string; readonly url: string };
  readonly after: readonly string[];
  /** Small print, with an optional link. */
  readonly footer?: { readonly text: string; readonly link?: { readonly label: string; readonly url: string } };
}

/** Legible on a light and on a dark background. */
const TONES = { good: '#2e8b45', bad: '#d64545', neutral: '#8b9691' } as const;

/** The same content as text and as HTML. Every inserted value is shown as text. */
export function layOutMail(content: MailContent): Pick<Mail, 'subject' | 'text' | 'html'> {
  const { tone, before, facts = [], action, after, footer } = content;
  const title = oneLine(content.title);
  const bar = tone && `border-left: 4px solid ${TONES[tone]}; padding-left: 12px`;
  const { markup } = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title}</title></head>
<body style="margin: 0; padding: 24px; font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif">
<div style="max-width: ${facts.length > 0 ? 560 : 448}px; margin: 0 auto; overflow-wrap: anywhere">
<h1 style="margin: 0 0 16px; font-size: 20px; line-height: 1.3; ${bar}">${title}</h1>
${before.map(paragraph)}
${facts.length > 0 && html`<table style="margin: 0 0 20px; border-collapse: collapse; font-size: 15px; line-height: 1.45">${facts.map(row)}</table>`}
<p style="margin: 0 0 16px"><a href="${action.url}" style="display: inline-block; padding: 10px 18px; border-radius: 6px; background: #0b6157; color: #ffffff; font-weight: 600; text-decoration: none">${action.label}</a></p>
<p style="margin: 0 0 16px; font-size: 13px; overflow-wrap: anywhere">${action.url}</p>
${after.map(paragraph)}
${footer && smallPrint(footer)}
</div>
</body>
</html>
`;
  return { subject: title, text: textOf(content), html: markup };
}

function textOf({ title, before, facts = [], action, after, footer }: MailContent): string {
  const table = facts.map(({ label, value }) => oneLine(`${label}: ${value}`)).join('\n');
  const last = footer ? [footer.text, ...(footer.link ? [`${footer.link.label}: ${footer.link.url}`] : [])] : [];
  const parts = [
    ...[title, ...before].map(oneLine),
    ...(table ? [table] : []),
    ...[action.url, ...after, ...last].map(oneLine),
  ];
  return `${parts.join('\n\n')}\n`;
}

function paragraph(line: string) {
  return html`<p style="margin: 0 0 16px">${oneLine(line)}</p>`;
}

function row({ label, value }: { readonly label: string; readonly value: string }) {
  return html`<tr><th scope="row" style="padding: 3px 16px 3px 0; text-align: left; vertical-align: top; font-weight: 400; white-space: nowrap; opacity: 0.7">${label}</th><td style="padding: 3px 0; vertical-align: top">${oneLine(value)}</td></tr>`;
}

function smallPrint({ text, link }: NonNullable<MailContent['footer']>) {
  return html`<p style="margin: 24px 0 0; font-size: 13px; opacity: 0.75">${oneLine(text)}${link && html` <a href="${link.url}" style="color: inherit">${link.label}</a>`}</p>`;
}

/** Otherwise a name with line breaks could imitate a line of ours, and one with direction marks could rearrange it. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, '');
}
