import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { type GivenTarget, givenNotification, givenTarget } from '../../../../test/given/deliveries.ts';
import { attemptRows, deliveryRow, givenWaiting, stateRow } from '../../../../test/given/waiting-deliveries.ts';
import { rowsRead } from '../../../../test/guards/plans/costly.ts';
import { openExplainer } from '../../../../test/guards/plans/explained.ts';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { type Answer, answering, holdingBack, startWebhookReceiver } from '../../../../test/webhook-receiver.ts';
import { newId } from '../../../platform/ids.ts';
import type { DeliveryParts } from './attempt.service.ts';
import { createDeliveries, deliverDue, runDeliveries } from './deliver.ts';
import { type Taking, takeTargets } from './delivery-queue.store.ts';

const api = await startApi();
const other = await api.givenOrg('other');
const receiver = await startWebhookReceiver();
const parts: DeliveryParts = {
  db: api.db,
  box: api.parts.secretBox,
  publicUrl: 'https://waymark.example.org',
  outbound: receiver.outbound(),
  mailer: undefined,
  log: noLog,
  random: () => 0.5,
};
const onClock = { ...parts, now: () => api.clock.now };
const explainer = openExplainer(api.ownerUrl);
afterAll(() => explainer.close());

let numbers = 0;

beforeEach(async () => {
  receiver.reset();
  api.clock.now = new Date();
  await sql`update target_state set due_at = null, held_until = null where org_id is not null`.execute(api.db);
});

async function givenTargets(count: number, prefix: string, org: TestOrg = api.org): Promise<GivenTarget[]> {
  numbers += 1;
  const sourceId = await givenNotification(api, numbers, org);
  const targets: GivenTarget[] = [];
  for (let i = 0; i < count; i++) {
    targets.push(await givenTarget(api, { sourceId, url: receiver.url(`${prefix}-${i}`), org }));
  }
  return targets;
}

async function givenOne(name: string, org?: TestOrg): Promise<GivenTarget> {
  const [target] = await givenTargets(1, name, org);
  if (!target) throw new Error('there is no target');
  return target;
}

const idsOf = (name: string) => receiver.receivedBy(name).map(({ headers }) => headers['webhook-id']);

/** Runs workers during `work`, and waits until they have stopped. */
async function withWorkers(
  count: number,
  work: (stopping: AbortSignal) => Promise<void>,
  more: Partial<DeliveryParts> = {},
): Promise<void> {
  const stopping = new AbortController();
  const workers = Array.from({ length: count }, () => runDeliveries({ ...parts, ...more }, stopping.signal, 20));
  try {
    await work(stopping.signal);
  } finally {
    stopping.abort();
    await Promise.all(workers);
  }
}

it('sends nothing twice, and to each target in order, with any number of workers', async () => {
  const targets = await givenTargets(12, 'shared');
  const expected = await Promise.all(targets.map((target) => givenWaiting(api, target, 8)));
  await withWorkers(3, async () => {
    await expect.poll(() => receiver.received.length).toBe(96);
    const more = await Promise.all(targets.map((target) => givenWaiting(api, target, 2)));
    for (const [i, ids] of more.entries()) expected[i]?.push(...ids);
    await expect.poll(() => receiver.received.length).toBe(120);
  });
  expect(targets.map((_, i) => idsOf(`shared-${i}`))).toEqual(expected);
});

