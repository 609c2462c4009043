import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { dialPinned } from '../src/platform/outbound/guarded-connect.ts';
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
} from '../src/platform/outbound/guarded-fetch.ts';
import { selfSigned } from './given/certificate.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (response: ServerResponse, call: Received) => unknown;

export interface WebhookReceiver {
  /** Of a receiver by this name; all are one server. */
  url(name: string): string;
  /** In order of arrival. */
  readonly received: Received[];
  receivedBy(name: string): Received[];
  /** Makes a receiver respond like this from now on, in place of 204. */
  answer(name: string, answer: Answer): void;
  /** Forgets what it received and its settings. */
  reset(): void;
  /** The most calls that were open at once since the last reset, without those of names that do not match. */
  mostOpen(names?: RegExp): number;
  /** Calls it the way customers' servers are called, over TLS, through the guard. */
  outbound(options?: Partial<GuardedFetchOptions>): GuardedFetch;
}

const HOST = 'receiver.example.org';

export function answering(status: number, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response.writeHead(status, headers).end(status === 204 ? '' : 'what a receiver says is not kept');
}

/** Leaves calls without a response until they are released, all at once; later ones are answered immediately. */
export function holdingBack(status: number): { readonly answer: Answer; release(): void } {
  const released = Promise.withResolvers<void>();
  return {
    answer: (response, call) => void released.promise.then(() => answering(status)(response, call)),
    release: released.resolve,
  };
}

/** An HTTPS server on loopback, until the tests of the file have ended. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const certificate = selfSigned(HOST);
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  let open: string[] = [];
  let opened: string[][] = [];

  const server = createServer(certificate, (request, response) => {
    const path = request.url ?? '';
    open = [...open, path];
    opened.push(open);
    response.on('close', () => {
      const at = open.indexOf(path);
      open = open.filter((_, i) => i !== at);
    });
    void text(request).then(
      (body) => {
        const call = { path, headers: request.headers, body };
        received.push(call);
        const answer = answers.get(path.slice(1)) ?? answering(204);
        answer(response, call);
      },
      () => undefined,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  return {
    url: (name) => `https://${HOST}:${port}/${name}`,
    received,
    receivedBy: (name) => received.filter(({ path }) => path === `/${name}`),
    answer: (name, answer) => void answers.set(name, answer),
    reset() {
      received.length = 0;
      opened = [];
      answers.clear();
    },
    mostOpen: (names = /./) => Math.max(0, ...opened.map((paths) => paths.filter((path) => names.test(path)).length)),
    outbound: (options = {}) =>
      createGuardedFetch({
        allowedNetworks: ['127.0.0.0/8'],
        resolve: async () => ['127.0.0.1'],
        dial: dialPinned({ timeoutMs: options.timeoutMs ?? 10_000, ca: certificate.cert }),
        ...options,
      }),
  };
}
