import { type Delivery, getDelivery, listDeliveries, redeliver, redeliverRange } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  contentOf,
  type GivenTarget,
  givenDelivery,
  givenNotification,
  givenTarget,
} from '../../../../test/given/deliveries.ts';
import { startApi } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';

const api = await startApi();
const other = await api.givenOrg('other');
const NOW = new Date('2026-11-10T12:00:00.000Z');
const seconds = (at: Date) => at.getTime() / 1000;
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

let numbers = 0;
let source: string;
let target: GivenTarget;

beforeEach(async () => {
  api.clock.now = NOW;
  numbers += 1;
  source = await givenNotification(api, numbers);
  target = await givenTarget(api, { sourceId: source });
});

const ofTarget = (more: Record<string, string> = {}) => ({ query: { target_id: target.id, ...more } });
const idsOf = (deliveries: unknown) => (deliveries as Delivery[]).map(({ id }) => id);

/** The cursor in a `Link` header, with the same filter. */
function nextIn(link: unknown): string | undefined {
  const url = /^<([^>]+)>; rel="next"$/.exec(String(link ?? ''))?.[1];
  if (url === undefined) return undefined;
  const { searchParams } = new URL(url);
  expect(searchParams.get('notification')).toBe(String(numbers));
  return searchParams.get('after') ?? undefined;
}

async function stored(id: string) {
  return api.db
    .selectFrom('delivery')
    .innerJoin('target_state', (join) =>
      join
        .onRef('target_state.org_id', '=', 'delivery.org_id')
        .onRef('target_state.target_id', '=', 'delivery.target_id'),
    )
    .select(['delivery.state', 'tries', 'attempts', 'redeliveries', 'delivery.due_at', 'ended_at'])
    .select('target_state.due_at as target_due_at')
    .where('delivery.org_id', '=', api.org.id)
    .where('delivery.id', '=', id)
    .executeTakeFirstOrThrow();
}

async function entries(type: string) {
  return (await api.journal()).filter((entry) => entry.type === type);
}

