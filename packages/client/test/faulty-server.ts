import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Pace } from '../src/pace.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Behaviour = (response: ServerResponse, request: Received) => void;

/** A server that answers each request with the next of the given behaviors, and repeats the last. */
export interface FaultyServer {
  readonly baseUrl: string;
  readonly received: Received[];
  behave(...behaviours: [Behaviour, ...Behaviour[]]): void;
  close(): void;
}

export async function startFaultyServer(): Promise<FaultyServer> {
  const received: Received[] = [];
  let behaviours: Behaviour[] = [];
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const request = { method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers, body };
      received.push(request);
      const behaviour = behaviours.length > 1 ? behaviours.shift() : behaviours[0];
      behaviour?.(response, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`,
    received,
    behave(...next) {
      received.length = 0;
      behaviours = next;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers });
    response.end(status === 204 ? undefined : JSON.stringify(body));
  };
}

export function html(status: number, headers: Record<string, string> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end('<!doctype html><h1>Sign in</h1>');
  };
}

export const hangUp: Behaviour = (response) => response.destroy();

export const halfAnAnswer: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('"so fa', () => response.destroy());
};

export const neverAnswer: Behaviour = () => undefined;

/** Time that passes at once. Records every sleep. */
export function instantPace(random = 0.5, now = Date.now): Pace & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    random: () => random,
    now,
    async sleep(ms, signal) {
      slept.push(ms);
      signal?.throwIfAborted();
    },
  };
}
