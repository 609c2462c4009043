import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileContract, Input } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ctx } from '../ctx.ts';
import type { App } from './app.ts';
import { attachmentNamed, inlineNamed } from './content-disposition.ts';
import { contextOf, enter, type Out, readInput } from './handle.ts';
import { routeUrl } from './route-url.ts';

export interface FileAnswer {
  readonly filename: string;
  /** Defaults to the type in the contract. */
  readonly type?: string | undefined;
  readonly size?: number | undefined;
  readonly stream: Readable;
  /** A browser may show it instead of saving it. Only for content that the server wrote itself. */
  readonly isShown?: boolean;
}

type FileHandler<C extends FileContract> = (ctx: Ctx, input: Input<C>, out: Out) => Promise<FileAnswer>;

/** Mounts an operation that answers with a file. */
export function handleFile<C extends FileContract>(app: App, contract: C, handler: FileHandler<C>): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      const ctx = contextOf(app, request);
      const input = await readInput(app, contract, request, reply);
      const answer = await handler(ctx, input, reply);
      if (contract.method !== 'GET') app.onWrite();
      await readable(answer.stream);
      await send(request, reply, answer, headersOf(app, contract, answer));
    },
  });
}

/** Waits for the first bytes, or the end: a failure before that can still be answered with an error. */
async function readable(stream: Readable): Promise<void> {
  if (stream.destroyed) throw stream.errored ?? new Error('the file was closed before it was read');
  if (stream.readableLength > 0) return;
  const closed = new AbortController();
  stream.once('close', () => closed.abort());
  await once(stream, 'readable', { signal: closed.signal });
}

function headersOf(app: App, { replyType }: FileContract, answer: FileAnswer): Record<string, string> {
  const { filename, type, size, isShown } = answer;
  return {
    'content-type': type ?? (replyType.startsWith('text/') ? `${replyType}; charset=utf-8` : replyType),
    'content-disposition': isShown ? inlineNamed(filename) : attachmentNamed(filename),
    ...(size !== undefined && { 'content-length': String(size) }),
    ...(app.draining.aborted && { connection: 'close' }),
  };
}

/** If a file cannot be sent to its end, the connection is ended: the client must not take it for complete. */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { stream, size }: FileAnswer,
  headers: Record<string, string>,
): Promise<void> {
  const { raw } = reply;
  let clientLeft = false;
  raw.once('close', () => {
    clientLeft = !stream.destroyed;
  });
  reply.hijack();
  raw.writeHead(200, { ...reply.getHeaders(), ...headers } as Record<string, string>);
  if (request.method === 'HEAD') {
    stream.destroy();
    raw.end();
    return;
  }
  try {
    await pipeline(stream, (content) => exactly(content, size), raw);
  } catch (error) {
    if (!clientLeft) request.log.error({ err: error }, 'file could not be sent to its end');
    raw.destroy();
  }
}

/**
 * Fewer bytes than announced would leave the client waiting, and more would be read as the next response. The last
 * chunk is held back until the size is certain, so that a file that is too long does not pass for complete either.
 */
async function* exactly(content: AsyncIterable<Buffer>, size: number | undefined): AsyncGenerator<Buffer> {
  let sent = 0;
  let held: Buffer | undefined;
  for await (const chunk of content) {
    sent += chunk.length;
    if (size !== undefined && sent > size) break;
    if (held) yield held;
    held = chunk;
  }
  if (size !== undefined && sent !== size) throw new Error(`the file has not the ${size} bytes it was said to have`);
  if (held) yield held;
}
