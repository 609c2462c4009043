import { createServiceAccountKey, listFlows, putFlow } from '@waymark/contract';
import { expect, it } from 'vitest';
import { givenPerson, givenSession } from '../../../test/given/people.ts';
import { startApi } from '../../../test/harness.ts';
import { createRateLimiter, networkOf } from './rate-limit.ts';

const api = await startApi({ rateLimit: { perSecond: 2, burst: 3 } });

it('allows a burst, then says when to retry, separately for each credential', async () => {
  const call = (key = api.org.keys.reader) => api.call(listFlows, { key });
  for (const remaining of ['2', '1', '0']) {
    expect(await call()).toMatchObject({
      status: 200,
      headers: { 'ratelimit-limit': '3', 'ratelimit-remaining': remaining },
    });
  }
  expect(await call()).toMatchObject({
    status: 429,
    body: { message: 'Too many requests; try again in 1 s' },
    headers: { 'retry-after': '1', 'ratelimit-remaining': '0' },
  });
  expect((await call(api.org.keys.member)).status).toBe(200);
  api.clock.now = new Date(api.clock.now.getTime() + 500);
  expect((await call()).status).toBe(200);
  expect((await call()).status).toBe(429);
});

it('slows down attempts to guess keys', async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) statuses.push((await api.call(listFlows, { key: `wrong-${i}` })).status);
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
});

it('looks up no unknown key from an address that sent wrong ones, and every known one', async () => {
  let keyQueries = 0;
  const api = await startApi({
    rateLimit: { perSecond: 0.001, burst: 3 },
    onQuery(text) {
      if (text.includes('join api_key as key')) keyQueries++;
    },
  });
  const wrong = `${api.org.keys.member.slice(0, -6)}aaaaaa`;
  expect((await api.call(listFlows, { key: api.org.keys.reader })).status).toBe(200);
  for (let i = 0; i < 3; i++) await api.call(listFlows, { key: api.org.keys.member, params: { org: 'nobody' } });
  const before = keyQueries;
  expect((await api.call(listFlows, { key: wrong })).status).toBe(429);
  expect((await api.call(listFlows, { key: api.org.keys.admin })).status).toBe(429);
  expect(keyQueries).toBe(before);
  expect((await api.call(listFlows, { key: api.org.keys.reader })).status).toBe(200);
});

it('slows down whoever asks for pages, each session for itself', async () => {
  const { cookie } = await givenSession(api, await givenPerson(api));
  const ask = async (headers = {}) => (await api.inject({ method: 'GET', url: '/account', headers })).status;
  const statuses: number[][] = [];
  for (let i = 0; i < 4; i++) statuses.push([await ask(), await ask({ cookie })]);
  expect(statuses).toEqual([...Array(3).fill([303, 200]), [429, 429]]);
});

it('never gives out more than burst plus rate, however the clock jumps', () => {
  const allow = createRateLimiter({ perSecond: 1, burst: 2 });
  const at = (ms: number) => allow('k', ms).allowed;
  expect([at(0), at(0), at(0)]).toEqual([true, true, false]);
  expect(at(-5_000)).toBe(false);
  expect([at(-4_000), at(1_000_000), at(1_000_000), at(1_000_000)]).toEqual([true, true, true, false]);
});

it('limits whoever makes more keys, and an org with many accounts, but not the org beside it', async () => {
  const limited = await startApi({ rateLimit: { perSecond: 0.001, burst: 3 } });
  const { keys } = limited.org;
  const other = await limited.givenOrg('other');
  const newKey = async () => {
    const { body } = await limited.call(createServiceAccountKey, {
      params: { name: 'reader' },
      body: { description: 'another' },
    });
    return body.key;
  };
  const allowedOf = async (key: string, org = limited.org.name) => {
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await limited.call(listFlows, { key, params: { org } })).status);
    return statuses.filter((status) => status === 200).length;
  };
  const another = [await newKey(), await newKey()] as const;
  expect([await allowedOf(keys.reader), await allowedOf(another[0]), await allowedOf(another[1])]).toEqual([3, 3, 0]);
  // Eight of the org's twelve are used.
  expect([await allowedOf(keys.member), await allowedOf(keys.snapshotter)]).toEqual([3, 1]);
  expect(await allowedOf(other.keys.reader, 'other')).toBe(3);
});

it('counts a request by the JSON that it brings', async () => {
  const api = await startApi({ rateLimit: { perSecond: 1, burst: 20 } });
  const put = (bytes: number) => api.call(putFlow, { body: { name: 'a', description: 'x'.repeat(bytes) } });
  expect((await put(10)).headers).toMatchObject({ 'ratelimit-remaining': '19' });
  expect((await put(9_000)).headers).toMatchObject({ 'ratelimit-remaining': '17' });
  expect(await put(200_000)).toMatchObject({ status: 429, headers: { 'retry-after': '3' } });
  api.clock.now = new Date(api.clock.now.getTime() + 60_000);
  // A full bucket allows more than fits into it.
  expect((await put(200_000)).status).not.toBe(429);
});

it('counts what a stranger reads by its size', async () => {
  const api = await startApi({ rateLimit: { perSecond: 1, burst: 200 } });
  const read = async () => (await api.inject({ method: 'GET', url: '/api/v2/openapi.json' })).status;
  const statuses = [await read(), await read(), await read(), await read(), await read()];
  expect(statuses[0]).toBe(200);
  expect(statuses.at(-1)).toBe(429);
});

it('knows every caller, however many there are', () => {
  const allow = createRateLimiter({ perSecond: 1, burst: 2 });
  const callers = Array.from({ length: 120_000 }, (_, i) => String(i));
  const allowed = (nowMs: number) => callers.filter((caller) => allow(caller, nowMs).allowed).length;
  expect([allowed(0), allowed(0), allowed(0), allowed(1_000), allowed(1_000)]).toEqual([
    120_000, 120_000, 0, 120_000, 0,
  ]);
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::1', '2001:db8:1:2'],
  ['2001:db8:1:3::1', '2001:db8:1:3'],
  // Of a connection that was closed while the request waited.
  [undefined, ''],
])('counts %s as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
