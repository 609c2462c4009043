import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { selfSigned } from '../given/certificate.ts';

/** How a receiver treats what it gets. */
export type Manner = 'good' | 'never answers' | 'fails' | 'asks to wait' | 'hangs up' | 'answers slowly';

export interface Received {
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Receivers {
  /** The URL of the receiver of that name. */
  url(name: string): string;
  /** What a receiver got, in order of arrival. */
  received(name: string): readonly Received[];
  /** A certificate file to trust the receivers with. */
  readonly caFile: string;
}

const SLOW_MS = 3_000;

/** Receivers on one HTTPS server on loopback, distinguished by their paths. */
export async function givenReceivers(mannerOf: (name: string) => Manner): Promise<Receivers> {
  const certificate = selfSigned('localhost');
  const directory = await mkdtemp(join(tmpdir(), 'waymark-receivers-'));
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, certificate.cert);
  const inboxes = new Map<string, Received[]>();
  const server = createServer(certificate, (request, response) => {
    const name = (request.url ?? '/').slice(1);
    void receive(request, name).then(
      () => answer(mannerOf(name), response),
      () => undefined,
    );
  });

  async function receive(request: IncomingMessage, name: string): Promise<void> {
    const content = await text(request);
    const inbox = inboxes.get(name) ?? [];
    inboxes.set(name, inbox);
    inbox.push({ at: Date.now(), headers: request.headers as Record<string, string>, text: content });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(directory, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: (name) => `https://localhost:${port}/${name}`,
    received: (name) => inboxes.get(name) ?? [],
    caFile,
  };
}

async function answer(manner: Manner, response: ServerResponse): Promise<void> {
  switch (manner) {
    case 'good':
      response.writeHead(204).end();
      return;
    case 'never answers':
      return;
    case 'fails':
      response.writeHead(500).end();
      return;
    case 'asks to wait':
      response.writeHead(429, { 'retry-after': '2' }).end();
      return;
    case 'hangs up':
      response.writeHead(200, { 'content-length': '1000' }).write('{');
      await sleep(5);
      response.destroy();
      return;
    case 'answers slowly':
      await sleep(SLOW_MS);
      response.writeHead(204).end();
  }
}
