import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { noLog, startApi } from '../../../test/harness.ts';
import { makeSetUpToken } from '../../features/sign-in/set-up.service.ts';
import { systemCtx } from '../ctx.ts';

const PROXY = '127.0.0.2';
const STRANGER = '127.0.0.3';
const BURST = 3;

const api = await startApi({ trustedProxies: [PROXY, '10.9.0.0/16'], rateLimit: { perSecond: 1e-9, burst: BURST } });
await api.app.http.listen({ host: '127.0.0.1', port: 0 });
const { port } = api.app.http.server.address() as AddressInfo;

/** Sends a request from one of the addresses of this machine. */
async function send(from: string, path: string, headers: Record<string, string>, form?: URLSearchParams) {
  const type = form && { 'content-type': 'application/x-www-form-urlencoded' };
  const sent = request({
    ...{ host: '127.0.0.1', port, localAddress: from, path, agent: false },
    method: form ? 'POST' : 'GET',
    headers: { ...headers, ...type },
  });
  sent.end(form?.toString());
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, html: await text(answer) };
}

const open = async (from: string, forwardedFor: string) =>
  (await send(from, '/sign-in', { 'x-forwarded-for': forwardedFor })).status;

it('counts requests for the address that a proxy forwards', async () => {
  for (let i = 0; i < BURST; i++) expect(await open(PROXY, '203.0.113.1')).toBe(200);
  expect(await open(PROXY, '203.0.113.1')).toBe(429);
  expect(await open(PROXY, '203.0.113.2')).toBe(200);
});

it('believes no address that came before the first proxy', async () => {
  for (let i = 0; i < BURST; i++) expect(await open(PROXY, `198.51.100.${i}, 203.0.113.3`)).toBe(200);
  expect(await open(PROXY, '198.51.100.9, 203.0.113.3')).toBe(429);
});

it('follows a chain of proxies', async () => {
  for (let i = 0; i < BURST; i++) expect(await open(PROXY, `203.0.113.4, 10.9.0.${i}`)).toBe(200);
  expect(await open(PROXY, '203.0.113.4')).toBe(429);
});

it('ignores the headers of anybody else', async () => {
  for (let i = 0; i < BURST; i++) expect(await open(STRANGER, `203.0.113.${10 + i}`)).toBe(200);
  expect(await open(STRANGER, '203.0.113.20')).toBe(429);
});

it('tells a person who came by another host name where to go, if a proxy says that they did', async () => {
  const headers = { origin: 'https://old.example.com', 'x-forwarded-host': 'old.example.com' };
  const from = { 'x-forwarded-for': '203.0.113.5' };
  const guided = await send(PROXY, '/sign-in', { ...headers, ...from }, new URLSearchParams());
  expect(guided.html).toContain('This service is available at http://waymark.test, not at https://old.example.com');
  const refused = await send('127.0.0.4', '/sign-in', { ...headers, ...from }, new URLSearchParams());
  expect(refused.html).toContain('This form has expired or was not sent from a page of this service');
});

it('records the forwarded address with a session', async () => {
  await api.db.deleteFrom('api_key').execute();
  await api.db.deleteFrom('user_account').execute();
  const token = await makeSetUpToken({ ...systemCtx(api.db, '', 'waymark-server', noLog), now: () => api.clock.now });
  const forwarded = { 'x-forwarded-for': '203.0.113.6' };
  const page = await send(PROXY, `/set-up?token=${token}`, forwarded);
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.html) ?? [];
  const cookie = page.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const fields = { csrf, token, org: 'proxied', login: 'ada', email: 'ada@example.test', display_name: 'Ada' };
  const done = await send(PROXY, '/set-up', { ...forwarded, cookie }, new URLSearchParams(fields));
  expect(done.status).toBe(303);
  const session = await api.db.selectFrom('session').select('address').executeTakeFirstOrThrow();
  expect(session.address).toBe('203.0.113.6');
});
