import { RETRY_SECONDS, sign, signedText } from '@waymark/messages';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { type GivenTarget, givenNotification, givenTarget } from '../../../../test/given/deliveries.ts';
import { countHeldUp } from '../../../../test/given/held-up.ts';
import { attemptRows, deliveryRow, givenWaiting, stateRow } from '../../../../test/given/waiting-deliveries.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import { answering, startWebhookReceiver } from '../../../../test/webhook-receiver.ts';
import { newId } from '../../../platform/ids.ts';
import { openSecretBox } from '../../../platform/secret-box.ts';
import { attemptNow, type DeliveryParts } from './attempt.service.ts';
import { deliverDue } from './deliver.ts';
import { recordInterrupted, releaseTarget, takeTargets } from './delivery-queue.store.ts';

const api = await startApi();
const receiver = await startWebhookReceiver();
const parts: DeliveryParts = {
  db: api.db,
  box: api.parts.secretBox,
  publicUrl: 'https://waymark.example.org',
  outbound: receiver.outbound(),
  mailer: undefined,
  log: noLog,
  now: () => api.clock.now,
  random: () => 0.5,
};

const DAY = 24 * 3_600;
let numbers = 0;
let name: string;
let target: GivenTarget;

beforeEach(async () => {
  receiver.reset();
  api.clock.now = new Date();
  numbers += 1;
  name = `receiver-${numbers}`;
  const sourceId = await givenNotification(api, numbers);
  target = await givenTarget(api, { sourceId, url: receiver.url(name) });
});

function later(seconds: number): void {
  api.clock.now = new Date(api.clock.now.getTime() + seconds * 1_000);
}

function secondsFrom(start: Date, at: Date | null | undefined): number | undefined {
  return at ? (at.getTime() - start.getTime()) / 1_000 : undefined;
}

/** Ids in the order of arrival. */
function received(): (string | undefined)[] {
  return receiver.receivedBy(name).map(({ headers }) => headers['webhook-id'] as string);
}

/** Moves the clock from one due time to the next, and notes when attempts were made. */
async function passTime(start: Date, seconds: number): Promise<void> {
  for (;;) {
    await deliverDue(parts);
    const { due_at } = await stateRow(api, target);
    const next = secondsFrom(start, due_at);
    if (next === undefined || next > seconds) break;
    api.clock.now = due_at ?? api.clock.now;
  }
}

async function attemptSeconds(delivery: string, start: Date): Promise<(number | undefined)[]> {
  return (await attemptRows(api, delivery)).map(({ at }) => secondsFrom(start, at));
}

/** Drops what waits, so that it does not disturb the next test. */
async function clearQueue(): Promise<void> {
  await sql`update target_state set due_at = null where org_id is not null`.execute(api.db);
}
beforeEach(clearQueue);

const identityOf = ({ id, org }: GivenTarget) => ({ org_id: org.id, target_id: id });

/** Takes the target as a worker does. */
async function take(worker: string) {
  await sql`update target_state set due_at = ${api.clock.now}
    where org_id = ${api.org.id} and target_id = ${target.id}`.execute(api.db);
  const until = new Date(api.clock.now.getTime() + 30_000);
  const room = { slots: 1, troubled_slots: 1, per_org: 1, orgs: [], held: [] };
  const taken = await takeTargets(api.db, { ...room, worker, now: api.clock.now, until });
  return taken.map((row) => ({ ...row, worker }));
}

