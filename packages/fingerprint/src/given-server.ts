import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type FingerprintImageOptions, fingerprintImage } from './fingerprint-image.ts';
import type { Blob } from './given-image.ts';

export interface GivenServer {
  readonly host: string;
  readonly requests: { readonly url: string; readonly authorization: string | undefined; readonly body: string }[];
}

const stops: (() => void)[] = [];

/** A foreign server, which may answer anything. */
export async function givenServer(listener: RequestListener): Promise<GivenServer> {
  const requests: GivenServer['requests'] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    requests.push({ url: request.url ?? '', authorization: request.headers.authorization, body });
    listener(request, response);
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export function closeServers(): void {
  for (const stop of stops.splice(0)) stop();
}

export function sendManifest(response: ServerResponse, { bytes, digest, mediaType }: Blob): void {
  response.setHeader('docker-content-digest', `sha256:${digest}`);
  response.setHeader('content-type', mediaType).end(bytes);
}

/** Returns the result of a request for `acme/web:1`. */
export async function failureOf(server: GivenServer, options?: FingerprintImageOptions): Promise<unknown> {
  return fingerprintImage(`${server.host}/acme/web:1`, options).then(
    () => 'no failure',
    (error: unknown) => error,
  );
}