describe('listing', () => {
  it('shows what was sent where, newest first, and only the host of a URL', async () => {
    const older = await givenDelivery(api, target, { state: 'delivered', at: minutesAgo(2), sequence: 4 });
    const newer = await givenDelivery(api, target, { state: 'waiting', at: minutesAgo(1), sequence: 5 });

    const { status, body, headers } = await api.call(listDeliveries, ofTarget());
    expect([status, headers['link']]).toEqual([200, undefined]);
    expect(body).toEqual([
      {
        id: newer,
        event_type: 'ON_NON_COMPLIANT_ENV',
        description: expect.stringContaining('production'),
        notification: { number: numbers, name: `notification-${numbers}` },
        environment: 'production',
        flow: null,
        sequence: 5,
        count: 1,
        target: { id: target.id, type: 'WEBHOOK', to: 'hooks.example.org' },
        state: 'waiting',
        attempt_count: 3,
        next_attempt_at: seconds(minutesAgo(0)),
        created_at: seconds(minutesAgo(1)),
        ended_at: null,
        dropped_because: null,
      },
      expect.objectContaining({ id: older, state: 'delivered', sequence: 4, next_attempt_at: null }),
    ]);
    expect(JSON.stringify(body)).not.toContain('secret-path');
  });

  it('shows when a paused target is tried again', async () => {
    await givenDelivery(api, target, { state: 'waiting' });
    const until = new Date(NOW.getTime() + 900_000);
    await api.db
      .updateTable('target_state')
      .set({ paused_until: until })
      .where('org_id', '=', api.org.id)
      .where('target_id', '=', target.id)
      .execute();

    const { body } = await api.call(listDeliveries, ofTarget());
    expect((body as Delivery[])[0]?.next_attempt_at).toBe(seconds(until));
  });

  it('shows the address of a mail, and no notification for a configuration of the org', async () => {
    const mail = await givenTarget(api, { kind: 'EMAIL', emails: ['ops@example.org'] });
    await givenDelivery(api, mail, { trigger: 'api_key_expiry', address: 'ops@example.org' });

    const { body } = await api.call(listDeliveries, { query: { target_id: mail.id } });
    expect(body).toMatchObject([
      { notification: null, target: { type: 'EMAIL', to: 'ops@example.org' }, event_type: 'api_key_expiry' },
    ]);
  });

  it('neither skips nor repeats between pages, even for deliveries of one moment', async () => {
    const made: string[] = [];
    for (let i = 0; i < 11; i++) made.push(await givenDelivery(api, target, { at: minutesAgo(9 - Math.floor(i / 4)) }));

    const seen: string[] = [];
    let after: string | undefined;
    for (let page = 0; page < 9; page++) {
      const query = { notification: String(numbers), per_page: '3', ...(after !== undefined && { after }) };
      const { body, headers } = await api.call(listDeliveries, { query });
      seen.push(...idsOf(body));
      // New deliveries come before the first page.
      await givenDelivery(api, target, { at: NOW });
      after = nextIn(headers['link']);
      if (after === undefined) break;
    }
    expect(seen).toEqual(made.toReversed());
  });

  it('filters tests of targets', async () => {
    const failed = await givenDelivery(api, target, { state: 'failed', at: minutesAgo(30) });
    const test = await givenDelivery(api, target, { trigger: 'TEST', sequence: null, state: 'failed', at: NOW });
    const list = async (query: object) => idsOf((await api.call(listDeliveries, ofTarget({ ...query }))).body);

    expect(await list({})).toEqual([test, failed]);
    expect(await list({ test: 'false' })).toEqual([failed]);
    expect(await list({ test: 'true', state: 'failed' })).toEqual([test]);
    expect(await api.call(listDeliveries, ofTarget({ test: 'no' }))).toMatchObject({
      status: 400,
      body: { errors: { 'query.test': expect.any(String) } },
    });
  });

  it('filters by state, time, target and notification', async () => {
    const sibling = await givenTarget(api, { sourceId: source, kind: 'CHAT' });
    const failed = await givenDelivery(api, target, { state: 'failed', at: minutesAgo(30) });
    const dropped = await givenDelivery(api, target, { state: 'dropped', at: minutesAgo(20) });
    const delivered = await givenDelivery(api, sibling, { state: 'delivered', at: minutesAgo(10) });
    const list = async (query: Record<string, string>) => idsOf((await api.call(listDeliveries, { query })).body);
    const number = String(numbers);

    expect(await list({ notification: number })).toEqual([delivered, dropped, failed]);
    expect(await list({ notification: number, state: 'failed' })).toEqual([failed]);
    expect(await list({ notification: number, state: 'delivered' })).toEqual([delivered]);
    expect(await list({ target_id: target.id })).toEqual([dropped, failed]);
    expect(await list({ notification: number, target_id: sibling.id })).toEqual([delivered]);
    const from = String(seconds(minutesAgo(20)));
    expect(await list({ notification: number, from_timestamp: from })).toEqual([delivered, dropped]);
    expect(await list({ notification: number, to_timestamp: from })).toEqual([dropped, failed]);
    expect(await list({ notification: number, from_timestamp: '', to_timestamp: '' })).toHaveLength(3);
    const elsewhere = await givenNotification(api, 5_000 + numbers);
    const foreign = await givenTarget(api, { sourceId: elsewhere });
    expect(await list({ notification: number, target_id: foreign.id })).toEqual([]);
  });

  it('includes deleted notifications and removed targets', async () => {
    const removed = await givenTarget(api, { sourceId: source, removedAt: NOW });
    const id = await givenDelivery(api, removed, { state: 'dropped' });
    await sql`update notification set deleted_at = ${NOW} where org_id = ${api.org.id} and id = ${source}`.execute(
      api.db,
    );

    expect(idsOf((await api.call(listDeliveries, { query: { notification: String(numbers) } })).body)).toEqual([id]);
  });

  it('refuses invalid filters, and finds nothing of another org', async () => {
    const foreign = await givenTarget(api, {
      sourceId: await givenNotification(api, 900 + numbers, other),
      org: other,
    });
    const refused = async (query: Record<string, string>) => {
      const { status, body } = await api.call(listDeliveries, { query });
      return [status, Object.keys((body as { errors?: object }).errors ?? {})];
    };

    expect(await refused({ state: 'lost' })).toEqual([400, ['query.state']]);
    expect(await refused({ target_id: 'x' })).toEqual([400, ['query.target_id']]);
    expect(await refused({ notification: '0' })).toEqual([400, ['query.notification']]);
    expect(await refused({ per_page: '101' })).toEqual([400, ['query.per_page']]);
    for (const after of ['x', '', 'a.b.c', '1.zzzzzzzzzz', '\u0000']) {
      expect(await refused({ after })).toEqual([400, ['query.after']]);
    }
    expect((await refused({ notification: '77777' }))[0]).toBe(404);
    expect((await refused({ notification: String(900 + numbers) }))[0]).toBe(404);
    expect((await refused({ target_id: foreign.id }))[0]).toBe(404);
    expect((await refused({ target_id: newId() }))[0]).toBe(404);
  });
});