describe('success', () => {
  it('sends what waits in order, once, and records each attempt', async () => {
    const ids = await givenWaiting(api, target, 3);
    expect(await deliverDue(parts)).toBe(3);
    expect(received()).toEqual(ids);
    expect(await deliveryRow(api, ids[0] ?? '')).toMatchObject({
      state: 'delivered',
      tries: 1,
      attempts: 1,
      ended_at: api.clock.now,
    });
    expect(await attemptRows(api, ids[0] ?? '')).toEqual([
      {
        org_id: api.org.id,
        delivery_id: ids[0],
        no: 1,
        at: api.clock.now,
        request_id: receiver.received[0]?.headers['x-request-id'],
        outcome: 'delivered',
        status: 204,
        latency_ms: expect.any(Number),
        error: null,
      },
    ]);
    expect(await stateRow(api, target)).toMatchObject({
      due_at: null,
      held_by: null,
      held_until: null,
      last_success_at: api.clock.now,
      last_failure_at: null,
      failures: 0,
    });
    expect(await deliverDue(parts)).toBe(0);
  });

  it('sends more than fits into one turn', async () => {
    const ids = await givenWaiting(api, target, 120);
    expect(await deliverDue(parts)).toBe(120);
    expect(received()).toEqual(ids);
  });

  it('notices what arrives while it holds the target', async () => {
    const more: string[] = [];
    receiver.answer(name, async (response) => {
      if (more.length === 0) more.push(...(await givenWaiting(api, target)));
      response.writeHead(204).end();
    });
    const [first] = await givenWaiting(api, target);
    await deliverDue(parts);
    expect(received()).toEqual([first, ...more]);
  });

  it('notices what is committed while it releases the target', async () => {
    const [taken] = await take(newId());
    const committed = Promise.withResolvers<void>();
    const marked = Promise.withResolvers<void>();
    const enqueued = api.db.transaction().execute(async (db) => {
      await givenWaiting({ ...api, db }, target);
      marked.resolve();
      await committed.promise;
    });
    await marked.promise;
    const released = releaseTarget(api.db, { ...identityOf(target), worker: taken?.worker ?? '', due_at: null });
    await expect.poll(() => countHeldUp(api.db)).toBeGreaterThan(0);
    committed.resolve();
    await Promise.all([enqueued, released]);
    expect(await stateRow(api, target)).toMatchObject({ held_by: null, due_at: api.clock.now });
    expect(await deliverDue(parts)).toBe(1);
  });

  it('treats any 2xx as success', async () => {
    for (const status of [200, 201, 202, 204, 226, 299]) {
      receiver.answer(name, answering(status));
      const [id] = await givenWaiting(api, target);
      await deliverDue(parts);
      expect(await deliveryRow(api, id ?? '')).toMatchObject({ state: 'delivered' });
    }
  });
});

