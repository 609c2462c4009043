import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { selfSigned } from '../../server/test/given/certificate.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** A customer's program that receives messages. */
export interface Receiver {
  readonly host: string;
  url(path: string): string;
  /** The requests to a path, in order of arrival. */
  received(path: string): readonly Received[];
  /** Makes it return 404 for a path. */
  refuse(path: string): void;
  accept(path: string): void;
  /** The certificate that its callers have to trust. */
  readonly caFile: string;
}

/** An HTTPS server on loopback, until the tests of the file have ended. */
export async function startReceiver(): Promise<Receiver> {
  const certificate = selfSigned('localhost');
  const directory = await mkdtemp(join(tmpdir(), 'waymark-web-receiver-'));
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, certificate.cert);
  const inboxes = new Map<string, Received[]>();
  const refused = new Set<string>();
  const server = createServer(certificate, (request, response) => {
    const path = (request.url ?? '/').slice(1);
    void json(request).then((body) => {
      inboxes.set(path, [...(inboxes.get(path) ?? []), { headers: request.headers, body }]);
      response.writeHead(refused.has(path) ? 404 : 204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await rm(directory, { recursive: true });
  });
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: (path) => `https://${host}/${path}`,
    received: (path) => inboxes.get(path) ?? [],
    refuse: (path) => void refused.add(path),
    accept: (path) => void refused.delete(path),
    caFile,
  };
}
