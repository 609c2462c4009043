import {
  deleteNotificationConfig,
  getNotificationConfig,
  type NotificationConfig,
  type NotificationTarget,
  putNotificationConfig,
  type Role,
  type TargetInput,
} from '@waymark/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { callSigned, givenPerson, givenSession } from '../../../../test/given/people.ts';
import { startApi, type TestOrg } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';

const api = await startApi();

const TYPE = { notification_type: 'api_key_expiry' };
const HOOK = { type: 'WEBHOOK', webhook: 'https://hooks.example.org/in/s3cret?token=t0ken' } as const;
const CHAT = { type: 'CHAT', webhook: 'https://chat.example.org/services/T1/B2/abc' } as const;
const MAIL = { type: 'EMAIL' as const, emails: ['ops@example.org', 'security@example.org'] };

const CONTEXT = { channel_id: 'C1', channel_name: 'alerts', team_id: 'T1' };

let count = 0;
const givenOrg = () => api.givenOrg(`org-${++count}`);

type Calling = { key?: string; headers?: Record<string, string> };

function put(org: TestOrg, targets: readonly unknown[], { key = org.keys.admin, headers = {} }: Calling = {}) {
  const body = { targets: targets as TargetInput[] };
  return api.call(putNotificationConfig, { params: { org: org.name, ...TYPE }, key, headers, body });
}

function remove(org: TestOrg, key = org.keys.admin) {
  return api.call(deleteNotificationConfig, { params: { org: org.name, ...TYPE }, key });
}