describe('the schedule', () => {
  it('tries ten times to the second, and gives up', async () => {
    receiver.answer(name, answering(500));
    const start = api.clock.now;
    const [id = ''] = await givenWaiting(api, target);
    await passTime(start, 100 * DAY);
    let sum = 0;
    const expected = RETRY_SECONDS.map((seconds) => (sum += seconds));
    expect(await attemptSeconds(id, start)).toEqual(expected);
    expect(expected).toEqual([0, 5, 305, 2_105, 9_305, 27_305, 63_305, 113_705, 185_705, 272_105]);
    expect(await deliveryRow(api, id)).toMatchObject({
      state: 'failed',
      tries: 10,
      attempts: 10,
      ended_at: api.clock.now,
    });
    expect(received()).toEqual(Array.from({ length: 10 }, () => id));
    const stamps = receiver.receivedBy(name).map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(stamps).toEqual(expected.map((seconds) => Math.floor(start.getTime() / 1_000 + seconds)));
    expect(new Set(receiver.receivedBy(name).map(({ headers }) => headers['x-request-id'])).size).toBe(10);
  });

  it.each([
    [0, 0.8],
    [0.999, 1.1996],
  ])('spreads the attempts with %d by at most a fifth', async (random, factor) => {
    receiver.answer(name, answering(500));
    const start = api.clock.now;
    const [id = ''] = await givenWaiting(api, target);
    const spread = { ...parts, random: () => random };
    await deliverDue(spread);
    const { due_at } = await deliveryRow(api, id);
    expect(secondsFrom(start, due_at)).toBeCloseTo(5 * factor, 2);
    api.clock.now = new Date(due_at.getTime() - 1);
    expect(await deliverDue(spread)).toBe(0);
    api.clock.now = due_at;
    expect(await deliverDue(spread)).toBe(1);
    expect(secondsFrom(due_at, (await deliveryRow(api, id)).due_at)).toBeCloseTo(300 * factor, 2);
  });

  it.each([
    [429, '120', 120],
    [503, '120', 120],
    [429, '1', 5],
    [429, '604800', DAY],
    [503, 'not a time', 5],
    [500, '120', 5],
  ])('after %i with Retry-After: %s waits for %d seconds', async (status, header, seconds) => {
    receiver.answer(name, answering(status, { 'retry-after': header }));
    const start = api.clock.now;
    const [id = '', other = ''] = await givenWaiting(api, target, 2);
    await deliverDue(parts);
    expect(secondsFrom(start, (await deliveryRow(api, id)).due_at)).toBe(seconds);
    expect(await stateRow(api, target)).toMatchObject({ paused_until: new Date(start.getTime() + seconds * 1_000) });
    later(seconds - 0.001);
    expect(await deliverDue(parts)).toBe(0);
    expect(await attemptRows(api, other)).toEqual([]);
    receiver.answer(name, answering(204));
    later(0.001);
    expect(await deliverDue(parts)).toBe(2);
  });

  it('reads a Retry-After that is a date', async () => {
    const start = new Date(Math.ceil(api.clock.now.getTime() / 1_000) * 1_000);
    api.clock.now = start;
    const date = new Date(start.getTime() + 3_600_000).toUTCString();
    receiver.answer(name, answering(503, { 'retry-after': date }));
    const [id = ''] = await givenWaiting(api, target);
    await deliverDue(parts);
    expect(secondsFrom(start, (await deliveryRow(api, id)).due_at)).toBe(3_600);
  });

  it('gives up a delivery that a receiver postponed for five days', async () => {
    const start = api.clock.now;
    receiver.answer(name, answering(429, { 'retry-after': '86400' }));
    const [id = ''] = await givenWaiting(api, target);
    await passTime(start, 4.5 * DAY);
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'waiting', tries: 5 });
    await passTime(start, 100 * DAY);
    expect(await attemptSeconds(id, start)).toEqual([0, DAY, 2 * DAY, 3 * DAY, 4 * DAY, 5 * DAY]);
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'failed' });
  });

  it('starts over with one that was redelivered long after its first attempt', async () => {
    receiver.answer(name, answering(500));
    const [id = ''] = await givenWaiting(api, target);
    await passTime(api.clock.now, 100 * DAY);
    later(20 * DAY);
    await sql`update delivery set state = 'waiting', tries = 0, due_at = ${api.clock.now}, ended_at = null
      where org_id = ${api.org.id} and id = ${id}`.execute(api.db);
    await sql`update target_state set due_at = ${api.clock.now}, failing_since = null, failures = 0, paused_until = null
      where org_id = ${api.org.id} and target_id = ${target.id}`.execute(api.db);
    await deliverDue(parts);
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'waiting', tries: 1, attempts: 11 });
    expect((await attemptRows(api, id)).map(({ no }) => no)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });
});