describe('one delivery', () => {
  it('shows every attempt and what is sent', async () => {
    const content = contentOf({ why: 'web:1 has no provenance' });
    const id = await givenDelivery(api, target, { state: 'delivered', content, sequence: 12 });
    const request = newId();
    const attempt = { org_id: api.org.id, delivery_id: id, request_id: request, latency_ms: 41 };
    await api.db
      .insertInto('delivery_attempt')
      .values([
        { ...attempt, no: 2, at: minutesAgo(1), outcome: 'delivered', status: 204, error: null },
        { ...attempt, no: 1, at: minutesAgo(2), outcome: 'failed', status: 500, error: 'answered 500' },
      ])
      .execute();

    const { status, body } = await api.call(getDelivery, { params: { delivery_id: id } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      state: 'delivered',
      attempts: [
        { number: 1, at: seconds(minutesAgo(2)), delivered: false, status: 500, error: 'answered 500', latency_ms: 41 },
        { number: 2, request_id: request, delivered: true, status: 204, error: null },
      ],
      body: {
        version: '1.0',
        id,
        sequence: 12,
        org: 'acme',
        event_type: 'ON_NON_COMPLIANT_ENV',
        description: expect.stringContaining('web:1 has no provenance'),
        environment: 'production',
        timestamp: seconds(NOW),
      },
    });
    expect(JSON.stringify(body)).not.toMatch(/secret-path|whsec_/);
  });

  it('does not exist under an id of another org, or an unknown one', async () => {
    const foreign = await givenTarget(api, {
      sourceId: await givenNotification(api, 2_000 + numbers, other),
      org: other,
    });
    const id = await givenDelivery(api, foreign);

    expect((await api.call(getDelivery, { params: { delivery_id: id } })).status).toBe(404);
    expect((await api.call(getDelivery, { params: { delivery_id: newId() } })).status).toBe(404);
    expect((await api.call(getDelivery, { params: { delivery_id: 'x' } })).status).toBe(400);
    expect((await api.call(getDelivery, { params: { delivery_id: id }, key: other.keys.reader })).status).toBe(403);
    const own = { params: { org: 'other', delivery_id: id }, key: other.keys.reader };
    expect((await api.call(getDelivery, own)).status).toBe(200);
  });
});

