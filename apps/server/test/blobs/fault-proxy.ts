import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A proxy before a real S3 server that answers in its place with the status in `fault`. The Host header is passed on
 * unchanged, so the signatures stay valid.
 */
export async function faultProxy(target: string, fault: (asked: IncomingMessage) => number | undefined) {
  const server = createServer((asked, answer) => {
    const status = fault(asked);
    if (status !== undefined) {
      asked.resume().on('end', () => answer.writeHead(status).end());
      return;
    }
    const forwarded = request(new URL(asked.url ?? '/', target), { method: asked.method, headers: asked.headers });
    forwarded.on('response', (reply) => reply.pipe(answer.writeHead(reply.statusCode ?? 502, reply.headers)));
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP, so never a pipe's name
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