describe('responses', () => {
  it.each([300, 301, 302, 307, 308, 408, 409, 425, 429, 500, 502, 503, 504, 599])(
    'retries after %i',
    async (status) => {
      receiver.answer(name, answering(status, { location: receiver.url('elsewhere') }));
      const [id = ''] = await givenWaiting(api, target);
      await deliverDue(parts);
      expect(await deliveryRow(api, id)).toMatchObject({ state: 'waiting', tries: 1, ended_at: null });
      expect(await attemptRows(api, id)).toMatchObject([{ outcome: 'failed', status }]);
      expect(receiver.receivedBy('elsewhere')).toEqual([]);
    },
  );

  it.each([400, 401, 403, 404, 405, 413, 422, 451, 499])(
    'ends a delivery after %i, and continues with the next',
    async (status) => {
      receiver.answer(name, answering(status));
      const [id = '', next = ''] = await givenWaiting(api, target, 2);
      await deliverDue(parts);
      expect(await deliveryRow(api, id)).toMatchObject({ state: 'failed', tries: 1, ended_at: api.clock.now });
      expect(await attemptRows(api, id)).toMatchObject([{ status, error: `The receiver answered ${status}` }]);
      expect(await deliveryRow(api, next)).toMatchObject({ state: 'failed' });
      expect(await stateRow(api, target)).toMatchObject({
        paused_until: null,
        failures: 0,
        last_failure_at: api.clock.now,
        failing_since: null,
        disabled_at: null,
      });
    },
  );

  it('disables a target that answers 410, and drops what waits for it', async () => {
    await sql`update user_account set email = login || '@example.org' where login = 'acme-admin'`.execute(api.db);
    receiver.answer(name, answering(410));
    const [id = '', next = ''] = await givenWaiting(api, target, 2);
    expect(await deliverDue(parts)).toBe(1);
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'failed' });
    expect(await deliveryRow(api, next)).toMatchObject({ state: 'dropped', attempts: 0, ended_at: api.clock.now });
    const because = 'The receiver answered 410: it no longer accepts messages';
    expect(await stateRow(api, target)).toMatchObject({
      disabled_at: api.clock.now,
      disabled_because: because,
      due_at: null,
      held_by: null,
    });
    const mails = await sql`select from mail where kind = 'target-disabled' and org_id = ${api.org.id}`.execute(api.db);
    expect(mails.rows.length).toBeGreaterThan(0);
    expect((await api.journal()).at(-1)).toMatchObject({
      type: 'target.disabled',
      actor: 'deliveries',
      payload: {
        source_id: target.sourceId,
        config_type: null,
        kind: 'WEBHOOK',
        host: new URL(receiver.url('')).host,
        because,
        dropped: 1,
      },
    });
  });

  it('disables a target that failed for five days', async () => {
    receiver.answer(name, answering(500));
    const start = api.clock.now;
    const [first = ''] = await givenWaiting(api, target);
    await passTime(start, 4.9 * DAY);
    expect(await deliveryRow(api, first)).toMatchObject({ state: 'failed' });
    api.clock.now = new Date(start.getTime() + 5 * DAY * 1_000 - 1_000);
    const [second = ''] = await givenWaiting(api, target);
    await deliverDue(parts);
    expect(await stateRow(api, target)).toMatchObject({ disabled_at: null });
    for (const seconds of [900, 900]) {
      expect(await stateRow(api, target)).toMatchObject({ disabled_at: null });
      later(seconds);
      await deliverDue(parts);
    }
    expect(await stateRow(api, target)).toMatchObject({
      disabled_at: api.clock.now,
      disabled_because: 'All attempts in 5 days failed. Last error: The receiver answered 500',
    });
    expect(await deliveryRow(api, second)).toMatchObject({ state: 'dropped', attempts: 3 });
  });

  it('does not disable a target with little traffic after two failures in a week', async () => {
    for (let message = 0; message < 3; message++) {
      receiver.answer(name, answering(500));
      await givenWaiting(api, target);
      await deliverDue(parts);
      await sql`update delivery set state = 'dropped' where org_id = ${api.org.id} and target_id = ${target.id}`.execute(
        api.db,
      );
      later(6 * DAY);
    }
    expect(await stateRow(api, target)).toMatchObject({ failures: 3, disabled_at: null });
    // Nor by a single failure of one message long after many failures of another.
    await sql`update target_state set failures = 20 where org_id = ${api.org.id} and target_id = ${target.id}`.execute(
      api.db,
    );
    await givenWaiting(api, target);
    await deliverDue(parts);
    expect(await stateRow(api, target)).toMatchObject({ failures: 21, disabled_at: null });
  });

  it('does not count its own faults, refused messages or tests against a target', async () => {
    await givenWaiting(api, target);
    await deliverDue({ ...parts, box: undefined });
    expect(await stateRow(api, target)).toMatchObject({
      failures: 0,
      failing_since: null,
      last_error: expect.stringContaining('SECRET_KEY'),
    });
    later(5);
    receiver.answer(name, answering(422));
    await deliverDue(parts);
    expect(await stateRow(api, target)).toMatchObject({ failures: 0, failing_since: null });
    const mail = await givenTarget(api, { sourceId: target.sourceId, kind: 'EMAIL', emails: ['a@example.org'] });
    await givenWaiting(api, mail, 1, 'a@example.org');
    await deliverDue(parts);
    expect(await stateRow(api, mail)).toMatchObject({ failures: 0, failing_since: null });
  });

  it('counts days from the last success', async () => {
    receiver.answer(name, answering(500));
    await givenWaiting(api, target);
    await deliverDue(parts);
    receiver.answer(name, answering(204));
    later(5);
    await deliverDue(parts);
    expect(await stateRow(api, target)).toMatchObject({ failures: 0, failing_since: null, paused_until: null });
    later(6 * DAY);
    receiver.answer(name, answering(500));
    await givenWaiting(api, target);
    await deliverDue(parts);
    expect(await stateRow(api, target)).toMatchObject({ disabled_at: null, failing_since: api.clock.now, failures: 1 });
  });

  it('never stores what a receiver answers, nor the URL', async () => {
    receiver.answer(name, (response) => response.writeHead(500, { 'x-secret': 'a secret' }).end('a secret'));
    const [id = ''] = await givenWaiting(api, target);
    await deliverDue(parts);
    const stored = JSON.stringify([
      await attemptRows(api, id),
      await stateRow(api, target),
      await deliveryRow(api, id),
    ]);
    expect(stored).not.toContain('a secret');
    expect(stored).not.toContain(name);
  });
});

