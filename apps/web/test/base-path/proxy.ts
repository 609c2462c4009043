import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { selfSigned } from '../../../server/test/given/certificate.ts';

export interface BaseProxy {
  readonly url: string;
  /** To trust it. */
  readonly cert: string;
  /** Where requests go from now on. */
  forwardTo(port: number): void;
  /** Paths outside of the base path that somebody asked for. */
  readonly outside: readonly string[];
}

/** A proxy with TLS that has a Waymark below one path, and something else at all others. */
export async function startProxy(basePath: string, stripsBasePath: boolean): Promise<BaseProxy> {
  const { key, cert } = selfSigned('localhost');
  const outside: string[] = [];
  let port = 0;
  const server = createServer({ key, cert }, (incoming, answer) => {
    const { url: path = '', method = '', headers, socket } = incoming;
    if (!/^(\/|\?|$)/.test(path.startsWith(basePath) ? path.slice(basePath.length) : '-')) {
      outside.push(path);
      answer.writeHead(404).end();
      return;
    }
    const forwarded = { 'x-forwarded-for': socket.remoteAddress, 'x-forwarded-proto': 'https' };
    const outgoing = request({
      // A kept connection may be closed while it is chosen, and the browser would see its request end without a reply.
      agent: false,
      ...{ host: '127.0.0.1', port, method },
      path: stripsBasePath ? path.slice(basePath.length).replace(/^(?!\/)/, '/') : path,
      headers: { ...headers, ...forwarded },
    });
    outgoing.once('response', (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      // Otherwise a stream seems closed until its first event.
      answer.flushHeaders();
      reply.pipe(answer);
    });
    outgoing.once('error', () => answer.destroy());
    answer.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  // On a busy machine a browser would try one closed connection after the other, and give up.
  server.keepAliveTimeout = 0;
  server.listen(0, 'localhost');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port: ownPort } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${ownPort}${basePath}`,
    cert,
    forwardTo: (to) => {
      port = to;
    },
    outside,
  };
}
