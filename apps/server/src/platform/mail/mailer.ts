import { createTransport } from 'nodemailer';

export interface MailConfig {
  /** smtp:// or smtps://, with user and password if the server wants them. */
  readonly url: string;
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): void;
}

const TIMEOUT_MS = 10_000;

export function openMailer({ url, from }: MailConfig): Mailer {
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url, pool: true, ...timeouts });
  return {
    // Automatic mail says so, and is not answered by other machines (RFC 3834).
    async send({ to, subject, text, html }) {
      const headers = { 'Auto-Submitted': 'auto-generated' };
      // As an object the address is taken as it stands, and never read as a list of several.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, html, headers });
    },
    close: () => transport.close(),
  };
}

/** Whether the mail server will never take this mail for this address. Anything else may pass. */
export function isRefused(error: unknown): boolean {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  return code === 'EENVELOPE' && typeof responseCode === 'number' && responseCode >= 500;
}