describe('a failing target', () => {
  it('keeps the order through a short failure', async () => {
    receiver.answer(name, answering(503));
    const ids = await givenWaiting(api, target, 4);
    expect(await deliverDue(parts)).toBe(1);
    receiver.answer(name, answering(204));
    later(4.999);
    expect(await deliverDue(parts)).toBe(0);
    later(0.001);
    expect(await deliverDue(parts)).toBe(4);
    expect(received()).toEqual([ids[0], ...ids]);
  });

  it('is tried with one message at a time, less and less often, and gets all in order when it works again', async () => {
    receiver.answer(name, answering(500));
    const start = api.clock.now;
    const ids = await givenWaiting(api, target, 5);
    await passTime(start, 240);
    const tried = receiver.receivedBy(name).map(({ headers }) => ({
      id: ids.indexOf(headers['webhook-id'] as string),
      at: Number(headers['webhook-timestamp']) - Math.floor(start.getTime() / 1_000),
    }));
    expect(tried).toEqual([
      { id: 0, at: 0 },
      { id: 0, at: 5 },
      { id: 1, at: 35 },
      { id: 1, at: 95 },
      { id: 2, at: 215 },
    ]);
    expect(await stateRow(api, target)).toMatchObject({ failures: 5, failing_since: start });
    receiver.answer(name, answering(204));
    receiver.received.length = 0;
    later(300);
    await deliverDue(parts);
    // The one that was tried comes first, then the others in order.
    expect(received().map((id) => ids.indexOf(id ?? ''))).toEqual([0, 1, 2, 3, 4]);
    expect(await stateRow(api, target)).toMatchObject({
      failures: 0,
      failing_since: null,
      paused_until: null,
      due_at: null,
    });
  });

  it('gets deliveries that were postponed for hours right after a success', async () => {
    receiver.answer(name, answering(500));
    const start = api.clock.now;
    const [old = ''] = await givenWaiting(api, target);
    await passTime(start, 3_000);
    expect(await deliveryRow(api, old)).toMatchObject({ tries: 4, due_at: new Date(start.getTime() + 9_305_000) });
    receiver.answer(name, answering(204));
    const [fresh, ...others] = await givenWaiting(api, target, 3);
    receiver.received.length = 0;
    later(120);
    await deliverDue(parts);
    expect(received()).toEqual([fresh, old, ...others]);
  });

  it.each([1, 2])('gets everything in order after %i failures', async (failed) => {
    receiver.answer(name, answering(429, { 'retry-after': '3600' }));
    const ids = await givenWaiting(api, target, 3);
    for (let i = 0; i < failed; i++) {
      await deliverDue(parts);
      later(3_600);
    }
    // The first waits for its own time, which is after the pause of the target.
    await sql`update delivery set due_at = ${new Date(api.clock.now.getTime() + 7_200_000)}
      where org_id = ${api.org.id} and id = ${ids[0]}`.execute(api.db);
    receiver.answer(name, answering(204));
    receiver.received.length = 0;
    await deliverDue(parts);
    expect(received()).toEqual([ids[1], ids[0], ids[2]]);
  });

  it('is not flooded with a message that fails alone', async () => {
    const [poison = ''] = await givenWaiting(api, target);
    receiver.answer(name, (response, { headers }) =>
      response.writeHead(headers['webhook-id'] === poison ? 500 : 204).end(),
    );
    const start = api.clock.now;
    for (let minute = 0; minute < 60; minute++) {
      await deliverDue(parts);
      later(60);
      await givenWaiting(api, target);
    }
    // Once more than scheduled: the first success could have been the end of an outage.
    const tries = (await attemptSeconds(poison, start)).length;
    expect(tries).toBeLessThanOrEqual(5);
    expect(await deliveryRow(api, poison)).toMatchObject({ state: 'waiting' });
    expect(received()).toHaveLength(59 + tries);
  });

  it('delays nothing for another target', async () => {
    const sourceId = await givenNotification(api, 10_000 + numbers);
    const healthy = await givenTarget(api, { sourceId, url: receiver.url(`${name}-healthy`) });
    receiver.answer(name, answering(500));
    await givenWaiting(api, target, 3);
    const ids = await givenWaiting(api, healthy, 3);
    await deliverDue(parts);
    expect(receiver.receivedBy(`${name}-healthy`).map(({ headers }) => headers['webhook-id'])).toEqual(ids);
  });
});

