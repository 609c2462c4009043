import type { IncomingMessage } from 'node:http';

export interface BodyLimit {
  readonly maxBytes: number;
  /** For the whole body: a client that sends slower holds a connection and nothing else. */
  readonly withinMs: number;
}

/** A request that ends with a status before it is looked at. */
export class RefusedBody extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** The connection of a body that is not read to its end cannot be used again. */
const CLOSE = { connection: 'close' };

export async function readBody(request: IncomingMessage, { maxBytes, withinMs }: BodyLimit): Promise<Uint8Array> {
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const deadline = setTimeout(() => reject(new RefusedBody(408, 'the body took too long', CLOSE)), withinMs);
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) reject(tooLarge(maxBytes));
    else chunks.push(chunk);
  };
  request
    .on('data', onData)
    .once('end', () => resolve(Buffer.concat(chunks)))
    .once('error', () => reject(new RefusedBody(400, 'the body broke off', CLOSE)))
    .once('close', () => reject(new RefusedBody(400, 'the body broke off', CLOSE)));
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    request.off('data', onData);
  }
}

function tooLarge(maxBytes: number): RefusedBody {
  return new RefusedBody(413, `the body is larger than ${maxBytes} bytes`, CLOSE);
}