async function read(org: TestOrg, role: Role = 'admin'): Promise<NotificationConfig> {
  const answer = await api.call(getNotificationConfig, { params: { org: org.name, ...TYPE }, key: org.keys[role] });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** The parts of a target that may be sent back. */
function inputOf(target: NotificationTarget): object {
  const { last_error: _, disabled_at: __, disabled_because: ___, ...input } = target;
  if (input.type !== 'EMAIL') return input;
  const { unsubscribed: ____, unconfirmed: _____, ...mail } = input;
  return mail;
}

async function recorded(org: TestOrg) {
  return (await api.journal(org)).filter(({ type }) => type.startsWith('notification_config.'));
}

const EMPTY = {
  notification_type: 'api_key_expiry',
  scope: null,
  targets: [],
  detection: { days_before: [30, 14, 7, 3, 1, 0] },
  last_notified_at: null,
  last_failure: null,
};

it('has no targets by default', async () => {
  expect(await read(await givenOrg())).toEqual(EMPTY);
});

it('returns what it set, and journals hosts but no URLs', async () => {
  const org = await givenOrg();
  const answer = await put(org, [HOOK, { ...CHAT, type: 'SLACK' }, MAIL]);
  expect(answer.status).toBe(201);
  const health = {
    id: expect.any(String),
    last_success_at: null,
    last_failure_at: null,
    last_error: null,
    disabled_at: null,
    disabled_because: null,
  };
  expect(answer.body).toEqual({
    ...EMPTY,
    targets: [
      { ...HOOK, payload_version: '1.0', ...health },
      { ...CHAT, context: null, ...health },
      { ...MAIL, unsubscribed: [], unconfirmed: MAIL.emails, ...health },
    ],
  });
  expect(await read(org)).toEqual(answer.body);
  const [first, second, third] = answer.body.targets.map(({ id }) => id);
  expect(await recorded(org)).toEqual([
    {
      type: 'notification_config.set',
      subject_seq: 1,
      actor: `${org.name}-admin`,
      payload: {
        ...TYPE,
        targets: [
          { id: first, type: 'WEBHOOK', host: 'hooks.example.org', emails: [] },
          { id: second, type: 'CHAT', host: 'chat.example.org', emails: [] },
          { id: third, type: 'EMAIL', host: null, emails: MAIL.emails },
        ],
      },
    },
  ]);
  expect(JSON.stringify(await api.journal(org))).not.toMatch(/s3cret|t0ken|T1\/B2/);
});

it('changes and journals nothing when it is repeated', async () => {
  const org = await givenOrg();
  const first = await put(org, [HOOK, MAIL]);
  const again = await put(org, [HOOK, MAIL]);
  expect(again.status).toBe(201);
  expect(again.body).toEqual(first.body);
  expect(await recorded(org)).toHaveLength(1);
});

it('accepts the targets it returned, ignoring read-only fields', async () => {
  const org = await givenOrg();
  const { targets } = (await put(org, [HOOK, { ...CHAT, context: CONTEXT }, MAIL])).body;
  await sql`
    update target_state set last_failure_at = ${api.clock.now}, failures = 1, last_error = 'it answered 500'
    where org_id = ${org.id} and target_id = ${targets[0]?.id}`.execute(api.db);
  const config = await read(org);
  expect(config).toMatchObject({ last_failure: { error: 'it answered 500' } });
  const sent = config.targets.map(inputOf);
  expect(sent[0]).toHaveProperty('last_failure_at');
  expect(await put(org, sent)).toMatchObject({ status: 201, body: config });
  expect(await recorded(org)).toHaveLength(1);
});

it.each(['notification_type', 'scope', 'detection', 'last_notified_at', 'last_failure', 'bogus'])(
  'refuses %s, as only targets can be set',
  async (name) => {
    const org = await givenOrg();
    const before = { ...EMPTY, bogus: 1 }[name];
    const call = { params: { org: org.name, ...TYPE }, key: org.keys.admin };
    const body = { targets: [HOOK], [name]: before } as never;
    const answer = await api.call(putNotificationConfig, { ...call, body });
    expect(answer).toMatchObject({ status: 400, body: { errors: { [name]: 'is unknown' } } });
    expect(await recorded(org)).toEqual([]);
  },
);

it.each([
  ['last_error', HOOK, 'it answered 500'],
  ['disabled_at', HOOK, 1],
  ['disabled_because', CHAT, 'it is gone'],
  ['unsubscribed', MAIL, []],
  ['unconfirmed', MAIL, []],
])('refuses %s in a target', async (name, target, value) => {
  expect(await put(await givenOrg(), [{ ...target, [name]: value }])).toMatchObject({
    status: 400,
    body: { errors: { [`targets.0.${name}`]: 'is unknown' } },
  });
});

it.each([
  [{ emails: MAIL.emails }, 'EMAIL'],
  [{ webhook: HOOK.webhook, payload_version: '1.0' }, 'WEBHOOK'],
  [{ webhook: CHAT.webhook, context: CONTEXT }, 'CHAT'],
])('derives the type from a field that only one type has: %j', async (target, type) => {
  expect(await put(await givenOrg(), [target])).toMatchObject({ status: 201, body: { targets: [{ type }] } });
});

it('requires the type when a webhook alone does not show it', async () => {
  expect(await put(await givenOrg(), [{ webhook: HOOK.webhook }])).toMatchObject({
    status: 400,
    body: { errors: { 'targets.0.type': expect.stringMatching(/^is required: CHAT or WEBHOOK/) } },
  });
});

it('advertises both ways to authenticate', async () => {
  const org = await givenOrg();
  expect(await put(org, [HOOK], { key: '' })).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer, Basic realm="Waymark"' },
  });
});

it('changes a target in place by its id', async () => {
  const org = await givenOrg();
  const [hook, chat] = (await put(org, [HOOK, CHAT])).body.targets;
  const moved = { ...HOOK, id: hook?.id, webhook: 'https://other.example.org/in' };
  expect((await put(org, [moved, { ...CHAT, id: chat?.id }])).body.targets).toEqual([{ ...hook, ...moved }, chat]);
  expect((await recorded(org)).at(-1)).toMatchObject({
    subject_seq: 2,
    payload: { targets: [{ id: hook?.id, host: 'other.example.org' }, { id: chat?.id }] },
  });
});