describe('what is not sent', () => {
  it('drops what waits for a removed target', async () => {
    const [id = ''] = await givenWaiting(api, target);
    await sql`update notification_target set removed_at = now() where org_id = ${api.org.id} and id = ${target.id}`.execute(
      api.db,
    );
    expect(await deliverDue(parts)).toBe(0);
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'dropped', attempts: 0 });
    expect(await stateRow(api, target)).toMatchObject({ due_at: null, held_by: null });
    expect(received()).toEqual([]);
  });

  it('stops midway when the target is removed', async () => {
    receiver.answer(name, async (response) => {
      await sql`update notification_target set removed_at = now() where org_id = ${api.org.id} and id = ${target.id}`.execute(
        api.db,
      );
      response.writeHead(204).end();
    });
    const ids = await givenWaiting(api, target, 3);
    await deliverDue(parts);
    expect(received()).toEqual([ids[0]]);
    expect(await deliveryRow(api, ids[0] ?? '')).toMatchObject({ state: 'delivered' });
    expect(await deliveryRow(api, ids[2] ?? '')).toMatchObject({ state: 'dropped' });
  });

  it('drops what waits for an address whose owner refused it', async () => {
    const mail = await givenTarget(api, { sourceId: target.sourceId, kind: 'EMAIL', emails: ['a@example.org'] });
    const [id = ''] = await givenWaiting(api, mail, 1, 'a@example.org');
    const refusal = { org_id: api.org.id, target_id: mail.id, address: 'a@example.org', refused_at: api.clock.now };
    await api.db.insertInto('mail_refusal').values(refusal).execute();
    expect(await deliverDue(parts)).toBe(0);
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'dropped' });
  });

  it('fails mail for good when the installation sends none', async () => {
    const mail = await givenTarget(api, { sourceId: target.sourceId, kind: 'EMAIL', emails: ['a@example.org'] });
    const [id = ''] = await givenWaiting(api, mail, 1, 'a@example.org');
    await deliverDue(parts);
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'failed' });
    expect(await attemptRows(api, id)).toMatchObject([{ error: 'This installation cannot send email', status: null }]);
  });

  it.each([
    ['no key', undefined],
    ['another key', openSecretBox(Buffer.alloc(32, 8))],
  ])('waits for the operator with %s', async (_, box) => {
    const [id = ''] = await givenWaiting(api, target);
    expect(await deliverDue({ ...parts, box })).toBe(1);
    expect(await attemptRows(api, id)).toMatchObject([
      { error: 'This installation cannot decrypt the URL: its WAYMARK_SECRET_KEY has changed', status: null },
    ]);
    expect(received()).toEqual([]);
    later(5);
    await deliverDue(parts);
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'delivered', tries: 2 });
  });

  it('never calls what the guard refuses, and does not retry it', async () => {
    const inside = await givenTarget(api, { sourceId: target.sourceId, url: 'https://10.0.0.7/hook' });
    const [id = ''] = await givenWaiting(api, inside);
    await deliverDue({ ...parts, outbound: receiver.outbound({ allowedNetworks: [] }) });
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'failed', attempts: 1 });
    expect((await attemptRows(api, id))[0]?.error).toContain('10.0.0.7');
  });
});

