import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, expect } from 'vitest';

/** The SMTP reply in place of accepting a mail. */
export interface SmtpRefusal {
  readonly code: number;
  readonly text: string;
}

export interface Received {
  /** As the envelope names them. */
  readonly to: readonly string[];
  readonly mail: Email;
}

export interface MailServer {
  readonly url: string;
  readonly received: Received[];
  /** The newest mail to an address, as soon as there is one. */
  mailTo(address: string): Promise<Email>;
  /** Set to refuse recipients. */
  refuse: SmtpRefusal | undefined;
  /** Set to refuse a mail after all of it was sent. */
  refuseContent: SmtpRefusal | undefined;
  /** How long it takes to accept a mail. */
  delayMs: number;
  /** Set to delay mails until this settles. */
  contentWaitsFor: Promise<void> | undefined;
  /** How many mails it has received and not yet answered. */
  readonly thinking: number;
  /** Set to delay recipients until this settles. */
  recipientsWaitFor: Promise<void> | undefined;
}

/** An SMTP server that really receives, until the tests of the file have ended. */
export async function startMailServer(): Promise<MailServer> {
  const received: Received[] = [];
  let thinking = 0;
  const smtp = new SMTPServer({
    authOptional: true,
    // Mailers keep their connections open.
    closeTimeout: 100,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo(_address, _session, answer) {
      void Promise.resolve(server.recipientsWaitFor).then(() => answer(failureOf(server.refuse)));
    },
    onData(stream, session, answer) {
      void buffer(stream).then(async (bytes) => {
        const failure = failureOf(server.refuseContent);
        thinking += 1;
        await Promise.all([sleep(server.delayMs), server.contentWaitsFor]);
        thinking -= 1;
        const to = session.envelope.rcptTo.map(({ address }) => address);
        if (!failure) received.push({ to, mail: await PostalMime.parse(bytes) });
        answer(failure);
      });
    },
  });
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  afterAll(() => new Promise<void>((done) => smtp.close(() => done())));
  const server: MailServer = {
    url: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    received,
    refuse: undefined,
    refuseContent: undefined,
    delayMs: 0,
    contentWaitsFor: undefined,
    get thinking() {
      return thinking;
    },
    recipientsWaitFor: undefined,
    async mailTo(address) {
      const newest = () => received.findLast(({ to }) => to.includes(address))?.mail;
      await expect.poll(newest, { message: `a mail to ${address}` }).toBeDefined();
      return newest() as Email;
    },
  };
  return server;
}

function failureOf(refusal: SmtpRefusal | undefined): Error | null {
  return refusal ? Object.assign(new Error(refusal.text), { responseCode: refusal.code }) : null;
}

/** The one link in the text of a mail. */
export function linkIn({ text }: Email): string {
  const links = text?.match(/https?:\/\/\S+/g) ?? [];
  const [link] = links;
  if (link === undefined || links.length > 1) throw new Error(`a mail with one link was expected:\n${text}`);
  return link;
}
