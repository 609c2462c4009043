import { inert, type Message, mailContent, nameText } from '@waymark/messages';
import { layOutMail } from '../../../platform/mail/mail-layout.ts';
import { type Mail, type Mailer, MailServerBusy, MailServerLate } from '../../../platform/mail/mailer.ts';
import type { AttemptOutcome, Outgoing, Send, SendAttempt, SendParts } from './outgoing.ts';
import { failure } from './post-json.ts';

/** Waiting for earlier mails. */
const WAIT_MS = 5_000;
/** Sending one mail, from the connection to the last response. */
const SEND_MS = 10_000;
const NAME_MAX = 120;

/** A message as a mail to one address. */
export const sendMail: Send = async (parts, outgoing, attempt) => {
  const { address } = outgoing;
  if (address === null) throw new Error('a mail has no address');
  if (!parts.mailer) return failure({ error: 'This installation cannot send email', final: true });
  return outcomeOf(parts.mailer, outgoing.orgId, notificationMail(parts, outgoing, address), attempt);
};

function notificationMail(
  parts: Pick<SendParts, 'publicUrl' | 'unsubscribeUrl'>,
  outgoing: Outgoing,
  address: string,
): Mail {
  const { message, target } = outgoing;
  const { subject, title, why, facts, action, tone } = mailContent(message, parts.publicUrl);
  // An admin can configure anybody's address; a derived recipient must not miss a message about their key.
  const stop = target.derived ? undefined : parts.unsubscribeUrl(outgoing.orgId, target.id, address);
  const footer = { text: reasonOf(outgoing), ...(stop && { link: { label: 'Unsubscribe', url: stop } }) };
  const before = why === null ? [] : [why];
  return {
    ...layOutMail({ title, tone, before, facts, action, after: [], footer }),
    to: address,
    subject,
    messageId: messageIdOf(message, parts.publicUrl),
    ...(stop && { headers: unsubscribeHeaders(stop) }),
  };
}

/** The mail program shows its own button, and sends the request itself (RFC 8058). */
function unsubscribeHeaders(url: string): Readonly<Record<string, string>> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

function reasonOf({ message, target }: Outgoing): string {
  const org = inert(nameText(message.org, NAME_MAX));
  if (target.sourceName !== null) {
    return `You receive this email because the notification “${inert(nameText(target.sourceName, NAME_MAX))}” of ${org} is sent to this address.`;
  }
  if (!target.derived)
    return `You receive this email because the admins of ${org} have warnings about API keys sent to this address.`;
  return (
    'You receive this email because the key is yours, because you created its service account, or because ' +
    `you are an admin of ${org}.`
  );
}

/** The same in every attempt, so that a mail that was sent twice is recognized. */
function messageIdOf({ id }: Message, publicUrl: string): string {
  return `<${id}@${new URL(publicUrl).hostname}>`;
}

async function outcomeOf(mailer: Mailer, share: string, mail: Mail, { signal }: SendAttempt): Promise<AttemptOutcome> {
  try {
    const { response } = await mailer.send(mail, { share, waitMs: WAIT_MS, sendMs: SEND_MS, signal });
    return { delivered: true, status: statusOf(response) };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof MailServerBusy)
      return failure({ error: 'The mail server is busy with other emails: this one was not sent' });
    if (error instanceof MailServerLate) return failure({ error: 'The mail server did not accept the email in time' });
    return refusal(error);
  }
}

interface SmtpError {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
}

/** A server's reply may name machines of the operator; its codes are enough to find the reason. */
function refusal(error: unknown): AttemptOutcome {
  const { code, command, response } = (error ?? {}) as SmtpError;
  const text = typeof response === 'string' ? response : '';
  const status = statusOf(text);
  const codes = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3}(?=\s|$))?/.exec(text)?.[0].replace('-', ' ');
  // Not errors about the sender or the sign-in at the server: the operator can fix these.
  const isAboutMail = command === 'RCPT TO' || command === 'DATA';
  if (status === null) {
    if (code === 'EENVELOPE' && command === 'API') return failure({ error: 'The address is not valid', final: true });
    return failure({ error: 'The mail server cannot be reached or sent an unexpected response' });
  }
  const what = command === 'RCPT TO' ? 'the address' : 'the email';
  return failure({ status, error: `The mail server rejected ${what}: ${codes}`, final: isAboutMail && status >= 500 });
}

function statusOf(response: string): number | null {
  const code = /^\d{3}/.exec(response)?.[0];
  return code === undefined ? null : Number(code);
}
