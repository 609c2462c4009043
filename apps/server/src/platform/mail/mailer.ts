import { createTransport } from 'nodemailer';
import { Problem } from '../errors.ts';
import { createFairQueue, type QueueFigures } from '../fair-queue.ts';

export interface MailConfig {
  /** smtp:// or smtps://, with user and password if the server requires them. */
  readonly url: string;
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for every attempt, so that mail programs show it once. */
  readonly messageId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface SendLimits {
  /** The org whose mail it is; the same value for all mail without an org. */
  readonly share: string;
  /** How long to wait for a free connection. After that nothing was sent: MailServerBusy. */
  readonly waitMs: number;
  /**
   * How long the conversation may take from then on. After that it is cut off, and whether the server took the mail is
   * unknown: MailServerLate.
   */
  readonly sendMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Mailer {
  /** Returns the mail server's reply when it accepted the mail. */
  send(mail: Mail, limits: SendLimits): Promise<{ readonly response: string }>;
  figures(): QueueFigures;
  close(): void;
}

export class MailServerBusy extends Error {}
export class MailServerLate extends Error {}

/** Concurrent mails of one mailer. */
export const MAIL_CONNECTIONS = 5;
const QUEUE = {
  running: MAIL_CONNECTIONS,
  runningPerOrg: 3,
  runningAlone: MAIL_CONNECTIONS,
  waiting: 2_000,
  waitingPerOrg: 1_000,
  // Each mail has its own limit.
  patienceMs: 600_000,
  heavyFromMs: 60_000,
  refusal: 'Too many emails are waiting',
};
const CONNECT_MS = 10_000;
/** Above every limit on sending: a slow server must not be disconnected while it may still accept the mail. */
const SOCKET_MS = 60_000;

/**
 * Orgs that share a mailer take turns at its connections. Mail that must not wait for deliveries has its own mailer.
 */
export function openMailer({ url, from }: MailConfig): Mailer {
  const timeouts = { connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: SOCKET_MS };
  // Each place has its own connection, so that one that is late can be cut off alone.
  const connect = () => createTransport({ url, pool: true, maxConnections: 1, ...timeouts });
  const idle = Array.from({ length: MAIL_CONNECTIONS }, connect);
  // What waits inside a transport cannot be withdrawn, so nothing ever waits there.
  const queue = createFairQueue(QUEUE);
  return {
    // Marks automatic mail as such, so that machines do not answer it (RFC 3834).
    async send({ to, headers, ...mail }, limits) {
      // As an object the address is used unchanged, and never parsed as a list.
      const recipient = { name: '', address: to };
      const all = { 'Auto-Submitted': 'auto-generated', ...headers };
      const waited = ending(limits.waitMs, new MailServerBusy(), limits.signal);
      const leave = await queue.enter(limits.share, waited).catch((error: unknown) => {
        throw error instanceof Problem ? new MailServerBusy() : error;
      });
      const transport = idle.pop() ?? connect();
      const late = ending(limits.sendMs, new MailServerLate(), limits.signal);
      try {
        const sending = transport.sendMail({ from, ...mail, to: recipient, headers: all });
        const { response } = await Promise.race([sending, rejectedBy(late)]);
        return { response };
      } finally {
        // Otherwise the conversation would go on, and the mail could go out after it was sent again.
        if (late.aborted) transport.close({ force: true });
        else idle.push(transport);
        leave();
      }
    },
    figures: queue.figures,
    close: () => {
      queue.close();
      for (const transport of idle) transport.close();
    },
  };
}

/** Connects and signs in once. Rejects when the server refuses. */
export async function checkMail({ url }: MailConfig): Promise<void> {
  const transport = createTransport({ url, connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
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

/** Whether the mail server will never accept this mail for this address. Other failures may be temporary. */
export function isRefused(error: unknown): boolean {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  return code === 'EENVELOPE' && typeof responseCode === 'number' && responseCode >= 500;
}
