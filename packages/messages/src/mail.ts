import { linkText } from './chat-text.ts';
import type { Message } from './content.ts';
import { type Glance, glanceOf } from './glance.ts';
import { inert } from './plain-text.ts';
import { linkOf } from './webhook-body.ts';

/** A message as a mail: text that must still be escaped for HTML. */
export interface MailContent extends Pick<Glance, 'tone'> {
  readonly subject: string;
  readonly title: string;
  readonly why: string | null;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly action: { readonly label: string; readonly url: string };
}

/** Mail programs turn names that look like addresses into links; those in the body are prevented from it. */
export function mailContent(message: Message, publicUrl: string): MailContent {
  const { tone, title, why, facts, action } = glanceOf(message);
  return {
    tone,
    subject: title,
    title: inert(title),
    why: why === null ? null : inert(why),
    facts: facts.map(({ label, value }) => ({ label, value: inert(value) })),
    action: { label: action, url: linkText(linkOf(message, publicUrl), publicUrl) },
  };
}