describe('redelivering', () => {
  it.each(['failed', 'delivered', 'dropped', 'waiting'] as const)(
    'puts a %s delivery back into the queue, with all attempts',
    async (state) => {
      const id = await givenDelivery(api, target, { state, at: minutesAgo(60) });
      const before = (await stored(id)).attempts;

      const { status, body } = await api.call(redeliver, { params: { delivery_id: id }, key: api.org.keys.member });
      expect(status).toBe(201);
      expect(body).toMatchObject({ id, state: 'waiting', ended_at: null, next_attempt_at: seconds(NOW) });
      expect(await stored(id)).toEqual({
        state: 'waiting',
        tries: 0,
        attempts: before,
        redeliveries: 1,
        due_at: NOW,
        ended_at: null,
        target_due_at: NOW,
      });
      expect((await entries('delivery.redelivered')).at(-1)).toMatchObject({
        subject_seq: 1,
        actor: 'member',
        payload: { target_id: target.id, message_id: expect.any(String), event_type: 'ON_NON_COMPLIANT_ENV' },
      });
    },
  );

  it('ends the pause of its target', async () => {
    const id = await givenDelivery(api, target);
    const pause = () =>
      sql`update target_state set paused_until = ${new Date(NOW.getTime() + 900_000)}
        where org_id = ${api.org.id} and target_id = ${target.id}`.execute(api.db);
    const pausedUntil = async () =>
      (
        await sql<{ paused_until: Date | null }>`select paused_until from target_state
          where org_id = ${api.org.id} and target_id = ${target.id}`.execute(api.db)
      ).rows[0]?.paused_until;

    await pause();
    const { body } = await api.call(redeliver, { params: { delivery_id: id } });
    expect([await pausedUntil(), (body as Delivery).next_attempt_at]).toEqual([null, seconds(NOW)]);
    await pause();
    const range = { from_timestamp: 0, to_timestamp: seconds(NOW), state: 'all', target_id: target.id } as const;
    expect((await api.call(redeliverRange, { body: range })).body).toMatchObject({ redelivered: 1 });
    expect(await pausedUntil()).toBeNull();
  });

  it('does not resend a mail that has arrived', async () => {
    const mail = await givenTarget(api, { sourceId: source, kind: 'EMAIL', emails: ['ops@example.org'] });
    const arrived = await givenDelivery(api, mail, { address: 'ops@example.org', state: 'delivered' });
    const failed = await givenDelivery(api, mail, { address: 'ops@example.org', state: 'failed' });

    expect(await api.call(redeliver, { params: { delivery_id: arrived } })).toMatchObject({
      status: 400,
      body: { errors: { delivery_id: 'is an email that was delivered' } },
    });
    const range = { from_timestamp: 0, to_timestamp: seconds(NOW), state: 'all', target_id: mail.id } as const;
    expect((await api.call(redeliverRange, { body: range })).body).toMatchObject({ redelivered: 1 });
    expect([(await stored(arrived)).state, (await stored(failed)).state]).toEqual(['delivered', 'waiting']);
  });

  it('is for admins only when a configuration sent it, as is everything else about it', async () => {
    const configured = await givenTarget(api, { kind: 'EMAIL', emails: ['ops@example.org'] });
    const id = await givenDelivery(api, configured, { trigger: 'api_key_expiry', address: 'ops@example.org' });
    const range = { from_timestamp: seconds(NOW), to_timestamp: seconds(NOW), state: 'all' } as const;
    const as = async (key: string) => ({
      listed: idsOf((await api.call(listDeliveries, { query: { per_page: '100' }, key })).body).includes(id),
      ofTarget: (await api.call(listDeliveries, { query: { target_id: configured.id }, key })).status,
      got: (await api.call(getDelivery, { params: { delivery_id: id }, key })).status,
    });

    for (const role of ['member', 'reader'] as const) {
      expect(await as(api.org.keys[role])).toEqual({ listed: false, ofTarget: 404, got: 404 });
    }
    const { member, admin } = api.org.keys;
    expect((await api.call(redeliver, { params: { delivery_id: id }, key: member })).status).toBe(404);
    expect((await api.call(redeliverRange, { body: range, key: member })).status).toBe(201);
    expect((await stored(id)).redeliveries).toBe(0);

    expect(await as(admin)).toEqual({ listed: true, ofTarget: 200, got: 200 });
    expect((await api.call(redeliver, { params: { delivery_id: id }, key: admin })).status).toBe(201);
    expect((await api.call(redeliverRange, { body: range, key: admin })).status).toBe(201);
    expect((await stored(id)).redeliveries).toBe(2);
  });

  it('leaves a target that is already due in its place in the queue', async () => {
    const id = await givenDelivery(api, target);
    const due = minutesAgo(3);
    await sql`update target_state set due_at = ${due} where org_id = ${api.org.id} and target_id = ${target.id}`.execute(
      api.db,
    );

    await api.call(redeliver, { params: { delivery_id: id } });
    expect((await stored(id)).target_due_at).toEqual(due);
  });

  it('is done once for one Idempotency-Key', async () => {
    const id = await givenDelivery(api, target);
    const call = { params: { delivery_id: id }, headers: { 'idempotency-key': newId() } };

    expect((await api.call(redeliver, call)).status).toBe(201);
    expect((await api.call(redeliver, call)).status).toBe(201);
    expect((await stored(id)).redeliveries).toBe(1);
  });

  it('refuses deliveries that would go nowhere, and records nothing', async () => {
    const mail = await givenTarget(api, { sourceId: source, kind: 'EMAIL', emails: ['ops@example.org'] });
    await api.db
      .insertInto('mail_refusal')
      .values({ org_id: api.org.id, target_id: mail.id, address: 'ops@example.org', refused_at: NOW })
      .execute();
    const cases = [
      [await givenTarget(api, { sourceId: source, removedAt: NOW }), {}, 'is for a target that was removed'],
      [await givenTarget(api, { sourceId: source, disabledAt: NOW }), {}, 'is for a disabled target'],
      [target, { trigger: 'TEST', sequence: null }, 'is a test'],
      [mail, { address: 'ops@example.org' }, 'whose owner unsubscribed'],
    ] as const;
    const before = (await api.journal()).length;

    for (const [where, more, reason] of cases) {
      const id = await givenDelivery(api, where, more);
      const { status, body } = await api.call(redeliver, { params: { delivery_id: id } });
      expect([status, body]).toEqual([
        400,
        expect.objectContaining({ errors: { delivery_id: expect.stringContaining(reason) } }),
      ]);
      expect(await stored(id)).toMatchObject({ state: 'failed', redeliveries: 0 });
    }
    expect(await api.journal()).toHaveLength(before);
  });

  it('needs a member, and a delivery of the same org', async () => {
    const id = await givenDelivery(api, target);
    const as = async (key: string, delivery_id = id) =>
      (await api.call(redeliver, { params: { delivery_id }, key })).status;

    expect(await as(api.org.keys.reader)).toBe(403);
    expect(await as(api.org.keys.snapshotter)).toBe(403);
    expect(await as(other.keys.admin)).toBe(403);
    expect(await as(api.org.keys.admin)).toBe(201);
    expect(await as(api.org.keys.admin, await givenDelivery(api, await givenTarget(api, { org: other })))).toBe(404);
    expect(await as(api.org.keys.admin, newId())).toBe(404);
    expect(await as(api.org.keys.admin, 'x')).toBe(400);
  });

  it('handles many at once, each with an entry of its own in order', async () => {
    const id = await givenDelivery(api, target);

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.call(redeliver, { params: { delivery_id: id } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(await stored(id)).toMatchObject({ state: 'waiting', tries: 0, redeliveries: 8 });
    const seqs = (await entries('delivery.redelivered')).slice(-8).map((entry) => entry.subject_seq);
    expect(seqs.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('redelivering a range', () => {
  const range = (more: Record<string, unknown> = {}) => ({
    body: {
      from_timestamp: seconds(minutesAgo(60)),
      to_timestamp: seconds(NOW),
      notification: numbers,
      ...more,
    } as never,
  });

  it('takes those that failed in that time, and records one entry', async () => {
    const inside = [
      await givenDelivery(api, target, { at: minutesAgo(60) }),
      await givenDelivery(api, target, { at: minutesAgo(0) }),
    ];
    const outside = await givenDelivery(api, target, { at: minutesAgo(61) });
    const delivered = await givenDelivery(api, target, { state: 'delivered', at: minutesAgo(5) });
    const before = (await api.journal()).length;

    const { status, body } = await api.call(redeliverRange, { ...range(), key: api.org.keys.member });
    expect([status, body]).toEqual([201, { redelivered: 2, next: null }]);
    for (const id of inside) expect(await stored(id)).toMatchObject({ state: 'waiting', tries: 0, target_due_at: NOW });
    expect((await stored(outside)).state).toBe('failed');
    expect((await stored(delivered)).state).toBe('delivered');
    expect((await api.journal()).slice(before)).toMatchObject([
      {
        type: 'deliveries.redelivered',
        actor: 'member',
        payload: {
          from_timestamp: seconds(minutesAgo(60)),
          to_timestamp: seconds(NOW),
          state: 'failed',
          target_id: null,
          notification: numbers,
          redelivered: 2,
          from: seconds(minutesAgo(60)),
          to: seconds(NOW),
        },
      },
    ]);
    // They are waiting now, so a repeat finds nothing.
    expect((await api.call(redeliverRange, range())).body).toEqual({ redelivered: 0, next: null });
    expect(await api.journal()).toHaveLength(before + 1);
  });

  it('takes those that were delivered, dropped, or all, on request', async () => {
    const ids = [];
    for (const state of ['delivered', 'failed', 'dropped', 'waiting'] as const)
      ids.push(await givenDelivery(api, target, { state, at: minutesAgo(3) }));

    for (const state of ['delivered', 'dropped'])
      expect((await api.call(redeliverRange, range({ state }))).body).toMatchObject({ redelivered: 1 });
    expect((await api.call(redeliverRange, range({ state: 'all', target_id: target.id }))).body).toMatchObject({
      redelivered: 4,
    });
    for (const id of ids) expect((await stored(id)).state).toBe('waiting');
  });

  it('leaves out tests, refused addresses, and targets that are gone', async () => {
    const mail = await givenTarget(api, {
      sourceId: source,
      kind: 'EMAIL',
      emails: ['ops@example.org', 'b@example.org'],
    });
    await api.db
      .insertInto('mail_refusal')
      .values({ org_id: api.org.id, target_id: mail.id, address: 'ops@example.org', refused_at: NOW })
      .execute();
    await givenDelivery(api, mail, { address: 'ops@example.org' });
    await givenDelivery(api, await givenTarget(api, { sourceId: source, removedAt: NOW }));
    await givenDelivery(api, await givenTarget(api, { sourceId: source, disabledAt: NOW }));
    await givenDelivery(api, target, { trigger: 'TEST', sequence: null });
    const wanted = await givenDelivery(api, mail, { address: 'b@example.org' });

    expect((await api.call(redeliverRange, range({ state: 'all' }))).body).toEqual({ redelivered: 1, next: null });
    expect((await stored(wanted)).state).toBe('waiting');
  });

  it('takes the oldest 10,000 and returns where to continue, without skipping or repeating', async () => {
    const first = await givenDelivery(api, target, { at: minutesAgo(50) });
    await sql`
      insert into delivery (org_id, id, target_id, message_id, state, due_at, created_at, ended_at)
      select d.org_id, gen_random_uuid(), d.target_id, d.message_id, 'failed', d.due_at,
        d.created_at + (i / 100) * interval '1 second', d.created_at
      from delivery d, generate_series(1, 10099) i
      where d.org_id = ${api.org.id} and d.id = ${first}`.execute(api.db);

    const one = await api.call(redeliverRange, range({ state: 'all' }));
    expect(one.body).toEqual({ redelivered: 10_000, next: expect.any(String) });
    const { next } = one.body as { next: string };
    const two = await api.call(redeliverRange, range({ state: 'all', after: next }));
    expect(two.body).toEqual({ redelivered: 100, next: null });
    const { rows } = await sql<{ times: number; of: number }>`
      select redeliveries as times, count(*)::integer as of from delivery
      where org_id = ${api.org.id} and target_id = ${target.id} group by 1`.execute(api.db);
    expect(rows).toEqual([{ times: 1, of: 10_100 }]);
  });

  it('refuses invalid requests, and names the field', async () => {
    const errors = async (more: Record<string, unknown>) => {
      const { status, body } = await api.call(redeliverRange, range(more));
      return [status, (body as { errors?: object }).errors];
    };

    expect(await errors({ from_timestamp: seconds(NOW) + 1 })).toEqual([
      400,
      { from_timestamp: 'is after to_timestamp; the earlier time must come first' },
    ]);
    expect(await errors({ after: 'x' })).toEqual([
      400,
      { after: 'is not a valid cursor: use the value of `next` unchanged' },
    ]);
    expect(await errors({ to_timestamp: NOW.getTime() })).toEqual([
      400,
      { to_timestamp: 'must be seconds since 1970, not milliseconds' },
    ]);
    expect(await errors({ state: 'waiting' })).toMatchObject([400, { state: expect.any(String) }]);
    expect(await errors({ target_id: 'x' })).toMatchObject([400, { target_id: 'must be the id of a target' }]);
    expect((await errors({ notification: 88_888 }))[0]).toBe(404);
    expect((await errors({ target_id: newId() }))[0]).toBe(404);
    expect((await errors({ target_id: (await givenTarget(api, { org: other })).id }))[0]).toBe(404);
  });

  it('needs a member, and takes nothing of another org', async () => {
    const sourceId = await givenNotification(api, 3_000 + numbers, other);
    const foreign = await givenDelivery(api, await givenTarget(api, { sourceId, org: other }));
    const body = { from_timestamp: 0, to_timestamp: seconds(NOW), state: 'all' } as const;
    for (const role of ['reader', 'snapshotter'] as const)
      expect((await api.call(redeliverRange, { body, key: api.org.keys[role] })).status).toBe(403);
    expect((await api.call(redeliverRange, { body, key: other.keys.admin })).status).toBe(403);

    expect((await api.call(redeliverRange, { body })).status).toBe(201);
    const { body: shown } = await api.call(getDelivery, {
      params: { org: 'other', delivery_id: foreign },
      key: other.keys.reader,
    });
    expect(shown).toMatchObject({ state: 'failed' });
  });

  it('runs concurrently with itself and single redeliveries', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push(await givenDelivery(api, target, { at: minutesAgo(i) }));

    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => api.call(redeliverRange, range({ state: 'all' }))),
      ...ids.slice(0, 4).map((delivery_id) => api.call(redeliver, { params: { delivery_id } })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    for (const id of ids) expect(await stored(id)).toMatchObject({ state: 'waiting', tries: 0 });
  });
});
