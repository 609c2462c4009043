import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll } from 'vitest';

/** Stands in for internal services that nobody may reach: it accepts connections, and counts them. */
export interface Inside {
  /** Each as `address:port`. */
  readonly connections: string[];
  readonly listening: readonly string[];
  /** A free one at 127.0.0.1. */
  readonly port: number;
}

const addresses = ['127.0.0.1', '127.0.0.2', '::1'];

/**
 * Listens at the given ports as far as possible: low ones may be reserved for root, and others in use. The listeners
 * close when the tests of the file have ended.
 */
export async function startInside(ports: readonly number[]): Promise<Inside> {
  const connections: string[] = [];
  const servers: Server[] = [];
  for (const address of addresses) {
    for (const port of [0, ...ports]) {
      const server = await listeningAt(address, port, connections);
      if (server) servers.push(server);
    }
  }
  afterAll(() => {
    for (const server of servers) server.close();
  });
  const first = servers[0]?.address() as AddressInfo;
  return { connections, listening: servers.map(placeOf), port: first.port };
}

async function listeningAt(address: string, port: number, connections: string[]): Promise<Server | undefined> {
  const server = createServer((socket) => {
    connections.push(placeOf(server));
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret');
  });
  server.listen(port, address);
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  );
}

function placeOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `${address}:${port}`;
}
