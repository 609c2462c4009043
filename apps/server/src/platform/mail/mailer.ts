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
  /** The same for a mail that is sent again, so that programs show it once. */
  readonly messageId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  /** Returns what the mail server said when it took the mail. */
  send(mail: Mail): Promise<{ readonly response: string }>;
  close(): void;
}

const TIMEOUT_MS = 10_000;

export function openMailer({ url, from }: MailConfig): Mailer {
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url, pool: true, ...timeouts });
  return {
    // Automatic mail says so, and is not answered by other machines (RFC 3834).
    async send({ to, headers, ...mail }) {
      // As an object the address is taken as it stands, and never read as a list of several.
      const recipient = { name: '', address: to };
      const all = { 'Auto-Submitted': 'auto-generated', ...headers };
      const { response } = await transport.sendMail({ from, ...mail, to: recipient, headers: all });
      return { response };
    },
    close: () => transport.close(),
  };
}

/** Whether the mail server will never take this mail for this address. Anything else may pass. */
export function isRefused(error: unknown): boolean {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  return code === 'EENVELOPE' && typeof responseCode === 'number' && responseCode >= 500;
}
