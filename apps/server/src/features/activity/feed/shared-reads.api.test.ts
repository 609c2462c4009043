import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServiceAccount, putFlow } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { givenStreams, type TestStream } from '../../../../test/given/event-streams.ts';
import { givenFeed } from '../../../../test/given/feed.ts';
import { startApi, type TestOrg } from '../../../../test/harness.ts';
import { createRandom } from '../../../../test/model/random.ts';

const queries: string[] = [];
const api = await startApi({
  streamLimits: { perCredential: 100, perOrg: 100, perServer: 1_000 },
  onQuery: (text) => queries.push(text),
});
const open = await givenStreams(api.app);
const feed = givenFeed(api);

/** The queries that the server made while `work` ran. */
async function queriesOf(work: () => Promise<unknown>): Promise<{ feed: number; callers: number }> {
  const before = queries.length;
  await work();
  const asked = queries.slice(before);
  return {
    feed: asked.filter((text) => text.includes('order by sent.place, entry.index')).length,
    callers: asked.filter((text) => text.includes('join api_key as key on key.hash')).length,
  };
}

/** Adds events without the work that causes them: only their indexes matter here. */
async function addEvents(org: TestOrg, count: number, actor = 'x'): Promise<void> {
  await sql`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, actor_digest, payload_digest)
    select ${org.id}, gen_random_uuid(), now(), 'flow.updated', 1, 'system', ${actor}, 'flow', gen_random_uuid(), 1,
      sha256(''), sha256('')
    from generate_series(1, ${count}::int)`.execute(api.db);
  await feed.untilDone();
}

/** The index of the last event. */
async function headOf(org: TestOrg): Promise<number> {
  const head = await api.db.selectFrom('ledger_head').select('size').where('org_id', '=', org.id).executeTakeFirst();
  return (head?.size ?? 0) - 1;
}

async function givenOrgWithFeed(name: string): Promise<TestOrg> {
  const org = await api.givenOrg(name);
  await feed.untilDone();
  return org;
}

const nextOfAll = (streams: readonly TestStream[]) => Promise.all(streams.map(({ next }) => next()));

it('reads new events once for all listeners of an org, and looks up the listeners together', async () => {
  const org = await givenOrgWithFeed('popular');
  const streams = await Promise.all(Array.from({ length: 60 }, () => open({ org })));
  const happens = async (name: string) => {
    await api.call(putFlow, { params: { org: org.name }, key: org.keys.admin, body: { name } });
    await feed.untilDone();
    const received = await nextOfAll(streams);
    expect(new Set(received.map((event) => event?.event))).toEqual(new Set(['flow.created']));
    expect(new Set(received.map((event) => event?.id)).size).toBe(1);
  };
  await happens('first');
  expect((await queriesOf(() => happens('second'))).feed).toBeLessThan(10);

  const asked = await queriesOf(async () => {
    const [params, key] = [{ org: org.name }, org.keys.admin];
    const { status } = await api.call(createServiceAccount, { params, key, body: { name: 'bot' } });
    expect(status).toBe(201);
    await feed.untilDone();
    await happens('third');
  });
  expect(asked.feed).toBeLessThan(20);
  expect(asked.callers).toBeLessThan(20);
});

it('reads nothing for an org without listeners', async () => {
  const org = await givenOrgWithFeed('left');
  const { close, next } = await open({ org });
  await addEvents(org, 1);
  await next();
  close();
  await expect.poll(() => api.app.streams.figures().open).toBe(0);
  const asked = await queriesOf(async () => {
    await addEvents(org, 1);
    await headOf(org);
  });
  expect(asked.feed).toBe(0);
});

it.each([1, 2])(
  'sends each event once and in order, whenever a listener comes, goes and comes back (%i)',
  async (seed) => {
    const random = createRandom(seed);
    const org = await givenOrgWithFeed(`random-${seed}`);
    await addEvents(org, 1_200);
    const first = await headOf(org);
    const groups = Array.from({ length: 30 }, () => random.pick([1, 2, 5, 40, 200]));
    const last = first + groups.reduce((sum, count) => sum + count, 0);

    let begun = 0;
    /** Listens to the end, reconnecting after every `stay` events. Returns what went wrong. */
    const listen = async (start: number | undefined, stay: number): Promise<string | undefined> => {
      let after = start;
      while (after !== last) {
        const stream = await open({ org, key: org.keys.admin, ...(after !== undefined && { after: `0.${after}` }) });
        if (after === start) begun++;
        for (let taken = 0; taken < stay && after !== last; taken++) {
          const id = indexOf((await stream.next())?.id);
          if (id !== (after ?? id - 1) + 1) return `${id} after ${after}`;
          after = id;
        }
        stream.close();
      }
      return undefined;
    };
    const listeners = Array.from({ length: 9 }, (_, i) =>
      listen(i % 3 === 0 ? undefined : random.between(first - 1_100, first), random.pick([30, 90, 600, 5_000])),
    );
    // A listener that begins now must not begin after the last event.
    await expect.poll(() => begun).toBe(listeners.length);
    for (const count of groups) await addEvents(org, count);
    expect(await Promise.all(listeners)).toEqual(listeners.map(() => undefined));
  },
);

it('reads again for a listener that takes nothing for a while, and caches nothing for it', async () => {
  const org = await givenOrgWithFeed('slow');
  const start = await headOf(org);
  const slow = await openUnread(org);
  const fast = await open({ org });
  // More than the buffers between server and client take.
  const rounds = 12;
  for (let i = 1; i <= rounds; i++) {
    await addEvents(org, 500, 'x'.repeat(8_000));
    const ids: string[] = [];
    while (ids.length < 500) ids.push((await fast.next())?.id ?? 'ended');
    expect(ids).toEqual(Array.from({ length: 500 }, (_, n) => `0.${start + 500 * (i - 1) + n + 1}`));
  }
  const ids: number[] = [];
  const asked = await queriesOf(async () => {
    let text = '';
    for await (const piece of slow) {
      text += piece;
      const whole = text.lastIndexOf('\n\n');
      if (whole === -1) continue;
      for (const [, id] of text.slice(0, whole).matchAll(/^id: 0\.(\d+)$/gm)) ids.push(Number(id));
      text = text.slice(whole);
      if (ids.length >= 500 * rounds) break;
    }
  });
  expect(ids).toEqual(Array.from({ length: 500 * rounds }, (_, n) => start + n + 1));
  expect(asked.feed).toBeGreaterThan(0);
});

/** A client that has received the response headers and reads nothing more for now. */
function openUnread(org: TestOrg): Promise<IncomingMessage> {
  const { port } = api.app.http.server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${org.keys.reader}` };
  return new Promise((resolve, reject) => {
    const asking = get({ host: '127.0.0.1', port, path: `/api/v2/events/${org.name}`, headers }, (response) =>
      resolve(response.setEncoding('utf8')),
    );
    asking.once('error', reject);
  });
}

function indexOf(id: string | undefined): number {
  return Number(id?.split('.')[1]);
}
