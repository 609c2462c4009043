import { setTimeout as sleep } from 'node:timers/promises';
import { type KyselyPlugin, sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { contentOf, givenNotification, givenTarget } from '../../../../test/given/deliveries.ts';
import { countHeldUp } from '../../../../test/given/held-up.ts';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';
import { closeDueMessages, enqueueForOrgs, enqueueMessages, type PlannedMessage } from './message.service.ts';
import { runMessageCloser } from './message-closer.ts';

const api = await startApi();
beforeEach(() => pass(3600));

function pass(seconds: number): void {
  api.clock.now = new Date(api.clock.now.getTime() + seconds * 1000);
}

let numbers = 0;
const givenSource = (org?: TestOrg) => givenNotification(api, ++numbers, org);

function started(source: string, scopeId: string, more: Partial<PlannedMessage> = {}): PlannedMessage {
  const entryIds = more.entryIds ?? [newId()];
  return {
    source: { id: source, configType: null },
    scopeId,
    trigger: 'ON_STARTED_ARTIFACT',
    content: contentOf({ names: ['web'] }),
    count: 1,
    at: api.clock.now,
    entryIds,
    entriesKey: entryIds.join(' '),
    groups: true,
    ...more,
  };
}
const turnedRed = (source: string, scope: string) =>
  started(source, scope, { trigger: 'ON_NON_COMPLIANT_ENV', groups: false });

const enqueue = (messages: readonly PlannedMessage[], org = api.org) =>
  api.db.transaction().execute((db) => enqueueMessages(db, org.id, messages, api.clock.now));
const close = () => closeDueMessages(api.db, api.clock.now);

async function messagesOf(source: string, org = api.org) {
  const { rows } = await sql<{ scope_id: string; trigger: string; sequence: number | null; count: number }>`
    select scope_id, trigger, sequence, count from message where org_id = ${org.id} and source_id = ${source}
    order by scope_id, sequence nulls last`.execute(api.db);
  return rows;
}

async function deliveriesOf(target: string, org = api.org) {
  const { rows } = await sql<{ address: string | null; state: string; sequence: number; trigger: string }>`
    select delivery.address, delivery.state, message.sequence, message.trigger
    from delivery join message on message.org_id = delivery.org_id and message.id = delivery.message_id
    where delivery.org_id = ${org.id} and delivery.target_id = ${target} order by delivery.place`.execute(api.db);
  return rows;
}

const dueOf = async (target: string) => {
  const rows = await sql<{ due_at: Date | null }>`
    select due_at from target_state where org_id = ${api.org.id} and target_id = ${target}`.execute(api.db);
  return rows.rows[0]?.due_at ?? null;
};

it('the first message goes to every target at once, and others join the next', async () => {
  const source = await givenSource();
  const webhook = await givenTarget(api, { sourceId: source });
  const mail = await givenTarget(api, { sourceId: source, kind: 'EMAIL', emails: ['a@x.org', 'b@x.org', 'c@x.org'] });
  const disabled = await givenTarget(api, { sourceId: source, disabledAt: api.clock.now });
  const removed = await givenTarget(api, { sourceId: source, removedAt: api.clock.now });
  const foreign = await givenTarget(api, { sourceId: await givenSource() });
  await api.db
    .insertInto('mail_refusal')
    .values({ org_id: api.org.id, target_id: mail.id, address: 'b@x.org', refused_at: api.clock.now })
    .execute();
  const scope = newId();
  expect((await enqueue([started(source, scope)])).length).toBe(1);
  expect(await enqueue([started(source, scope), started(source, scope, { count: 4 })])).toEqual([]);
  expect(await deliveriesOf(webhook.id)).toEqual([
    { address: null, state: 'waiting', sequence: 1, trigger: 'ON_STARTED_ARTIFACT' },
  ]);
  expect((await deliveriesOf(mail.id)).map(({ address, state }) => [address, state])).toEqual([
    ['a@x.org', 'waiting'],
    ['b@x.org', 'dropped'],
    ['c@x.org', 'waiting'],
  ]);
  expect((await deliveriesOf(disabled.id)).map(({ state }) => state)).toEqual(['dropped']);
  const { rows: ended } = await sql<{ ended_at: Date | null }>`
    select ended_at from delivery where org_id = ${api.org.id} and target_id = any(${[mail.id, disabled.id]}::uuid[])
    order by state, place`.execute(api.db);
  expect(ended.map(({ ended_at }) => ended_at)).toEqual([api.clock.now, api.clock.now, null, null]);
  for (const { id } of [removed, foreign]) expect(await deliveriesOf(id)).toEqual([]);
  expect(await dueOf(webhook.id)).toEqual(api.clock.now);
  expect(await dueOf(disabled.id)).toBeNull();
  pass(9.999);
  expect(await close()).toBe(0);
  pass(0.001);
  expect(await close()).toBe(1);
  expect(await close()).toBe(0);
  expect((await messagesOf(source)).map(({ sequence, count }) => [sequence, count])).toEqual([
    [1, 1],
    [2, 5],
  ]);
  expect((await deliveriesOf(webhook.id)).map(({ sequence }) => sequence)).toEqual([1, 2]);
});

it('an earlier due time stays', async () => {
  const source = await givenSource();
  const target = await givenTarget(api, { sourceId: source });
  const earlier = new Date(api.clock.now.getTime() - 5_000);
  await sql`update target_state set due_at = ${earlier} where org_id = ${api.org.id} and target_id = ${target.id}`.execute(
    api.db,
  );
  await enqueue([started(source, newId())]);
  expect(await dueOf(target.id)).toEqual(earlier);
});

it('a delivery to a paused target is due when the pause ends', async () => {
  const source = await givenSource();
  const target = await givenTarget(api, { sourceId: source });
  const later = new Date(api.clock.now.getTime() + 5_000);
  await sql`update target_state set paused_until = ${later} where org_id = ${api.org.id} and target_id = ${target.id}`.execute(
    api.db,
  );
  await enqueue([started(source, newId())]);
  expect(await dueOf(target.id)).toEqual(later);
  pass(20);
  await enqueue([started(source, newId())]);
  expect(await dueOf(target.id)).toEqual(later);
  await sql`update target_state set due_at = null where org_id = ${api.org.id} and target_id = ${target.id}`.execute(
    api.db,
  );
  await enqueue([started(source, newId())]);
  expect(await dueOf(target.id)).toEqual(api.clock.now);
});

it('mail recipients are never read into memory, however many there are', async () => {
  const source = await givenSource();
  const emails = Array.from({ length: 500 }, (_, i) => `somebody-${i}@example.org`);
  const targets = await Promise.all(
    Array.from({ length: 4 }, () => givenTarget(api, { sourceId: source, kind: 'EMAIL', emails })),
  );
  const sizes = { sent: 0, read: 0 };
  const scope = newId();
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      sizes.sent += JSON.stringify(node).length;
      return node;
    },
    transformResult: async ({ result }) => {
      sizes.read += result.rows.length;
      return result;
    },
  };
  const messages = Array.from({ length: 10 }, () => turnedRed(source, scope));
  await api.db
    .transaction()
    .execute((db) => enqueueMessages(db.withPlugin(counting), api.org.id, messages, api.clock.now));
  const made = await deliveriesOf(targets[0]?.id ?? '');
  expect(made.map(({ sequence, address }) => [sequence, address])).toEqual(
    Array.from({ length: 10 }, (_, i) => emails.map((email) => [i + 1, email])).flat(),
  );
  expect(sizes.sent).toBeLessThan(60_000);
  expect(sizes.read).toBeLessThan(20);
});