it('replaces the targets; an unchanged one keeps its id', async () => {
  const org = await givenOrg();
  const before = (await put(org, [HOOK, MAIL])).body.targets;
  const after = (await put(org, [CHAT, HOOK])).body.targets;
  expect(after).toMatchObject([CHAT, HOOK]);
  expect(after[1]?.id).toBe(before[0]?.id);
  expect((await recorded(org)).map(({ subject_seq }) => subject_seq)).toEqual([1, 2]);
});

it('enables a disabled target again, and records that in the journal', async () => {
  const org = await givenOrg();
  const [target] = (await put(org, [HOOK])).body.targets;
  await sql`
    update target_state set disabled_at = ${api.clock.now}, disabled_because = 'it is gone'
    where org_id = ${org.id}`.execute(api.db);
  expect((await read(org)).targets).toMatchObject([{ disabled_because: 'it is gone' }]);
  expect((await put(org, [HOOK])).body.targets).toMatchObject([{ id: target?.id, disabled_at: null }]);
  expect(await recorded(org)).toHaveLength(2);
});

it('returns to no targets when it is deleted, and may be deleted again', async () => {
  const org = await givenOrg();
  expect(await remove(org)).toMatchObject({ status: 200, body: EMPTY });
  expect(await recorded(org)).toEqual([]);
  await put(org, [HOOK]);
  expect(await remove(org)).toMatchObject({ status: 200, body: EMPTY });
  expect(await remove(org)).toMatchObject({ status: 200, body: EMPTY });
  expect(await read(org)).toEqual(EMPTY);
  expect((await recorded(org)).slice(1)).toEqual([
    { type: 'notification_config.removed', subject_seq: 2, actor: `${org.name}-admin`, payload: TYPE },
  ]);
  const [target] = (await put(org, [HOOK])).body.targets;
  expect(target).toMatchObject(HOOK);
  expect((await recorded(org)).map(({ subject_seq }) => subject_seq)).toEqual([1, 2, 3]);
});

