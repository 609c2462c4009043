import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import { oneLine } from '../../run/table.ts';
import { ended, endlessWriter } from '../events/endless.ts';
import { checkSignature } from './signature.ts';
import { publicKeysOption, secretFileOption, verifyingKeys } from './verifying-keys.ts';

const BODY_MAX_BYTES = 1024 * 1024;
const MAX_AGE_SECONDS = 300;

export const command = defineCommand({
  description:
    'Runs a local receiver that shows what Waymark sends while you write your own. Prints and verifies each message; ' +
    'answers messages that are not genuine with 401. Waymark calls only public https URLs, so use a tunnel to this ' +
    'machine.',
  examples: [
    { say: 'Print messages', run: 'waymark webhook listen --port 8080 --secret-file secret.txt' },
    {
      say: 'Forward messages to your program',
      run: 'waymark webhook listen --port 8080 --forward-to http://127.0.0.1:3000/hooks',
    },
  ],
  build: (command) =>
    command
      .option('--port <number>', 'port to listen on, at 127.0.0.1 (default: a free port)', readPort, 0)
      .option('--forward-to <url>', 'forward genuine messages to this URL, and return its response')
      .addOption(secretFileOption())
      .addOption(publicKeysOption()),
  async run(session, _, { port, forwardTo, ...flags }) {
    const write = endlessWriter(session);
    const forward = forwardTo === undefined ? undefined : readAddress(forwardTo);
    const keys = await verifyingKeys(session, flags);
    if (keys.length === 0) session.warn('Messages are not verified: neither --secret-file nor --public-keys is set');
    const server = createServer((request, response) => {
      receive(session, request, { keys, forward })
        .then((received) => {
          write(received, lineOf(session, received));
          answer(response, received.status);
        })
        .catch(() => answer(response, 413));
    });
    const address = await listen(server, port);
    session.say(`Listening at ${address}; stop with Ctrl-C`);
    await interrupted(session, server);
    return ended;
  },
});

interface Received {
  readonly received_at: number;
  readonly id: string | null;
  /** null without a key to verify it with. */
  readonly genuine: boolean | null;
  readonly reason: string | null;
  readonly status: number;
  readonly body: unknown;
}

async function receive(
  session: Session,
  request: IncomingMessage,
  { keys, forward }: { keys: readonly string[]; forward: URL | undefined },
): Promise<Received> {
  const bytes = await bodyOf(request);
  const received_at = session.io.now().getTime() / 1000;
  const headers = headersOf(request);
  const reason = keys.length === 0 ? null : faultOf({ headers, body: bytes }, keys, received_at);
  const genuine = keys.length === 0 ? null : reason === null;
  const status = genuine === false ? 401 : await forwarded(session, forward, headers, bytes);
  return { received_at, id: headers['webhook-id'] ?? null, genuine, reason, status, body: readBody(bytes) };
}

function faultOf(request: Parameters<typeof checkSignature>[0], keys: readonly string[], now: number): string | null {
  const checked = checkSignature(request, keys, Math.floor(now));
  if (checked.kind === 'wrong') return checked.why;
  return Math.abs(checked.ageSeconds) > MAX_AGE_SECONDS ? 'it is older than 5 minutes or from the future' : null;
}

const HANDED_ON = [
  'content-type',
  'user-agent',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-request-id',
];

async function forwarded(
  { io, warn }: Session,
  to: URL | undefined,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array<ArrayBuffer>,
): Promise<number> {
  if (!to) return 204;
  const passedOn = Object.entries(headers).filter(([name]) => HANDED_ON.includes(name));
  try {
    const signal = AbortSignal.any([io.signal, AbortSignal.timeout(10_000)]);
    const { status } = await io.fetch(to, {
      method: 'POST',
      headers: Object.fromEntries(passedOn),
      body,
      signal,
      redirect: 'manual',
    });
    return status;
  } catch {
    warn(`${to.origin} cannot be reached; answered the message with 502`);
    return 502;
  }
}

function lineOf(session: Session, { received_at, genuine, reason, status, body }: Received): string {
  const { event_type, description } = (body ?? {}) as { event_type?: unknown; description?: unknown };
  const mark = genuine === null ? '?' : genuine ? '✓' : '✕';
  const what = [event_type, description].filter((part) => typeof part === 'string').join('  ');
  return oneLine(
    [showTime(received_at, session), mark, status, reason ?? (what || 'not a Waymark message')].join('  '),
  );
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

function readBody(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return bytes.toString('utf8');
  }
}

function answer(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status, { connection: 'close' }).end();
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(usageError(`Cannot listen on port ${port}: ${error.code ?? error.message}`, 'Choose another --port'));
    });
    server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

function interrupted({ io }: Session, server: Server): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      server.close(() => resolve());
      server.closeAllConnections();
    };
    if (io.signal.aborted) end();
    else io.signal.addEventListener('abort', end, { once: true });
  });
}

function readAddress(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw usageError('--forward-to must be a URL such as http://127.0.0.1:3000/hooks');
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}