describe('a hostile receiver', () => {
  const impatient = { ...parts, outbound: receiver.outbound({ timeoutMs: 300 }) };

  it.each([
    ['never answers', () => undefined, 'did not respond within 0.3 s'],
    ['hangs up', (response: { destroy(): void }) => response.destroy(), 'sent an unexpected response'],
  ] as const)('that %s costs one attempt', async (_, answer, error) => {
    receiver.answer(name, answer);
    const [id = ''] = await givenWaiting(api, target);
    await deliverDue(impatient);
    expect(await attemptRows(api, id)).toMatchObject([{ status: null, error: expect.stringContaining(error) }]);
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'waiting' });
  });

  it('that hangs up in the midst of its answer costs one attempt', async () => {
    receiver.answer(name, (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const [id = ''] = await givenWaiting(api, target);
    await deliverDue(impatient);
    expect(await attemptRows(api, id)).toMatchObject([{ outcome: 'failed', status: null }]);
  });

  it('that drips its response is abandoned when the time is up', async () => {
    receiver.answer(name, (response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const [id = ''] = await givenWaiting(api, target);
    await deliverDue(impatient);
    expect(await attemptRows(api, id)).toMatchObject([
      { status: null, error: expect.stringContaining('did not respond within 0.3 s') },
    ]);
  });

  it('that never ends its response has answered, and is abandoned', async () => {
    let poured = 0;
    receiver.answer(name, (response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) poured += 64 * 1024;
      };
      response.on('drain', pour);
      pour();
    });
    const [id = ''] = await givenWaiting(api, target);
    await deliverDue({ ...parts, outbound: receiver.outbound({ timeoutMs: 5_000 }) });
    expect(await attemptRows(api, id)).toMatchObject([{ outcome: 'delivered', status: 200, error: null }]);
    expect(poured).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('changes while it sends', () => {
  const once = (work: () => Promise<unknown>, status = 204) => {
    let isDone = false;
    receiver.answer(name, async (response) => {
      if (!isDone) await work();
      isDone = true;
      response.writeHead(status).end();
    });
  };

  it('uses the current URL and secret for each message', async () => {
    const box = api.parts.secretBox;
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const moved = `${name}-moved`;
    once(() =>
      sql`update notification_target
        set url_sealed = ${box?.seal(receiver.url(moved), `target-url:${target.id}`)},
          secret_sealed = ${box?.seal(secret, `target-secret:${target.id}`)}
        where org_id = ${api.org.id} and id = ${target.id}`.execute(api.db),
    );
    const ids = await givenWaiting(api, target, 3);
    await deliverDue(parts);
    expect(received()).toEqual(ids.slice(0, 1));
    const rest = receiver.receivedBy(moved);
    expect(rest.map(({ headers }) => headers['webhook-id'])).toEqual(ids.slice(1));
    for (const { headers, body } of rest) {
      const text = signedText(String(headers['webhook-id']), Number(headers['webhook-timestamp']), body);
      expect(headers['webhook-signature']).toContain(sign(secret, text));
    }
  });

  it('sends nothing to an address that was refused or dropped', async () => {
    const ids = await givenWaiting(api, target, 3, 'a@example.org');
    once(async () => {
      await sql`update delivery set address = 'b@example.org' where org_id = ${api.org.id} and id = ${ids[1]}`.execute(
        api.db,
      );
      const refusal = { org_id: api.org.id, target_id: target.id, address: 'b@example.org', refused_at: api.clock.now };
      await api.db.insertInto('mail_refusal').values(refusal).execute();
      await sql`update delivery set state = 'dropped' where org_id = ${api.org.id} and id = ${ids[2]}`.execute(api.db);
    });
    await deliverDue(parts);
    expect(received()).toEqual(ids.slice(0, 1));
    for (const id of ids.slice(1)) expect(await deliveryRow(api, id)).toMatchObject({ state: 'dropped', attempts: 0 });
    expect(await stateRow(api, target)).toMatchObject({ sending_delivery: null, held_by: null, due_at: null });
  });

  it.each([500, 400])('lets a redelivery win over a last failure with %i', async (status) => {
    const [id = ''] = await givenWaiting(api, target);
    await sql`update delivery set tries = 9, attempts = 9 where org_id = ${api.org.id} and id = ${id}`.execute(api.db);
    once(
      () =>
        sql`update delivery set tries = 0, redeliveries = redeliveries + 1, due_at = ${api.clock.now}
          where org_id = ${api.org.id} and id = ${id}`.execute(api.db),
      status,
    );
    await deliverDue(parts);
    expect((await attemptRows(api, id))[0]).toMatchObject({ no: 10, status });
    const { state, tries } = await deliveryRow(api, id);
    // A final refusal is tried again, as was requested; a failure waits for its first retry.
    expect([state, tries]).toEqual(status === 500 ? ['waiting', 0] : ['failed', 1]);
  });

  it('leaves a target alone that another worker has taken over', async () => {
    const [id = ''] = await givenWaiting(api, target);
    const next = newId();
    once(async () => {
      await sql`update target_state set held_until = ${new Date(0)} where org_id = ${api.org.id} and target_id = ${target.id}`.execute(
        api.db,
      );
      await take(next);
    }, 500);
    await deliverDue(parts);
    // The late outcome arrives before the other worker could record an interruption.
    await recordInterrupted(api.db, { ...identityOf(target), worker: next, error: 'nothing was heard' });
    expect(await attemptRows(api, id)).toMatchObject([{ no: 1, error: 'The receiver answered 500' }]);
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'waiting', tries: 1, attempts: 1 });
    expect(await stateRow(api, target)).toMatchObject({
      failures: 0,
      failing_since: null,
      paused_until: null,
      held_by: next,
      sending_request: null,
    });
  });
});

describe('an attempt outside of the queue', () => {
  async function givenTest(): Promise<string> {
    const [id = ''] = await givenWaiting(api, target);
    await clearQueue();
    await sql`update delivery set state = 'failed' where org_id = ${api.org.id} and id = ${id}`.execute(api.db);
    return id;
  }

  it('is recorded like any other', async () => {
    const id = await givenTest();
    expect(await attemptNow(parts, api.org.id, id)).toEqual({
      delivered: true,
      status: 204,
      latencyMs: expect.any(Number),
    });
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(await stateRow(api, target)).toMatchObject({ last_success_at: api.clock.now, due_at: null });
  });

  it('is not retried, and leaves the queue alone', async () => {
    receiver.answer(name, answering(500));
    const id = await givenTest();
    expect(await attemptNow(parts, api.org.id, id)).toMatchObject({ delivered: false, status: 500 });
    expect(await deliveryRow(api, id)).toMatchObject({ state: 'failed', attempts: 1 });
    expect(await stateRow(api, target)).toMatchObject({
      failures: 0,
      failing_since: null,
      paused_until: null,
      last_failure_at: api.clock.now,
      last_error: 'The receiver answered 500',
      due_at: null,
    });
  });

  it('that fails neither starts a pause nor extends it', async () => {
    receiver.answer(name, answering(429, { 'retry-after': '86400' }));
    await attemptNow(parts, api.org.id, await givenTest());
    expect(await stateRow(api, target)).toMatchObject({ paused_until: null, failures: 0, failing_since: null });

    receiver.answer(name, answering(500));
    const start = api.clock.now;
    const [id = ''] = await givenWaiting(api, target);
    await deliverDue(parts);
    const { paused_until, failures } = await stateRow(api, target);
    receiver.answer(name, answering(429, { 'retry-after': '86400' }));
    const test = await givenTest();
    await attemptNow(parts, api.org.id, test);
    expect(await stateRow(api, target)).toMatchObject({
      paused_until,
      failures,
      failing_since: start,
      last_error: 'The receiver answered 429',
    });
    expect(paused_until).toEqual(new Date(start.getTime() + 5_000));
    expect(await deliveryRow(api, id)).toMatchObject({ tries: 1 });

    // A success ends it.
    receiver.answer(name, answering(204));
    receiver.received.length = 0;
    const second = await givenTest();
    await attemptNow(parts, api.org.id, second);
    expect(await deliverDue(parts)).toBe(1);
    expect(received()).toEqual([second, id]);
  });

  it('that succeeds makes the deliveries of a failing target due', async () => {
    receiver.answer(name, answering(500));
    const start = api.clock.now;
    const ids = await givenWaiting(api, target, 2);
    await passTime(start, 300);
    const test = await givenTest();
    receiver.answer(name, answering(204));
    receiver.received.length = 0;
    await attemptNow(parts, api.org.id, test);
    await deliverDue(parts);
    expect(received()).toEqual([test, ...ids]);
  });

  it('rejects a delivery that does not exist', async () => {
    await expect(attemptNow(parts, api.org.id, newId())).rejects.toMatchObject({ code: 'not_found' });
  });
});