describe('permissions', () => {
  it('lets only admins write', async () => {
    const org = await givenOrg();
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      const refused = { status: 403, body: { message: `This requires the admin role; yours is ${role}` } };
      expect(await put(org, [HOOK], { key: org.keys[role] })).toMatchObject(refused);
      expect(await remove(org, org.keys[role])).toMatchObject(refused);
    }
    expect(await read(org)).toEqual(EMPTY);
    expect(await recorded(org)).toEqual([]);
  });

  it('shows full URLs to admins, and masked ones to others', async () => {
    const org = await givenOrg();
    await put(org, [HOOK, CHAT, MAIL]);
    expect((await read(org, 'admin')).targets).toMatchObject([HOOK, CHAT, MAIL]);
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      const config = await read(org, role);
      expect(config.targets).toMatchObject([{ type: 'WEBHOOK' }, { type: 'CHAT' }, MAIL]);
      expect(JSON.stringify(config)).toMatch(/https:\/\/hooks\.example\.org\/[^"]*".*https:\/\/chat\.example\.org\//);
      expect(JSON.stringify(config)).not.toMatch(/s3cret|t0ken|services|T1/);
    }
  });

  it('refuses other orgs, and requests without a credential', async () => {
    const [org, other] = [await givenOrg(), await givenOrg()];
    const foreign = { params: { org: org.name, ...TYPE }, key: other.keys.admin };
    const none = { ...foreign, key: '' };
    const body = { targets: [HOOK] };
    expect((await api.call(putNotificationConfig, { ...foreign, body })).status).toBe(403);
    expect((await api.call(getNotificationConfig, foreign)).status).toBe(403);
    expect((await api.call(deleteNotificationConfig, foreign)).status).toBe(403);
    expect((await api.call(putNotificationConfig, { ...none, body })).status).toBe(401);
    expect((await api.call(getNotificationConfig, none)).status).toBe(401);
    expect((await api.call(deleteNotificationConfig, none)).status).toBe(401);
    expect(await recorded(org)).toEqual([]);
  });

  it('separates the orgs', async () => {
    const [org, other] = [await givenOrg(), await givenOrg()];
    await put(org, [HOOK]);
    await put(other, [HOOK]);
    await remove(other);
    expect((await read(org)).targets).toMatchObject([HOOK]);
    expect((await read(other)).targets).toEqual([]);
  });

  it('accepts the key as HTTP Basic user name for PUT only', async () => {
    const org = await givenOrg();
    const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`${key}:whatever`).toString('base64')}` });
    expect((await put(org, [HOOK], { key: '', headers: basic(org.keys.admin) })).status).toBe(201);
    expect((await put(org, [HOOK], { key: '', headers: basic(org.keys.member) })).status).toBe(403);
    expect((await put(org, [HOOK], { key: '', headers: basic('wmk_e') })).status).toBe(401);
    const params = { org: org.name, ...TYPE };
    const headers = basic(org.keys.admin);
    expect((await api.call(getNotificationConfig, { params, key: '', headers })).status).toBe(401);
    expect((await api.call(deleteNotificationConfig, { params, key: '', headers })).status).toBe(401);
  });

  it('accepts a session, for writes only from our own pages', async () => {
    const org = await givenOrg();
    const admin = await givenPerson(api, { org, role: 'admin' });
    const signed = await givenSession(api, admin);
    const params = { org: org.name, ...TYPE };
    const body = { targets: [HOOK] };
    const { cookie } = signed;
    expect((await callSigned(api, putNotificationConfig, { cookie }, { params, body })).status).toBe(403);
    expect((await callSigned(api, deleteNotificationConfig, { cookie }, { params })).status).toBe(403);
    expect((await callSigned(api, putNotificationConfig, signed, { params, body })).status).toBe(201);
    expect((await callSigned(api, getNotificationConfig, { cookie }, { params })).body.targets).toMatchObject([HOOK]);
    expect((await callSigned(api, deleteNotificationConfig, signed, { params })).body.targets).toEqual([]);
    expect((await recorded(org)).map(({ actor }) => actor)).toEqual([admin.login, admin.login]);
  });

  it('exists for the personal org of a person', async () => {
    const { login, key } = await givenPerson(api);
    const params = { org: login, ...TYPE };
    expect((await api.call(putNotificationConfig, { params, key, body: { targets: [MAIL] } })).status).toBe(201);
    expect((await api.call(getNotificationConfig, { params, key })).body.targets).toMatchObject([MAIL]);
  });
});

describe('validation', () => {
  const refused: [string, unknown, string, RegExp][] = [
    ['no body', undefined, 'body', /./],
    ['no targets', {}, 'targets', /./],
    ['an empty list', { targets: [] }, 'targets', /1/],
    ['too many', { targets: Array.from({ length: 21 }, () => HOOK) }, 'targets', /20/],
    ['what is not a list', { targets: HOOK }, 'targets', /./],
    ['another property', { targets: [HOOK], colour: null }, 'colour', /./],
    [
      'a URL as others see it',
      { targets: [{ ...HOOK, webhook: 'https://x.org/…' }] },
      'targets.0.webhook',
      /complete URL/,
    ],
    ['another property of a target', { targets: [{ ...HOOK, secret: 'x' }] }, 'targets.0.secret', /./],
    ['a target of no kind', { targets: [{ webhook: HOOK.webhook }] }, 'targets.0.type', /CHAT or WEBHOOK/],
    ['an unknown kind', { targets: [HOOK, { ...HOOK, type: 'PAGER' }] }, 'targets.1.type', /./],
    ['a webhook without a URL', { targets: [{ type: 'WEBHOOK' }] }, 'targets.0.webhook', /required/],
    ['a URL without TLS', { targets: [{ ...HOOK, webhook: 'http://x.example.org/' }] }, 'targets.0.webhook', /https/],
    ['a URL with a password', { targets: [{ ...HOOK, webhook: 'https://a:b@x.org/' }] }, 'targets.0.webhook', /./],
    ['an unknown version', { targets: [{ ...HOOK, payload_version: '2.0' }] }, 'targets.0.payload_version', /1\.0/],
    ['no address', { targets: [{ type: 'EMAIL', emails: [] }] }, 'targets.0.emails', /./],
    ['what is no address', { targets: [{ type: 'EMAIL', emails: ['ops'] }] }, 'targets.0.emails.0', /email address/],
    ['half a context', { targets: [{ ...CHAT, context: { team_id: 'T' } }] }, 'targets.0.context.channel_id', /./],
  ];

  it.each(refused)('refuses %s and names the field', async (_, body, field, reason) => {
    const answer = await api.call(putNotificationConfig, { params: TYPE, body: body as never });
    expect(answer.status).toBe(400);
    const { errors } = answer.body as unknown as { errors: Record<string, string> };
    expect(errors).toHaveProperty([field], expect.stringMatching(reason));
    expect(await read(api.org)).toEqual(EMPTY);
    expect(await recorded(api.org)).toEqual([]);
  });

  it('refuses an unknown type', async () => {
    const params = { notification_type: 'key_expiry' };
    for (const answer of [
      await api.call(putNotificationConfig, { params, body: { targets: [HOOK] } }),
      await api.call(getNotificationConfig, { params }),
      await api.call(deleteNotificationConfig, { params }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ errors: { notification_type: expect.any(String) } });
    }
  });

  it('refuses a body that is too large', async () => {
    const body = { targets: [{ ...HOOK, webhook: `https://${'x'.repeat(1_100_000)}` }] };
    expect((await api.call(putNotificationConfig, { params: TYPE, body })).status).toBe(413);
  });

  it('leaves everything as it was when a change is refused', async () => {
    const org = await givenOrg();
    await put(org, [HOOK]);
    expect((await put(org, [MAIL, { type: 'WEBHOOK' }])).status).toBe(400);
    expect((await read(org)).targets).toMatchObject([HOOK]);
  });
});