it('takes over from a worker that died, after 30 seconds, with the same id', async () => {
  const target = await givenOne('orphan');
  const [id = ''] = await givenWaiting(api, target);
  const answers: (() => void)[] = [];
  receiver.answer('orphan-0', (response) => answers.push(() => response.writeHead(500).end()));
  // It is never heard from again: the receiver got what it was sending, but nobody knows.
  const dead = deliverDue({ ...onClock, outbound: receiver.outbound({ timeoutMs: 60_000 }) });
  await expect.poll(() => answers.length).toBe(1);
  receiver.answer('orphan-0', answering(204));

  expect(await deliverDue(onClock)).toBe(0);
  api.clock.now = new Date(api.clock.now.getTime() + 30_000);
  expect(await deliverDue(onClock)).toBe(0);
  api.clock.now = new Date(api.clock.now.getTime() + 1);
  expect(await deliverDue(onClock)).toBe(1);
  expect(idsOf('orphan-0')).toEqual([id, id]);
  expect(await deliveryRow(api, id)).toMatchObject({ state: 'delivered', attempts: 2 });
  const sent = receiver.received
    .filter(({ path }) => path === '/orphan-0')
    .map(({ headers }) => headers['x-request-id']);
  const [cutOff, done, ...rest] = await attemptRows(api, id);
  expect([cutOff?.request_id, done?.request_id, rest]).toEqual([...sent, []]);
  expect(cutOff).toMatchObject({
    outcome: 'failed',
    error: expect.stringContaining('it is unknown whether the message arrived'),
  });
  expect(done).toMatchObject({ outcome: 'delivered', error: null });

  // If it was only slow, its late outcome is recorded, and changes nothing that is known by then.
  for (const answer of answers) answer();
  await dead;
  expect(await deliveryRow(api, id)).toMatchObject({ state: 'delivered', attempts: 2 });
  expect(await attemptRows(api, id)).toMatchObject([
    { request_id: sent[0], outcome: 'failed', status: 500, error: 'The receiver answered 500' },
    { request_id: sent[1], outcome: 'delivered' },
  ]);
});

it('does not let an org with very many targets delay another', async () => {
  const many = await givenTargets(100, 'many');
  const held = holdingBack(204);
  for (const [i, target] of many.entries()) {
    receiver.answer(`many-${i}`, held.answer);
    await givenWaiting(api, target);
  }
  const one = await givenOne('single', other);
  await withWorkers(1, async (stopping) => {
    stopping.addEventListener('abort', held.release);
    await expect.poll(() => receiver.mostOpen(/many/)).toBe(32);
    const [id] = await givenWaiting(api, one);
    // None of the many has an answer yet.
    await expect.poll(() => idsOf('single-0')).toEqual([id]);
  });
  expect(receiver.mostOpen(/many/)).toBe(32);
});

it('reserves slots for working targets when very many fail', async () => {
  const orgs = [api.org, other, await api.givenOrg('third'), await api.givenOrg('fourth')];
  const held = holdingBack(500);
  const dead: GivenTarget[] = [];
  for (const org of orgs) dead.push(...(await givenTargets(25, `dead-${org.name}`, org)));
  for (const target of dead) await givenWaiting(api, target);
  for (const { name } of orgs) for (let i = 0; i < 25; i++) receiver.answer(`dead-${name}-${i}`, held.answer);
  await sql`update target_state set failures = 1 where org_id is not null and due_at is not null`.execute(api.db);
  const alive = await givenOne('alive');
  await withWorkers(1, async (stopping) => {
    stopping.addEventListener('abort', held.release);
    await expect.poll(() => receiver.mostOpen(/dead/)).toBe(32);
    const ids = await givenWaiting(api, alive, 5);
    // None of the dead ones has an answer yet.
    await expect.poll(() => idsOf('alive-0')).toEqual(ids);
  });
  expect(receiver.mostOpen(/dead/)).toBe(32);
});

it('finishes what it is sending when it has to stop, and releases the rest', async () => {
  const target = await givenOne('stopped');
  const held = holdingBack(204);
  receiver.answer('stopped-0', held.answer);
  const ids = await givenWaiting(api, target, 5);
  await withWorkers(1, async (stopping) => {
    stopping.addEventListener('abort', held.release);
    await expect.poll(() => receiver.received.length).toBe(1);
  });
  expect(idsOf('stopped-0')).toEqual([ids[0]]);
  expect(await deliveryRow(api, ids[0] ?? '')).toMatchObject({ state: 'delivered' });
  const { held_by, held_until, due_at } = await stateRow(api, target);
  expect([held_by, held_until]).toEqual([null, null]);
  expect(due_at?.getTime()).toBeLessThanOrEqual(Date.now());
  await withWorkers(1, async () => {
    await expect.poll(() => idsOf('stopped-0')).toEqual(ids);
  });
});

