import { listFlows } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { noLog, startApi } from '../../test/harness.ts';
import { createLiveServers, type LiveServers } from './live-servers.ts';

let counted: LiveServers | undefined;
const api = await startApi({ rateLimit: { perSecond: 0.001, burst: 4 }, servers: () => counted?.count() ?? 1 });
const given = () => createLiveServers({ db: api.db, log: noLog });

beforeEach(async () => {
  await sql`delete from server`.execute(api.db);
});

it('counts the servers that live, by the clock of the database', async () => {
  const [first, second, third] = [given(), given(), given()];
  expect(first.count()).toBe(1);
  for (const server of [first, second, third, first]) await server.beat();
  expect([first.count(), second.count(), third.count()]).toEqual([3, 2, 3]);

  // As if the first had been alone for the length of its lease.
  await sql`update server set alive_until = now() - interval '1 second'`.execute(api.db);
  await first.beat();
  expect(first.count()).toBe(1);
  await third.beat();
  await first.beat();
  expect(first.count()).toBe(2);
});

it('is not counted after it has stopped', async () => {
  const [staying, leaving] = [given(), given()];
  const stopping = new AbortController();
  const running = leaving.run(stopping.signal);
  const countSeen = async () => {
    await staying.beat();
    return staying.count();
  };
  await expect.poll(countSeen).toBe(2);
  stopping.abort();
  await running;
  expect(await countSeen()).toBe(1);
});

it('goes on with the number it knew when the database fails', async () => {
  const [first, second] = [given(), given()];
  await second.beat();
  await first.beat();
  await sql`alter table server rename to server_away`.execute(api.owner);
  await expect(first.beat()).rejects.toThrow();
  await sql`alter table server_away rename to server`.execute(api.owner);
  expect(first.count()).toBe(2);
});

it('divides the rate limit by the number of servers as it changes, for each org alike', async () => {
  const other = await api.givenOrg('other');
  counted = given();
  const call = (org = api.org, key = org.keys.reader) => api.call(listFlows, { key, params: { org: org.name } });
  expect((await call()).headers).toMatchObject({ 'ratelimit-limit': '4', 'ratelimit-remaining': '3' });

  await given().beat();
  await counted.beat();
  for (const remaining of ['1', '0']) {
    expect((await call()).headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': remaining });
  }
  expect((await call()).status).toBe(429);
  expect([(await call(other)).status, (await call(other)).status, (await call(other)).status]).toEqual([200, 200, 429]);

  await sql`delete from server`.execute(api.db);
  await counted.beat();
  expect((await call(api.org, api.org.keys.member)).headers).toMatchObject({ 'ratelimit-limit': '4' });
});
