import { createTransport } from 'nodemailer';
import { Problem } from '../errors.ts';
import { createFairQueue, type QueueFigures } from '../fair-queue.ts';

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
  /** The org whose mail it is; the same for all mail that belongs to none. */
  readonly share: string;
  /** For a connection that is free. Then nothing was sent: MailServerBusy. */
  readonly waitMs: number;
  /** From then on, to the last answer. Then the conversation is cut off, and whether the mail was taken is unknown: MailServerLate. */
  readonly sendMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Mailer {
  /** Returns what the mail server said when it took the mail. */
  send(mail: Mail, limits: SendLimits): Promise<{ readonly response: string }>;
  figures(): QueueFigures;
  close(): void;
}

export class MailServerBusy extends Error {}
export class MailServerLate extends Error {}

/** Mails that one mailer sends at once. */
export const MAIL_CONNECTIONS = 5;
const QUEUE = {
  running: MAIL_CONNECTIONS,
  runningPerOrg: 3,
  runningAlone: MAIL_CONNECTIONS,
  waiting: 2_000,
  waitingPerOrg: 1_000,
  // Each mail brings its own limit.
  patienceMs: 600_000,
  heavyFromMs: 60_000,
  refusal: 'Too many mails are waiting',
};
const CONNECT_MS = 10_000;
/** Above every limit on sending: a server that thinks about a mail must not be left while it may still take it. */
const SOCKET_MS = 60_000;

/** Orgs that share a mailer take turns at its connections. Mail that must not wait for deliveries has one of its own. */
export function openMailer({ url, from }: MailConfig): Mailer {
  const timeouts = { connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: SOCKET_MS };
  // Each place has a connection of its own, so that one that is late can be cut off alone.
  const connect = () => createTransport({ url, pool: true, maxConnections: 1, ...timeouts });
  const idle = Array.from({ length: MAIL_CONNECTIONS }, connect);
  // What waits inside of a transport cannot be taken back, so nothing ever waits there.
  const queue = createFairQueue(QUEUE);
  return {
    // Automatic mail says so, and is not answered by other machines (RFC 3834).
    async send({ to, headers, ...mail }, limits) {
      // As an object the address is taken as it stands, and never read as a list of several.
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
        // Else the conversation would go on, and the mail could go out after it was sent again.
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
