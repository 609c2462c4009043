import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { untilReady } from './ready.ts';

const HINT = 'Its log is above. Running pnpm demo again is safe.';

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('waits while the process lives, also through answers that say not yet', async () => {
  let asked = 0;
  const url = await listening(createServer((_, reply) => void reply.writeHead(++asked < 4 ? 503 : 200).end()));
  await untilReady(url, { isAlive: () => true, hint: HINT });
  expect(asked).toBe(4);
});

it('ends at once when the process has ended, and says what to do', async () => {
  const ended = untilReady('http://127.0.0.1:1', { isAlive: () => false, hint: HINT });
  await expect(ended).rejects.toThrow(`The server for http://127.0.0.1:1 ended while starting. ${HINT}`);
});

it('gives up on a process that lives and is never ready, with its last answer and what to do', async () => {
  const url = await listening(createServer((_, reply) => void reply.writeHead(503).end('no database')));
  const waited = untilReady(url, { isAlive: () => true, hint: HINT, withinMs: 1_000 });
  await expect(waited).rejects.toThrow(`${url}/ready is not ready after 1 s (503 no database). ${HINT}`);
});
