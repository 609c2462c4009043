import { createTransport } from 'nodemailer';
import { createPlaces } from './places.ts';

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

interface SendLimits {
  /** For a connection that is free. Then nothing was sent: MailServerBusy. */
  readonly waitMs: number;
  /** From then on, to the last answer. Nobody knows then whether it arrives: MailServerLate. */
  readonly sendMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Mailer {
  /** Returns what the mail server said when it took the mail. Without limits it takes as long as it takes. */
  send(mail: Mail, limits?: SendLimits): Promise<{ readonly response: string }>;
  close(): void;
}

export class MailServerBusy extends Error {}
export class MailServerLate extends Error {}

const TIMEOUT_MS = 10_000;
const CONNECTIONS = 5;

/** Who shares a mailer waits for the others: what must not wait for deliveries has one of its own. */
export function openMailer({ url, from }: MailConfig): Mailer {
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url, pool: true, maxConnections: CONNECTIONS, ...timeouts });
  // What waits inside of the transport cannot be taken back, so nothing ever waits there.
  const takePlace = createPlaces(CONNECTIONS);
  return {
    // Automatic mail says so, and is not answered by other machines (RFC 3834).
    async send({ to, headers, ...mail }, limits) {
      // As an object the address is taken as it stands, and never read as a list of several.
      const recipient = { name: '', address: to };
      const all = { 'Auto-Submitted': 'auto-generated', ...headers };
      const leave = await takePlace(limits && ending(limits.waitMs, new MailServerBusy(), limits.signal));
      const sending = transport.sendMail({ from, ...mail, to: recipient, headers: all }).finally(leave);
      const late = limits && ending(limits.sendMs, new MailServerLate(), limits.signal);
      const { response } = await (late ? Promise.race([sending, rejectedBy(late)]) : sending);
      return { response };
    },
    close: () => transport.close(),
  };
}

/** Aborted with the error after this time, or with the signal if that is earlier. */
function ending(ms: number, error: Error, signal: AbortSignal | undefined): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(error), ms).unref();
  return signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Whether the mail server will never take this mail for this address. Anything else may pass. */
export function isRefused(error: unknown): boolean {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  return code === 'EENVELOPE' && typeof responseCode === 'number' && responseCode >= 500;
}
