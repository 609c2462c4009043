import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getDelivery, listDeliveries, redeliver, type TestResult, testTarget } from '@waymark/contract';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { type GivenTarget, givenNotification, givenTarget } from '../../../../test/given/deliveries.ts';
import { startApi } from '../../../../test/harness.ts';
import { startMailServer } from '../../../../test/mail-server.ts';
import { newId } from '../../../platform/ids.ts';
import { openMailer } from '../../../platform/mail/mailer.ts';

const smtp = await startMailServer();
const mailer = openMailer({ url: smtp.url, from: 'waymark@example.org' });
const api = await startApi({ mailer });
const other = await api.givenOrg('other');

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}
const received: Received[] = [];
let answer: (response: ServerResponse) => void;
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ headers: request.headers, body: JSON.parse(body) as Record<string, unknown> });
    answer(response);
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/secret-path`;
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
  mailer.close();
});

const with204 = (response: ServerResponse) => void response.writeHead(204).end();
let numbers = 0;
let source: string;
let target: GivenTarget;

beforeEach(async () => {
  received.length = 0;
  smtp.received.length = 0;
  answer = with204;
  numbers += 1;
  source = await givenNotification(api, numbers);
  target = await givenTarget(api, { sourceId: source, url });
});

function test(id: string, more: { key?: string; headers?: Record<string, string> } = {}) {
  return api.call(testTarget, { params: { target_id: id }, ...more });
}

function deliveryOf(id: string | undefined) {
  return api.call(getDelivery, { params: { delivery_id: id ?? '' } });
}

async function stateOf(id: string) {
  return api.db
    .selectFrom('target_state')
    .selectAll()
    .where('org_id', '=', api.org.id)
    .where('target_id', '=', id)
    .executeTakeFirstOrThrow();
}

it('sends one message, signed like any other, and returns the outcome', async () => {
  const { status, body } = await test(target.id, { key: api.org.keys.member });
  expect([status, body]).toEqual([
    201,
    { delivered: true, delivery_ids: [expect.any(String)], status: 204, error: null, latency_ms: expect.any(Number) },
  ]);
  const [id] = (body as TestResult).delivery_ids;
  expect(received).toMatchObject([
    {
      headers: {
        'webhook-id': id,
        'webhook-signature': expect.stringMatching(/^v1,/),
        'x-request-id': expect.any(String),
      },
      body: {
        version: '1.0',
        id,
        event_type: 'TEST',
        description: `This is a test message of notification notification-${numbers}, sent by member: nothing has happened`,
        sequence: null,
        count: 1,
        org: 'acme',
        environment: null,
      },
    },
  ]);

  const { body: shown } = await deliveryOf(id);
  expect(shown).toMatchObject({
    id,
    event_type: 'TEST',
    sequence: null,
    notification: { number: numbers },
    target: { id: target.id, to: new URL(url).host },
    state: 'delivered',
    attempt_count: 1,
    attempts: [{ number: 1, request_id: received[0]?.headers['x-request-id'], delivered: true, status: 204 }],
    body: received[0]?.body,
  });
  expect((await api.journal()).at(-1)).toEqual({
    type: 'target.tested',
    subject_seq: 2,
    actor: 'member',
    payload: {
      source_id: source,
      config_type: null,
      kind: 'WEBHOOK',
      host: new URL(url).host,
      delivery_ids: [id],
    },
  });
});

it('tries once: a failed one is not queued, and cannot be redelivered', async () => {
  answer = (response) => void response.writeHead(500).end('secret of the receiver');

  const { status, body } = await test(target.id);
  expect([status, body]).toMatchObject([201, { delivered: false, status: 500, error: expect.stringContaining('500') }]);
  expect(JSON.stringify(body)).not.toMatch(/secret/);
  const [id] = (body as TestResult).delivery_ids;
  const { body: shown } = await deliveryOf(id);
  expect(shown).toMatchObject({
    state: 'failed',
    next_attempt_at: null,
    ended_at: expect.any(Number),
    attempts: [{ delivered: false, status: 500 }],
  });
  expect(await stateOf(target.id)).toMatchObject({ failures: 0, paused_until: null, last_error: expect.any(String) });
  expect((await api.call(redeliver, { params: { delivery_id: id ?? '' } })).status).toBe(400);

  answer = with204;
  expect((await test(target.id)).body).toMatchObject({ delivered: true });
  expect(await stateOf(target.id)).toMatchObject({ failures: 0, failing_since: null, paused_until: null });
});

it('disables no target, whatever it answers', async () => {
  answer = (response) => void response.writeHead(410).end();
  expect((await test(target.id)).body).toMatchObject({ delivered: false, status: 410 });
  expect(await stateOf(target.id)).toMatchObject({ disabled_at: null, last_error: expect.stringContaining('410') });
});

it('may go to a disabled target, and does not enable it', async () => {
  const disabled = await givenTarget(api, { sourceId: source, url, disabledAt: api.clock.now });

  expect((await test(disabled.id)).body).toMatchObject({ delivered: true });
  expect((await stateOf(disabled.id)).disabled_at).toEqual(api.clock.now);
});

it('sends chat in the format of the service', async () => {
  const chat = await givenTarget(api, { sourceId: source, kind: 'CHAT', url });

  expect((await test(chat.id)).body).toMatchObject({ delivered: true });
  expect(received).toMatchObject([{ body: { text: expect.stringContaining('test') } }]);
});

it('mails every address except those whose owners refused', async () => {
  const emails = ['a@example.org', 'b@example.org', 'c@example.org'];
  const mail = await givenTarget(api, { sourceId: source, kind: 'EMAIL', emails });
  await refuse(mail, 'b@example.org');

  const { body } = await test(mail.id);
  expect(body).toMatchObject({ delivered: true, error: null, delivery_ids: [expect.any(String), expect.any(String)] });
  expect(smtp.received.flatMap(({ to }) => to).toSorted()).toEqual(['a@example.org', 'c@example.org']);
  const listed = await api.call(listDeliveries, { query: { target_id: mail.id } });
  expect(listed.body).toMatchObject([{ target: { to: 'c@example.org' } }, { target: { to: 'a@example.org' } }]);

  smtp.refuse = { code: 550, text: 'no such person at mail.internal' };
  const { body: refused } = await test(mail.id);
  smtp.refuse = undefined;
  expect(refused).toMatchObject({ delivered: false, error: expect.any(String) });
  expect(JSON.stringify(refused)).not.toContain('mail.internal');

  for (const address of ['a@example.org', 'c@example.org']) await refuse(mail, address);
  expect(await test(mail.id)).toMatchObject({
    status: 400,
    body: { errors: { target_id: 'every address of this target has unsubscribed' } },
  });
});

it('mails the addresses of a target at most five times an hour', async () => {
  const mail = await givenTarget(api, { sourceId: source, kind: 'EMAIL', emails: ['a@example.org', 'b@example.org'] });
  const start = api.clock.now;
  for (let minute = 0; minute < 5; minute++) {
    api.clock.now = new Date(start.getTime() + minute * 60_000);
    expect((await test(mail.id)).status).toBe(201);
  }
  expect(await test(mail.id)).toMatchObject({
    status: 429,
    headers: { 'retry-after': String(56 * 60) },
    body: { message: 'An email target can be tested 5 times per hour' },
  });
  expect(smtp.received).toHaveLength(10);
  api.clock.now = new Date(start.getTime() + 3_600_000);
  expect((await test(mail.id)).status).toBe(201);
  expect((await test(mail.id)).status).toBe(429);
  api.clock.now = start;
});

function refuse({ id }: GivenTarget, address: string) {
  return api.db
    .insertInto('mail_refusal')
    .values({ org_id: api.org.id, target_id: id, address, refused_at: api.clock.now })
    .execute();
}

it('refuses a second test while one is under way', async () => {
  const waiting: ServerResponse[] = [];
  answer = (response) => void waiting.push(response);

  const first = test(target.id);
  await expect.poll(() => waiting.length).toBe(1);
  const others = await Promise.all([test(target.id), test(target.id), test(target.id)]);
  expect(others.map(({ status }) => status)).toEqual([429, 429, 429]);
  expect(others[0]).toMatchObject({
    headers: { 'retry-after': '10' },
    body: { message: 'A test of this target is already running. Wait until it has finished' },
  });
  for (const response of waiting) with204(response);
  expect((await first).status).toBe(201);
  expect(received).toHaveLength(1);
  answer = with204;
  expect((await test(target.id)).status).toBe(201);
});

it('runs one of many that begin at once', async () => {
  const waiting: ServerResponse[] = [];
  answer = (response) => void waiting.push(response);
  const answered: number[] = [];
  const many = Array.from({ length: 6 }, async () => answered.push((await test(target.id)).status));
  await expect.poll(() => answered).toEqual(Array(5).fill(429));
  for (const response of waiting) with204(response);
  await Promise.all(many);
  expect(answered.at(-1)).toBe(201);
  expect(received).toHaveLength(1);
});

it('is not blocked by a test that was interrupted', async () => {
  const { body } = await test(target.id);
  const [id] = (body as TestResult).delivery_ids;
  const began = new Date(api.clock.now.getTime() - 121_000);
  await sql`
    update delivery set ended_at = null, created_at = ${began} where org_id = ${api.org.id} and id = ${id}`.execute(
    api.db,
  );

  expect((await test(target.id)).status).toBe(201);
});

it('sends once for one Idempotency-Key', async () => {
  const headers = { 'idempotency-key': newId() };

  const first = await test(target.id, { headers });
  expect(await test(target.id, { headers })).toMatchObject({ status: 201, body: first.body });
  expect(received).toHaveLength(1);
});

it('needs a member, for targets of a configuration an admin', async () => {
  const configured = await givenTarget(api, { url });
  const as = async (id: string, key: string) => (await test(id, { key })).status;

  for (const role of ['reader', 'snapshotter'] as const) expect(await as(target.id, api.org.keys[role])).toBe(403);
  expect(await as(target.id, api.org.keys.member)).toBe(201);
  expect(await as(configured.id, api.org.keys.member)).toBe(403);
  expect(await as(configured.id, api.org.keys.admin)).toBe(201);
  expect(received.at(-1)?.body['description']).toBe(
    'This is a test message of configuration api_key_expiry, sent by acme-admin: nothing has happened',
  );
  expect(await as(target.id, other.keys.admin)).toBe(403);
  expect(received).toHaveLength(2);
});

it('does not find targets that are removed, derived, of another org, or unknown', async () => {
  const before = (await api.journal()).length;
  const ids = [
    (await givenTarget(api, { sourceId: source, url, removedAt: api.clock.now })).id,
    (await givenTarget(api, { kind: 'EMAIL', emails: ['a@example.org'], derived: true })).id,
    (await givenTarget(api, { url, org: other })).id,
    newId(),
  ];

  for (const id of ids) expect((await test(id)).status).toBe(404);
  expect((await test('x')).status).toBe(400);
  expect(received).toEqual([]);
  expect(await api.journal()).toHaveLength(before);
});
