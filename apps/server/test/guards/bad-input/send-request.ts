import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { WireAnswer } from './answer-check.ts';
import type { HostileRequest } from './hostile-request.ts';

const GIVE_UP_MS = 10_000;
const CHUNK = 16 * 1024;

type Answered = Omit<WireAnswer, 'ms'>;

/** A request that is never answered has the status 0. */
async function timed(answer: Promise<Answered>): Promise<WireAnswer> {
  const started = performance.now();
  const giveUp = new AbortController();
  const none = setTimeout(GIVE_UP_MS, { status: 0, headers: {}, body: 'no answer' }, { signal: giveUp.signal });
  none.catch(() => undefined);
  const first = await Promise.race([answer, none]);
  giveUp.abort();
  return { ...first, ms: performance.now() - started };
}

export function inProcess(http: FastifyInstance, request: HostileRequest): Promise<WireAnswer> {
  return timed(inject(http, request));
}

async function inject(http: FastifyInstance, request: HostileRequest): Promise<Answered> {
  const { method, url, payload } = request;
  const options: InjectOptions = {
    method: method as 'GET',
    url,
    headers: headersOf(request),
    ...(payload && { payload: Readable.from(chunksOf(payload)) }),
  };
  const { statusCode: status, headers, body } = await http.inject(options);
  return { status, headers, body };
}

function headersOf({ headers, payload }: HostileRequest): Record<string, string> {
  return { ...headers, ...(payload && { 'content-length': String(payload.length) }) };
}

/** In chunks as from a socket; some parsers stall on more than a socket ever delivers at once. */
function* chunksOf(payload: Buffer): Generator<Buffer> {
  for (let at = 0; at < payload.length; at += CHUNK) yield payload.subarray(at, at + CHUNK);
}

/** Over a separate connection that is closed as soon as a stream is granted: the stream would not end by itself. */
export function overNetwork(port: number, request: HostileRequest): Promise<WireAnswer> {
  return timed(exchange(port, request));
}

async function exchange(port: number, request: HostileRequest): Promise<Answered> {
  const { method, url: path, payload } = request;
  const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers: headersOf(request), agent: false });
  sent.end(payload);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  // A server that has responded may close the connection before the rest of a body.
  sent.on('error', () => undefined);
  const isStream = response.statusCode === 200 && response.headers['content-type'] === 'text/event-stream';
  const body = isStream ? '' : await text(response);
  sent.destroy();
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

/** Writes bytes that need not be HTTP and ends its side. Undefined if the server only closes the connection. */
export async function writeBytes(port: number, bytes: Buffer): Promise<WireAnswer | undefined> {
  const started = performance.now();
  const received = await readUntilClosed(port, bytes);
  return received === '' ? undefined : { ...firstAnswer(received), ms: performance.now() - started };
}

function readUntilClosed(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    // A server may close the connection in the middle of a write.
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(Buffer.concat(received).toString('latin1')));
    socket.end(bytes);
  });
}

/** The first response on a connection with several errors. */
function firstAnswer(received: string): Answered {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = rest.join('\r\n\r\n').slice(0, Number(headers['content-length']));
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]), headers, body };
}