it('targets are locked last, and those of all orgs together', async () => {
  const orgs = [api.org, await api.givenOrg('second')].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const given = await Promise.all(
    orgs.map(async (org) => {
      const sourceId = await givenSource(org);
      await givenTarget(api, { sourceId, org });
      return { org: org.id, messages: [started(sourceId, newId())] };
    }),
  );
  const parts: string[] = [];
  const noting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      const text = JSON.stringify(node);
      parts.push(text.includes('target_state') ? 'target' : 'line');
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  const ids = await api.db.transaction().execute((db) => enqueueForOrgs(db.withPlugin(noting), given, api.clock.now));
  expect(ids.length).toBe(2);
  expect(parts.lastIndexOf('line')).toBeLessThan(parts.indexOf('target'));
});

it('a target that is removed meanwhile keeps no deliveries, whichever comes first', async () => {
  const source = await givenSource();
  const scope = newId();
  for (const isFirst of [true, false]) {
    const target = await givenTarget(api, { sourceId: source });
    const key = sql`org_id = ${api.org.id} and target_id = ${target.id}`;
    const begun = Promise.withResolvers<void>();
    /** Continues when the other one waits for what this one has locked. */
    const holdUp = async () => {
      begun.resolve();
      await expect.poll(() => countHeldUp(api.db)).toBeGreaterThan(0);
    };
    const remove = () =>
      api.db.transaction().execute(async (db) => {
        await sql`update notification_target set removed_at = now() where org_id = ${api.org.id} and id = ${target.id}`.execute(
          db,
        );
        await sql`update target_state set due_at = null where ${key}`.execute(db);
        if (!isFirst) await holdUp();
        await sql`update delivery set state = 'dropped' where ${key} and state = 'waiting'`.execute(db);
      });
    const message = () =>
      api.db.transaction().execute(async (db) => {
        await enqueueMessages(db, api.org.id, [turnedRed(source, scope)], api.clock.now);
        if (isFirst) await holdUp();
      });
    const [one, other] = isFirst ? [message, remove] : [remove, message];
    const first = one();
    await begun.promise;
    await Promise.all([first, other()]);
    expect((await deliveriesOf(target.id)).map(({ state }) => state)).toEqual(isFirst ? ['dropped'] : []);
  }
});

