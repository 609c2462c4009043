import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { givenOutgoing } from '../../../../test/given/outgoing.ts';
import { createGuardedFetch } from '../../../platform/outbound/guarded-fetch.ts';
import type { SendParts } from './outgoing.ts';
import { sendChat } from './send-chat.ts';

const requests: { headers: IncomingMessage['headers']; url: string | undefined; body: unknown }[] = [];
let answer: (reply: ServerResponse) => void;
const server = createServer((request, reply) => {
  void text(request).then((body) => {
    requests.push({ headers: request.headers, url: request.url, body: JSON.parse(body) });
    answer(reply);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => void server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/s3cret`;

const parts: SendParts = {
  publicUrl: 'https://waymark.test',
  outbound: createGuardedFetch({ allowedNetworks: ['127.0.0.0/8'] }),
  mailer: undefined,
  signWithOrgKey: async () => undefined,
  unsubscribeUrl: () => undefined,
};
const attempt = { requestId: 'request-1', at: new Date('2026-11-15T12:00:00Z') };
const send = (to = url) => sendChat(parts, givenOutgoing({ kind: 'CHAT', url: to }), attempt);

beforeEach(() => {
  requests.length = 0;
});

function answering(status: number, headers: Record<string, string> = {}): void {
  answer = (reply) => void reply.writeHead(status, headers).end('no_service: /hooks/s3cret');
}

it('posts a message in the format of the service', async () => {
  answering(200);
  expect(await send()).toEqual({ delivered: true, status: 200 });
  expect(requests).toMatchObject([
    {
      url: '/hooks/s3cret',
      headers: { 'content-type': 'application/json', 'x-request-id': 'request-1' },
      body: { text: expect.stringContaining('Non-compliant: production') },
    },
  ]);
});

it.each([
  [400, { final: true, gone: false }],
  [403, { final: true, gone: false }],
  [404, { final: true, gone: false }],
  [410, { final: true, gone: true }],
  [429, { final: false, gone: false }],
  [500, { final: false, gone: false }],
  [302, { final: false, gone: false }],
])('a response of %i is a failure', async (status, expected) => {
  answering(status, status === 429 ? { 'retry-after': '30' } : {});
  const outcome = await send();
  expect(outcome).toMatchObject({
    delivered: false,
    status,
    ...expected,
    retryAfterMs: status === 429 ? 30_000 : null,
  });
  expect(JSON.stringify(outcome)).not.toMatch(/s3cret|no_service/);
});

it('reveals nothing of the URL when nobody answers, or the call is blocked', async () => {
  answer = (reply) => void reply.destroy();
  const hungUp = await send();
  expect(hungUp).toMatchObject({ delivered: false, status: null, final: false });
  const blocked = await send('https://10.0.0.1/hooks/s3cret');
  expect(blocked).toMatchObject({ delivered: false, status: null, final: true });
  expect(JSON.stringify([hungUp, blocked])).not.toContain('s3cret');
});
