import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { putFlow } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { givenStreams, type TestStream } from '../../../../test/given/event-streams.ts';
import { givenFeed } from '../../../../test/given/feed.ts';
import { countHeldUp } from '../../../../test/given/held-up.ts';
import { givenMetrics } from '../../../../test/given/metrics.ts';
import { givenSecondServer } from '../../../../test/given/servers.ts';
import { startApi, type TestOrg } from '../../../../test/harness.ts';
import { observeStreams } from '../../../platform/http/open-streams.ts';

const LIMITS = { perCredential: 3, perOrg: 5, perServer: 8 };
const api = await startApi({ streamLimits: LIMITS });
const open = await givenStreams(api.app);
const feed = givenFeed(api);

const openCount = () => api.app.streams.figures().open;
beforeEach(() => expect.poll(openCount).toBe(0));

/** Opens streams with as many keys as that takes. */
async function openMany(org: TestOrg, count: number): Promise<TestStream[]> {
  const keys = Object.values(org.keys);
  const streams: TestStream[] = [];
  for (let i = 0; i < count; i++) streams.push(await open({ org, key: keys[i % keys.length] ?? '' }));
  expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200));
  return streams;
}

async function refusal({ response }: TestStream) {
  const { message } = (await response.json()) as { message: string };
  return { status: response.status, retryAfter: response.headers.get('retry-after'), message };
}

it('opens up to the limit for one key, and another one after one of them has closed', async () => {
  const first = await open({ org: api.org });
  await open({ org: api.org });
  await open({ org: api.org });
  expect(await refusal(await open({ org: api.org }))).toEqual({
    status: 429,
    retryAfter: '5',
    message: 'This key already has 3 open event streams. Close one first',
  });
  const { response } = await open({ org: api.org, key: api.org.keys.member });
  expect(response.status).toBe(200);

  first.close();
  await expect.poll(openCount).toBe(3);
  const again = await open({ org: api.org });
  expect(again.response.status).toBe(200);
});

it('opens up to the limit for one org, while another org has its own', async () => {
  const [org, other] = [await api.givenOrg('crowd'), await api.givenOrg('neighbour')];
  await openMany(org, LIMITS.perOrg);
  expect(await refusal(await open({ org }))).toMatchObject({
    status: 429,
    retryAfter: '5',
    message: 'This org already has 5 open event streams. Close one first',
  });
  await openMany(other, 3);
});

it('ends a stream of the org that has the most when the server is full and an org with fewer connects', async () => {
  const [many, some, few] = [await api.givenOrg('many'), await api.givenOrg('some'), await api.givenOrg('few')];
  const streams = await openMany(many, 5);
  await openMany(some, 3);
  await openMany(few, 1);
  expect(await streams.at(-1)?.next()).toBeUndefined();
  expect(openCount()).toBe(LIMITS.perServer);

  expect(await refusal(await open({ org: some }))).toEqual({
    status: 503,
    retryAfter: '5',
    message: 'Too many event streams are open on this server',
  });
  await openMany(few, 1);
  expect(await streams.at(-2)?.next()).toBeUndefined();
  expect(openCount()).toBe(LIMITS.perServer);
});

it('does not count a request for headers only, or one that is refused', async () => {
  const org = await api.givenOrg('asking');
  const headers = { authorization: `Bearer ${org.keys.reader}` };
  for (let i = 0; i < 4; i++) {
    expect(await api.inject({ method: 'HEAD', url: '/api/v2/events/asking', headers })).toMatchObject({ status: 200 });
    expect(await api.inject({ url: '/api/v2/events/asking?topics=?', headers })).toMatchObject({ status: 400 });
  }
  expect(openCount()).toBe(0);
});

it('does not count a client that leaves while its key is looked up', async () => {
  const { server } = api.app.http;
  await api.db.transaction().execute(async (trx) => {
    await sql`lock table api_key in access exclusive mode`.execute(trx);
    const accepted: Promise<Socket[]> = once(server, 'connection');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(`GET /api/v2/events/acme HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.org.keys.reader}\r\n\r\n`);
    const [connection] = await accepted;
    await expect.poll(() => countHeldUp(api.db)).toBeGreaterThan(0);
    client.destroy();
    if (connection?.closed === false) await once(connection, 'close');
  });
  // Comes after it in each queue.
  const { response } = await open({ org: api.org });
  expect(response.status).toBe(200);
  expect(openCount()).toBe(1);
});

it('no longer counts a client that has lost access', async () => {
  const org = await api.givenOrg('revoked');
  await feed.untilDone();
  const streams = [await open({ org }), await open({ org })];
  expect(openCount()).toBe(2);
  await api.db.updateTable('api_key').set({ revoked_at: new Date() }).where('org_id', '=', org.id).execute();
  api.clock.now = new Date(api.clock.now.getTime() + 16_000);
  await api.call(putFlow, { params: { org: org.name }, key: org.keys.admin, body: { name: 'a' } });
  await feed.untilDone();
  expect(await Promise.all(streams.map(({ next }) => next()))).toEqual([undefined, undefined]);
  await expect.poll(openCount).toBe(0);
});

it('ends all streams of an org, and counts none, when the feed cannot be read', async () => {
  const org = await api.givenOrg('broken');
  await feed.untilDone();
  const streams = await openMany(org, 3);
  await sql`alter table ledger rename to ledger_away`.execute(api.owner);
  await sql`alter table ledger_head rename to ledger_head_away`.execute(api.owner);
  api.listeners.wake([org.id]);
  expect(await Promise.all(streams.map(({ next }) => next()))).toEqual([undefined, undefined, undefined]);
  expect((await open({ org })).response.status).toBe(500);
  await expect.poll(openCount).toBe(0);

  await sql`alter table ledger_away rename to ledger`.execute(api.owner);
  await sql`alter table ledger_head_away rename to ledger_head`.execute(api.owner);
  const { next } = await open({ org });
  await api.call(putFlow, { params: { org: org.name }, key: org.keys.admin, body: { name: 'a' } });
  await feed.untilDone();
  expect(await next()).toMatchObject({ event: 'flow.created' });
});

it('ends all of them when the server stops', async () => {
  const app = givenSecondServer(api);
  const openThere = await givenStreams(app);
  const stream = await openThere({ org: api.org });
  expect(app.streams.figures().open).toBe(1);
  app.drain();
  expect(await stream.next()).toBeUndefined();
  await expect.poll(() => app.streams.figures().open).toBe(0);
});

it('exports how many are open and how many were refused', async () => {
  const org = await api.givenOrg('measured');
  const { metrics, read } = givenMetrics();
  observeStreams(metrics, api.app.streams);
  const refused = async () => (await read('event_streams_refused_total')) ?? [];
  const before = await refused();
  for (let i = 0; i < 4; i++) await open({ org });
  expect(await read('event_streams_open')).toEqual([{ value: 3, labels: {} }]);
  expect(await refused()).toEqual(
    before.map(({ value, labels }) => ({ value: labels['limit'] === 'credential' ? value + 1 : value, labels })),
  );
});
