import { listFlows } from '@waymark/contract';
import { expect, it } from 'vitest';
import { givenPerson, givenSession } from '../../../test/given/people.ts';
import { startApi } from '../../../test/harness.ts';
import { createRateLimiter } from './rate-limit.ts';

const api = await startApi({ rateLimit: { perSecond: 2, burst: 3 } });

it('lets a burst through, then says when to come back, each credential for itself', async () => {
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

it('slows down whoever guesses keys', async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) statuses.push((await api.call(listFlows, { key: `wrong-${i}` })).status);
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
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