it('polls at once when it is woken', async () => {
  const target = await givenOne('woken');
  const stopping = new AbortController();
  const deliveries = createDeliveries(parts, 600_000);
  const running = deliveries.run(stopping.signal);
  await sleep(100);
  const ids = await givenWaiting(api, target);
  deliveries.wake();
  await expect.poll(() => idsOf('woken-0')).toEqual(ids);
  stopping.abort();
  await running;
});

it('goes on when the database comes back, and logs neither URL nor secret', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const target = await givenOne('secret-path');
  receiver.answer('secret-path-0', answering(500));
  await withWorkers(
    1,
    async () => {
      await sql`alter table target_state rename to target_state_away`.execute(api.owner);
      await expect.poll(() => lines.join()).toContain('deliveries wait');
      await sql`alter table target_state_away rename to target_state`.execute(api.owner);
      const [id = ''] = await givenWaiting(api, target);
      await expect.poll(async () => (await attemptRows(api, id)).length).toBe(1);
    },
    { log },
  );
  expect(lines.join()).not.toMatch(/secret-path|whsec_|https:/);
});

it('records what it sent when the database was away for a moment', async () => {
  const target = await givenOne('moment');
  receiver.answer('moment-0', (response) => {
    void sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`
      .execute(api.db)
      .finally(() => response.writeHead(204).end());
  });
  const [id = ''] = await givenWaiting(api, target);
  await withWorkers(1, async () => {
    await expect.poll(async () => (await deliveryRow(api, id)).state).toBe('delivered');
  });
  expect(idsOf('moment-0')).toEqual([id]);
  await untilReconnected();
});

/** The pool notices an ended session only when it uses it, so all of them have to be used at the same time. */
async function untilReconnected(): Promise<void> {
  const useAll = () => Promise.all(Array.from({ length: 50 }, () => sql`select 1`.execute(api.db)));
  await expect.poll(() => useAll().then(() => 'connected', String)).toBe('connected');
}

/** Very many targets that are due before anything else, with no deliveries. */
async function givenCrowd(orgs: readonly string[], count: number, state: { failures: number; pausedUntil?: Date }) {
  const at = new Date(api.clock.now.getTime() - 60_000);
  await sql`
    with made as (
      insert into notification_target (org_id, id, source_id, kind, position, emails, created_at)
      select org_id, gen_random_uuid(), gen_random_uuid(), 'EMAIL', 0, '{}', ${at}
      from unnest(${orgs}::uuid[]) as org_id, generate_series(1, ${count}::integer)
      returning org_id, id
    )
    insert into target_state (org_id, target_id, due_at, failures, paused_until)
    select org_id, id, ${state.pausedUntil ?? at}, ${state.failures}, ${state.pausedUntil ?? null} from made`.execute(
    api.db,
  );
}

async function take(more: Partial<Taking> = {}, db = api.db) {
  const now = api.clock.now;
  const until = new Date(now.getTime() + 30_000);
  const room = { slots: 128, troubled_slots: 32, per_org: 32, orgs: [], held: [] };
  return takeTargets(db, { ...room, worker: newId(), now, until, ...more });
}

it('finds every org with due deliveries, however many the others have', async () => {
  await givenCrowd([api.org.id], 6_000, { failures: 0 });
  const one = await givenOne('behind', other);
  await givenWaiting(api, one);
  const taken = await take();
  const ofOrg = (id: string) => taken.filter(({ org_id }) => org_id === id);
  expect(ofOrg(api.org.id)).toHaveLength(32);
  expect(ofOrg(other.id).map(({ target_id }) => target_id)).toEqual([one.id]);

  // With one slot left, an org that holds none comes first.
  await givenWaiting(api, await givenOne('behind-again', other));
  expect((await take({ slots: 1, orgs: [api.org.id], held: [5] })).map(({ org_id }) => org_id)).toEqual([other.id]);
});

it('finds working targets behind thousands that fail, in as many orgs', async () => {
  const orgs = Array.from({ length: 200 }, () => newId());
  await sql`insert into org (id, name, kind, created_at)
    select id, 'crowd-' || id, 'shared', now() from unnest(${orgs}::uuid[]) as id`.execute(api.db);
  await givenCrowd(orgs, 20, { failures: 3 });
  const healthy = await givenTargets(3, 'works', other);
  for (const target of healthy) await givenWaiting(api, target);
  const taken = await take();
  expect(taken.filter(({ troubled }) => troubled)).toHaveLength(32);
  expect(new Set(taken.filter(({ troubled }) => troubled).map(({ org_id }) => org_id)).size).toBe(32);
  expect(taken.filter(({ troubled }) => !troubled).map(({ target_id }) => target_id)).toHaveLength(3);
  expect((await take({ troubled_slots: 0 })).length).toBe(0);
});

it.each([
  ['paused', () => ({ failures: 1, pausedUntil: new Date(api.clock.now.getTime() + 60_000) })],
  ['due', () => ({ failures: 0 })],
])('reads ten thousand targets of one org that are %s at most once', async (_, stateOf) => {
  await givenCrowd([api.org.id], 10_000, stateOf());
  await sql`vacuum analyze target_state`.execute(api.owner);
  const explained = await explainer.explain((db) => take({ orgs: [api.org.id], held: [32] }, db));
  expect(explained).toHaveLength(2);
  for (const { name, plan } of explained) expect(rowsRead(plan), name).toBeLessThan(10_100);
});

it('ends the turn of a slow target after a second, so that others of its org get theirs', async () => {
  const slow = await givenTargets(32, 'slow');
  for (const target of slow) await givenWaiting(api, target, 3);
  api.clock.now = new Date(api.clock.now.getTime() + 1);
  await givenWaiting(api, await givenOne('patient'));
  // Each answer waits until all 32 slots of the org are in use. By the worker's clock that takes a second.
  let left = 97;
  const held: (() => void)[] = [];
  const answer: Answer = (response) => {
    held.push(() => response.writeHead(204).end());
    if (held.length < Math.min(32, left)) return;
    left -= held.length;
    api.clock.now = new Date(api.clock.now.getTime() + 1_000);
    for (const release of held.splice(0)) release();
  };
  receiver.answer('patient-0', answer);
  for (const i of slow.keys()) receiver.answer(`slow-${i}`, answer);
  expect(await deliverDue({ ...onClock, outbound: receiver.outbound({ timeoutMs: 60_000 }) })).toBe(97);
  const nth = receiver.received.map(({ path }) => path).indexOf('/patient-0');
  // After the first turn of all 32, which hold the slots of the org, and before the second one is over.
  expect(nth).toBeGreaterThanOrEqual(32);
  expect(nth).toBeLessThan(64);
});

it('counts a target that answers after more than two seconds as troubled', async () => {
  const target = await givenOne('sleepy');
  let elapsedMs = 0;
  const timed = { ...onClock, elapsed: () => elapsedMs };
  receiver.answer('sleepy-0', (response) => {
    elapsedMs += 2_001;
    response.writeHead(204).end();
  });
  await givenWaiting(api, target);
  await deliverDue(timed);
  expect(await stateRow(api, target)).toMatchObject({ failures: 0, troubled: true, last_latency_ms: 2_001 });
  receiver.answer('sleepy-0', (response) => {
    elapsedMs += 2_000;
    response.writeHead(204).end();
  });
  await givenWaiting(api, target);
  await deliverDue(timed);
  expect(await stateRow(api, target)).toMatchObject({ troubled: false, last_latency_ms: 2_000 });
});