it('open messages are numbered in the order of their last events', async () => {
  const source = await givenSource();
  const scope = newId();
  const exited = () => started(source, scope, { trigger: 'ON_EXITED_ARTIFACT' });
  await enqueue([started(source, scope), exited()]);
  for (const message of [exited(), started(source, scope), exited()]) {
    pass(1);
    await enqueue([message]);
  }
  pass(20);
  expect(await close()).toBe(2);
  expect((await messagesOf(source)).map(({ trigger, count }) => [trigger, count])).toEqual([
    ['ON_STARTED_ARTIFACT', 1],
    ['ON_EXITED_ARTIFACT', 1],
    ['ON_STARTED_ARTIFACT', 1],
    ['ON_EXITED_ARTIFACT', 2],
  ]);
});

it('a state change first numbers what is open in its own environment only', async () => {
  const source = await givenSource();
  const [here, there] = [newId(), newId()].toSorted() as [string, string];
  await enqueue([started(source, here), started(source, there)]);
  await enqueue([started(source, here), started(source, there)]);
  await enqueue([turnedRed(source, here), started(source, here)]);
  expect(await messagesOf(source)).toEqual([
    { scope_id: here, trigger: 'ON_STARTED_ARTIFACT', sequence: 1, count: 1 },
    { scope_id: here, trigger: 'ON_STARTED_ARTIFACT', sequence: 2, count: 1 },
    { scope_id: here, trigger: 'ON_NON_COMPLIANT_ENV', sequence: 3, count: 1 },
    { scope_id: here, trigger: 'ON_STARTED_ARTIFACT', sequence: null, count: 1 },
    { scope_id: there, trigger: 'ON_STARTED_ARTIFACT', sequence: 1, count: 1 },
    { scope_id: there, trigger: 'ON_STARTED_ARTIFACT', sequence: null, count: 1 },
  ]);
});