describe('races', () => {
  it('records identical requests once', async () => {
    const org = await givenOrg();
    const answers = await Promise.all(Array.from({ length: 8 }, () => put(org, [HOOK, MAIL])));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await recorded(org)).toHaveLength(1);
    const removed = await Promise.all(Array.from({ length: 8 }, () => remove(org)));
    expect(removed.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await recorded(org)).map(({ type }) => type)).toEqual([
      'notification_config.set',
      'notification_config.removed',
    ]);
  });

  it('leaves the targets of one of several requests, each answered with its own', async () => {
    const org = await givenOrg();
    const hook = (i: number) => ({ ...HOOK, webhook: `https://hooks.example.org/${i}` });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => put(org, [hook(i)])));
    for (const [i, { status, body }] of answers.entries()) {
      expect([status, body.targets]).toEqual([201, [expect.objectContaining(hook(i))]]);
    }
    const entries = await recorded(org);
    expect(entries.map(({ subject_seq }) => subject_seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const [left] = (await read(org)).targets;
    expect(entries.at(-1)?.payload).toMatchObject({ targets: [{ id: left?.id }] });
  });
});

describe('bookkeeping', () => {
  const at = (seconds: number) => new Date(1_790_000_000_000 + seconds * 1000);

  async function attempted(org: TestOrg, place: number, state: { success?: number; failure?: number; error?: string }) {
    const { success, failure, error = null } = state;
    await sql`
      update target_state set last_success_at = ${success === undefined ? null : at(success)},
        last_failure_at = ${failure === undefined ? null : at(failure)}, last_error = ${error}
      where org_id = ${org.id} and target_id = (select id from notification_target
        where org_id = ${org.id} and removed_at is null and not derived and position = ${place})`.execute(api.db);
  }

  async function bookkeepingOf(org: TestOrg) {
    const { last_notified_at, last_failure } = await read(org);
    return { last_notified_at, last_failure };
  }

  it('has the last success, and a failure only when nothing succeeded after it', async () => {
    const org = await givenOrg();
    await put(org, [HOOK, CHAT]);
    await attempted(org, 0, { failure: 1, error: 'HTTP 500' });
    expect(await bookkeepingOf(org)).toEqual({
      last_notified_at: null,
      last_failure: { failed_at: 1_790_000_001, error: 'HTTP 500' },
    });
    await attempted(org, 0, { success: 2, failure: 1, error: 'HTTP 500' });
    expect(await bookkeepingOf(org)).toEqual({ last_notified_at: 1_790_000_002, last_failure: null });
    await attempted(org, 0, { success: 2, failure: 3.5, error: 'HTTP 502' });
    expect(await bookkeepingOf(org)).toEqual({
      last_notified_at: 1_790_000_002,
      last_failure: { failed_at: 1_790_000_003.5, error: 'HTTP 502' },
    });
    expect((await read(org)).targets[0]).toMatchObject({
      last_success_at: 1_790_000_002,
      last_failure_at: 1_790_000_003.5,
    });
  });

  it('considers all targets: a success of one of them counts', async () => {
    const org = await givenOrg();
    await put(org, [HOOK, CHAT]);
    await attempted(org, 0, { failure: 5, error: 'HTTP 500' });
    await attempted(org, 1, { success: 6, failure: 2, error: 'older' });
    expect(await bookkeepingOf(org)).toEqual({ last_notified_at: 1_790_000_006, last_failure: null });
    await attempted(org, 1, { success: 5, failure: 2, error: 'older' });
    expect(await bookkeepingOf(org)).toEqual({ last_notified_at: 1_790_000_005, last_failure: null });
    await attempted(org, 1, { success: 4, failure: 2, error: 'older' });
    expect(await bookkeepingOf(org)).toEqual({
      last_notified_at: 1_790_000_004,
      last_failure: { failed_at: 1_790_000_005, error: 'HTTP 500' },
    });
  });

  it('counts derived recipients, and does not forget when targets change', async () => {
    const org = await givenOrg();
    const id = newId();
    await sql`
      insert into notification_target (org_id, id, source_id, config_type, kind, position, derived, created_at)
      values (${org.id}, ${id}, ${org.id}, 'api_key_expiry', 'EMAIL', 0, true, ${at(0)})`.execute(api.db);
    await sql`
      insert into target_state (org_id, target_id, last_success_at) values (${org.id}, ${id}, ${at(1)})`.execute(
      api.db,
    );
    expect(await read(org)).toEqual({ ...EMPTY, last_notified_at: 1_790_000_001 });
    await put(org, [HOOK]);
    await attempted(org, 0, { failure: 9, error: 'HTTP 410' });
    await put(org, [MAIL]);
    expect(await bookkeepingOf(org)).toEqual({
      last_notified_at: 1_790_000_001,
      last_failure: { failed_at: 1_790_000_009, error: 'HTTP 410' },
    });
    await attempted(org, 0, { success: 10 });
    expect(await bookkeepingOf(org)).toEqual({ last_notified_at: 1_790_000_010, last_failure: null });
    await remove(org);
    expect(await read(org)).toEqual({ ...EMPTY, last_notified_at: 1_790_000_010 });
  });

  it('keeps the record of a target that is sent with its id', async () => {
    const org = await givenOrg();
    await put(org, [HOOK]);
    await attempted(org, 0, { success: 3 });
    const { body } = await put(org, [{ ...HOOK, last_success_at: 1, last_failure_at: 2 }]);
    expect(body.targets).toMatchObject([{ last_success_at: 1_790_000_003, last_failure_at: null }]);
    expect(await recorded(org)).toHaveLength(1);
  });
});