it('entries cause one message, even with two planners at once, and a rollback undoes that', async () => {
  const source = await givenSource();
  const message = started(source, newId());
  await expect(
    api.db.transaction().execute(async (db) => {
      await enqueueMessages(db, api.org.id, [message], api.clock.now);
      throw new Error('lost');
    }),
  ).rejects.toThrow('lost');
  await Promise.all(Array.from({ length: 5 }, () => enqueue([message])));
  expect(await messagesOf(source)).toMatchObject([{ sequence: 1, count: 1 }]);
});

it('the sources that have seen an entry are stored in one row, and others can be added later', async () => {
  const sources = await Promise.all([givenSource(), givenSource(), givenSource()]);
  const [first, second, third] = sources;
  const scope = newId();
  const entryIds = [newId()];
  const of = (source: string) => started(source, scope, { entryIds });
  await enqueue([of(first), started(second, scope, { entryIds: [...entryIds] })]);
  await Promise.all([enqueue([of(first), of(third)]), enqueue([of(third), of(second)])]);
  for (const source of sources) expect(await messagesOf(source)).toMatchObject([{ sequence: 1, count: 1 }]);
  const rows = await api.db
    .selectFrom('message_entry')
    .select('sources')
    .where('org_id', '=', api.org.id)
    .where('entry_id', '=', entryIds[0] ?? '')
    .execute();
  expect(rows.map((row) => row.sources.toSorted())).toEqual([sources.toSorted()]);
});

it('recipients get mail through a target that is created on demand, once', async () => {
  const org = await api.givenOrg('derived');
  const expiry = (recipients: string[]) =>
    started(org.id, org.id, {
      source: { id: org.id, configType: 'api_key_expiry' },
      trigger: 'api_key_expiry',
      groups: false,
      entryIds: [],
      recipients,
    });
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, i) => enqueue([expiry([`a${i}@x.org`, 'same@x.org', 'same@x.org'])], org)),
  );
  expect(answers.map((ids) => ids.length)).toEqual([1, 1, 1, 1, 1, 1]);
  const targets = await api.db
    .selectFrom('notification_target')
    .selectAll()
    .where('org_id', '=', org.id)
    .where('source_id', '=', org.id)
    .execute();
  expect(targets).toMatchObject([{ derived: true, kind: 'EMAIL', config_type: 'api_key_expiry' }]);
  const id = targets[0]?.id ?? '';
  const made = await deliveriesOf(id, org);
  expect(made.length).toBe(12);
  expect(new Set(made.map(({ sequence }) => sequence))).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  // It must not stay disabled, as nobody could enable it.
  await sql`update target_state set disabled_at = now() where org_id = ${org.id} and target_id = ${id}`.execute(api.db);
  await enqueue([expiry(['late@x.org'])], org);
  expect((await deliveriesOf(id, org)).length).toBe(13);
  // When the org has targets of its own, its messages go there and not to the derived one.
  const own = await givenTarget(api, { org });
  const { recipients, ...configured } = expiry([]);
  expect(recipients).toEqual([]);
  await enqueue([configured], org);
  expect((await deliveriesOf(own.id, org)).length).toBe(1);
  expect((await deliveriesOf(id, org)).length).toBe(13);
});

it('numbers have no gap with planners and closers at once, nothing is lost, and order is kept', async () => {
  const sources = await Promise.all([givenSource(), givenSource()]);
  const scopes = [newId(), newId()];
  const targets = await Promise.all(sources.map((sourceId) => givenTarget(api, { sourceId })));
  const stopping = new AbortController();
  const parts = { db: api.db, log: noLog, now: () => api.clock.now };
  const closers = [1, 2].map(() => runMessageCloser(parts, stopping.signal, 2));
  const planner = async (seed: number) => {
    for (let i = 0; i < 60; i++) {
      const source = sources[(i + seed) % 2] ?? '';
      const other = sources[(i + seed + 1) % 2] ?? '';
      const scope = scopes[i % 2] ?? '';
      await enqueue([
        started(source, scope, { count: 3 }),
        ...(i % 6 === seed ? [turnedRed(source, scope)] : []),
        started(other, scope, { trigger: 'ON_EXITED_ARTIFACT' }),
      ]);
      pass(0.3);
    }
  };
  await Promise.all([planner(0), planner(1), planner(2)]);
  pass(20);
  while ((await Promise.all(sources.map(linesOf))).flat().some(({ sequence }) => sequence === null)) await sleep(5);
  stopping.abort();
  await Promise.all(closers);
  const all = (await Promise.all(sources.map(linesOf))).flat();
  const counted = (trigger: string) =>
    all.filter((message) => message.trigger === trigger).reduce((sum, { count }) => sum + count, 0);
  expect(counted('ON_STARTED_ARTIFACT')).toBe(3 * 60 * 3);
  expect(counted('ON_EXITED_ARTIFACT')).toBe(3 * 60);
  expect(counted('ON_NON_COMPLIANT_ENV')).toBe(30);
  for (const line of Map.groupBy(all, ({ source, scope_id }) => `${source} ${scope_id}`).values()) {
    expect(line.map(({ sequence }) => sequence)).toEqual(line.map((_, i) => i + 1));
  }
  for (const { id } of targets) {
    const { rows } = await sql<{ scope_id: string; sequence: number }>`
      select message.scope_id, message.sequence
      from delivery join message on message.org_id = delivery.org_id and message.id = delivery.message_id
      where delivery.org_id = ${api.org.id} and delivery.target_id = ${id} order by delivery.place`.execute(api.db);
    for (const line of Map.groupBy(rows, ({ scope_id }) => scope_id).values()) {
      expect(line.map(({ sequence }) => sequence)).toEqual(line.map((_, i) => i + 1));
    }
  }
});

async function linesOf(source: string) {
  return (await messagesOf(source)).map((message) => ({ ...message, source }));
}

it('a line that cannot be closed delays nothing else, and is postponed for a while', async () => {
  const [bad, good] = [await givenSource(), await givenSource()];
  const other = await api.givenOrg('elsewhere');
  const elsewhere = await givenSource(other);
  const scopes = Array.from({ length: 201 }, () => newId());
  for (let i = 0; i < 2; i++) await enqueue(scopes.map((scope) => started(bad, scope)));
  pass(1);
  for (let i = 0; i < 2; i++) {
    await enqueue([started(good, scopes[0] ?? '')]);
    await enqueue([started(elsewhere, scopes[0] ?? '')], other);
  }
  // Causes numbers that are already taken.
  await sql`update message_sequence set last = 0 where org_id = ${api.org.id} and source_id = ${bad}`.execute(api.db);
  pass(20);
  await expect(close()).rejects.toThrow();
  expect((await messagesOf(good)).map(({ sequence }) => sequence)).toEqual([1, 2]);
  expect((await messagesOf(elsewhere, other)).map(({ sequence }) => sequence)).toEqual([1, 2]);
  expect(await close()).toBe(0);
  await sql`update message_sequence set last = 1 where org_id = ${api.org.id} and source_id = ${bad}`.execute(api.db);
  pass(60);
  expect(await close()).toBe(201);
});

it('stores text that no column can hold', async () => {
  const source = await givenSource();
  const why = `a\u0000b \ud800 ${'x'.repeat(10_000)}`;
  await enqueue([started(source, newId(), { content: contentOf({ why, names: ['\udc00', 'c:\\u0000'] }) })]);
  const { rows } = await sql<{ content: PlannedMessage['content'] }>`
    select content from message where org_id = ${api.org.id} and source_id = ${source}`.execute(api.db);
  expect(rows[0]?.content.why).toMatch(/^a\ufffdb \ufffd x+$/);
  expect(rows[0]?.content.names).toEqual(['\ufffd', 'c:\\u0000']);
});
