import dns from 'node:dns/promises';
import { PerformanceObserver } from 'node:perf_hooks';
import {
  DESTINATIONS_MAX,
  EMAILS_MAX,
  getEnvironmentNotification,
  getTargetSecret,
  listActions,
  listEnvironmentNotifications,
  ORG_SCOPES_MAX,
  putEnvironmentNotification,
  type Role,
  roles,
  TARGETS_MAX,
  type TargetInput,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import {
  chat,
  email,
  givenMessage,
  givenTargetState,
  sentTo,
  targetState,
  webhook,
} from '../../../../test/given/notifications.ts';
import { startApi, type TestOrg } from '../../../../test/harness.ts';
import { buildApi } from '../../../app/api.ts';
import { newId } from '../../../platform/ids.ts';
import { openSecretBox } from '../../../platform/secret-box.ts';

const api = await startApi();
let count = 0;
let org: TestOrg = api.org;

beforeEach(async () => {
  org = await api.givenOrg(`targets-${++count}`);
  await givenEnvironment(api, 'prod', 'server', {}, org);
});

interface Sent {
  readonly name: string;
  readonly environments: string[];
  readonly triggers: 'ON_NON_COMPLIANT_ENV'[];
  readonly targets: TargetInput[];
}
const sent = (more: Partial<Sent> = {}): Sent => ({
  name: 'alerts',
  environments: ['prod'],
  triggers: ['ON_NON_COMPLIANT_ENV'],
  targets: [webhook()],
  ...more,
});
const asRole = (role: Role = 'admin', more: Record<string, string> = {}) => ({
  params: { org: org.name, ...more },
  key: org.keys[role],
});
const put = (body = sent()) => api.call(putEnvironmentNotification, { ...asRole(), body });
const get = (number: number, role: Role = 'admin') =>
  api.call(getEnvironmentNotification, asRole(role, { number: String(number) }));
const list = (role: Role = 'admin') => api.call(listEnvironmentNotifications, asRole(role));
const entries = async () => (await api.journal(org)).filter(({ type }) => type.startsWith('notification.'));
const entryTypes = async () => (await entries()).map(({ type, subject_seq }) => [type, subject_seq]);
const now = () => api.clock.now.getTime() / 1000;

it('targets that are left out get nothing more, and unchanged ones continue', async () => {
  const { body } = await put(sent({ targets: [chat(), webhook(), email('a@example.org', 'b@example.org')] }));
  const [gone, hook, mail] = body.targets;
  await givenMessage(api, org, gone?.id ?? '', ['waiting']);
  await givenMessage(api, org, hook?.id ?? '', ['waiting']);
  const targets = [email('B@example.org', 'a@example.org'), webhook(), chat('https://chat.example.org/other')];
  const { body: after } = await put(sent({ targets }));
  expect(after.targets.map(({ id }) => id)).toEqual([mail?.id, hook?.id, expect.any(String)]);
  expect(after.targets[0]).toMatchObject({ emails: ['B@example.org', 'a@example.org'] });
  expect(after.targets[2]?.id).not.toBe(gone?.id);
  expect(await sentTo(api, org, gone?.id ?? '')).toMatchObject([{ state: 'dropped' }]);
  expect(await sentTo(api, org, hook?.id ?? '')).toMatchObject([{ state: 'waiting' }]);
  expect((await targetState(api, org, hook?.id ?? '')).due_at).not.toBeNull();
});

it('a target gets another context and keeps its record', async () => {
  const context = { channel_id: 'C1', channel_name: 'alerts', team_id: 'T1' };
  const { body } = await put(sent({ targets: [chat()] }));
  const { body: after } = await put(sent({ targets: [{ ...chat(), context }] }));
  expect(after.targets).toEqual([{ ...body.targets[0], context }]);
  await put(sent({ targets: [{ ...chat(), context: { ...context } }] }));
  expect(await entryTypes()).toEqual([
    ['notification.created', 1],
    ['notification.updated', 2],
  ]);
});

it('a disabled target is enabled when it is put again, and that is recorded', async () => {
  const { body } = await put();
  const id = body.targets[0]?.id ?? '';
  const at = api.clock.now;
  await givenTargetState(api, org, id, {
    disabled_at: at,
    disabled_because: 'it answered 410',
    failures: 3,
    failing_since: at,
    paused_until: at,
    last_failure_at: at,
    last_error: 'it answered 410',
  });
  expect((await get(1)).body).toMatchObject({
    is_failing: true,
    targets: [{ disabled_at: now(), disabled_because: 'it answered 410', last_failure_at: now() }],
  });
  expect((await put()).body.targets).toMatchObject([{ id, disabled_at: null, disabled_because: null }]);
  expect(await targetState(api, org, id)).toMatchObject({ failures: 0, failing_since: null, paused_until: null });
  await put();
  expect(await entryTypes()).toEqual([
    ['notification.created', 1],
    ['notification.updated', 2],
  ]);
});

describe('a target that is changed in place', () => {
  const failing = () => ({
    ...{ disabled_at: api.clock.now, disabled_because: 'it answered 410', failures: 3, last_error: 'it answered 410' },
    ...{ failing_since: api.clock.now, paused_until: new Date(api.clock.now.getTime() + 900_000) },
  });
  const secretOf = async (target_id: string) =>
    (await api.call(getTargetSecret, asRole('admin', { target_id }))).body.secret;
  const storedUrl = async (id: string) => {
    const { rows } = await sql<{ url_sealed: string; url_sha256: Buffer; url_host: string }>`
      select url_sealed, url_sha256, url_host from notification_target
      where org_id = ${org.id} and id = ${id}`.execute(api.db);
    return rows[0];
  };

  it('keeps its id, secret and record, and waiting deliveries go to the new URL at once', async () => {
    const { body } = await put(sent({ targets: [webhook(), chat()] }));
    const [hook, other] = body.targets;
    const id = hook?.id ?? '';
    const secret = await secretOf(id);
    await givenMessage(api, org, id, ['waiting', 'failed']);
    const later = new Date(api.clock.now.getTime() + 3_600_000);
    await sql`update delivery set due_at = ${later}, tries = 9 where org_id = ${org.id}`.execute(api.db);
    const holding = { held_by: id, held_until: later, due_at: later, sending_delivery: id };
    await givenTargetState(api, org, id, { ...failing(), ...holding, last_success_at: new Date(5000) });
    const moved = { ...hook, ...webhook('https://other.example.org:8443/new') } as TargetInput;
    const { body: after } = await put(sent({ targets: [moved, { ...other, id: newId() } as TargetInput] }));
    expect(after.targets).toEqual([{ ...moved, last_success_at: 5 }, other]);
    expect(await secretOf(id)).toBe(secret);
    expect(await storedUrl(id)).toMatchObject({ url_host: 'other.example.org:8443' });
    expect(await targetState(api, org, id)).toMatchObject({
      ...{ failures: 0, failing_since: null, paused_until: null, disabled_at: null, disabled_because: null },
      // Nobody else sends before the current worker has finished.
      ...{ held_by: null, held_until: later, due_at: api.clock.now, sending_delivery: null },
    });
    const { rows } = await sql`
      select state, tries, due_at from delivery where org_id = ${org.id} order by place`.execute(api.db);
    expect(rows).toEqual([
      { state: 'waiting', tries: 0, due_at: api.clock.now },
      { state: 'failed', tries: 9, due_at: later },
    ]);
    expect((await entries()).at(-1)).toMatchObject({
      type: 'notification.updated',
      payload: { targets: [{ id, host: 'other.example.org:8443' }, { id: other?.id }] },
    });
    await put(sent({ targets: [webhook('https://other.example.org:8443/new'), chat()] }));
    expect(await entryTypes()).toHaveLength(2);
  });

  it('keeps who unsubscribed from mail, and drops deliveries to removed addresses', async () => {
    const { body } = await put(sent({ targets: [email('a@example.org', 'b@example.org')] }));
    const id = body.targets[0]?.id ?? '';
    await givenMessage(api, org, id, ['waiting', 'waiting']);
    await sql`
      update delivery set address = case place when (select min(place) from delivery where org_id = ${org.id})
        then 'a@example.org' else 'b@example.org' end
      where org_id = ${org.id}`.execute(api.db);
    await sql`
      insert into mail_refusal (org_id, target_id, address, refused_at)
      values (${org.id}, ${id}, 'a@example.org', ${api.clock.now})`.execute(api.db);
    expect((await get(1)).body.targets).toMatchObject([{ unsubscribed: ['a@example.org'] }]);
    await givenTargetState(api, org, id, failing());
    const { body: after } = await put(sent({ targets: [email('A@example.org', 'c@example.org')] }));
    expect(after.targets).toEqual([
      {
        ...body.targets[0],
        emails: ['A@example.org', 'c@example.org'],
        unsubscribed: ['A@example.org'],
        unconfirmed: ['A@example.org', 'c@example.org'],
      },
    ]);
    expect(await targetState(api, org, id)).toMatchObject({ failures: 0, paused_until: null });
    expect((await sentTo(api, org, id)).map(({ state }) => state)).toEqual(['waiting', 'dropped']);
    const { body: without } = await put(sent({ targets: [email('c@example.org')] }));
    expect(without.targets).toMatchObject([{ id, unsubscribed: [] }]);
    const { body: again } = await put(sent({ targets: [email('c@example.org', 'a@example.org')] }));
    expect(again.targets).toMatchObject([{ id, unsubscribed: ['a@example.org'] }]);
  });

  it('is never one of another notification or org', async () => {
    const theirs = (await put(sent({ name: 'other' }))).body.targets[0];
    const before = await storedUrl(theirs?.id ?? '');
    const url = 'https://elsewhere.example.org/';
    const { body } = await put(sent({ targets: [{ ...webhook(url), id: theirs?.id }] }));
    expect(body.targets[0]?.id).not.toBe(theirs?.id);
    expect(await storedUrl(theirs?.id ?? '')).toEqual(before);
    const taken = { ...webhook(url), id: 'no id at all' };
    expect((await put(sent({ targets: [taken] }))).body.targets).toEqual(body.targets);
  });

  it('gets a readable URL and secret when the key of the installation was changed', async () => {
    const { body } = await put(sent({ targets: [webhook(), chat(), email()] }));
    const [hook = '', room = ''] = body.targets.map(({ id }) => id);
    const box = openSecretBox(Buffer.alloc(32, 9));
    const changed = buildApi({ ...api.parts, secretBox: box }, api.listeners);
    const send = (method: 'PUT' | 'GET', path: string, payload?: object) =>
      changed.http.inject({
        method,
        url: `/api/v2/organizations/${org.name}/${path}`,
        headers: { authorization: `Bearer ${org.keys.admin}` },
        ...(payload && { payload }),
      });
    await givenTargetState(api, org, hook, failing());
    expect((await send('GET', `targets/${hook}/secret`)).statusCode).toBe(400);
    const input = sent({ targets: [webhook(), chat(), email()] });
    const resealed = await send('PUT', 'environments_notifications', input);
    expect(resealed.json()).toMatchObject({ targets: body.targets });
    expect(await targetState(api, org, hook)).toMatchObject({ failures: 0, paused_until: null });
    for (const id of [hook, room]) {
      expect(box.open((await storedUrl(id))?.url_sealed ?? '', `target-url:${id}`)).toMatch(/^https:/);
    }
    const secret = (await send('GET', `targets/${hook}/secret`)).json() as unknown;
    expect(secret).toMatchObject({ secret: expect.stringMatching(/^whsec_/) as string });
    await send('PUT', 'environments_notifications', input);
    expect((await send('GET', `targets/${hook}/secret`)).json()).toEqual(secret);
    expect(await entryTypes()).toHaveLength(2);
  });
});

it('the reason of a failure is shown while the target fails', async () => {
  const { body } = await put();
  const id = body.targets[0]?.id ?? '';
  const lastError = async () => (await get(1)).body.targets[0]?.last_error;
  await givenTargetState(api, org, id, { last_failure_at: new Date(1000), failures: 1, last_error: 'it answered 500' });
  expect(await lastError()).toBe('it answered 500');
  await givenTargetState(api, org, id, { last_success_at: new Date(2000), failures: 0 });
  expect(await lastError()).toBeNull();
});

it('health is shown for each target, and for all together', async () => {
  const { body } = await put(sent({ targets: [webhook(), chat(), email()] }));
  const [first = '', second = ''] = body.targets.map(({ id }) => id);
  const at = (seconds: number) => new Date(seconds * 1000);
  const health = async () => {
    const { targets, ...rest } = (await get(1)).body;
    const { last_success_timestamp: success, last_failure_timestamp: failure, is_failing } = rest;
    return { success, failure, is_failing, of: targets.map((one) => [one.last_success_at, one.last_failure_at]) };
  };
  await givenTargetState(api, org, first, { last_success_at: at(100), last_failure_at: at(50) });
  expect(await health()).toMatchObject({ success: 100, failure: 50, is_failing: false });
  await givenTargetState(api, org, second, {
    last_success_at: at(120),
    last_failure_at: at(130),
    failures: 1,
    last_error: 'no',
  });
  expect(await health()).toEqual({
    success: 120,
    failure: 130,
    is_failing: true,
    of: [
      [100, 50],
      [120, 130],
      [null, null],
    ],
  });
  await givenTargetState(api, org, second, { last_success_at: at(130) });
  expect(await health()).toMatchObject({ success: 130, is_failing: true });
  await givenTargetState(api, org, second, { failures: 0 });
  expect(await health()).toMatchObject({ success: 130, failure: 130, is_failing: false });
});

it('a URL is shown to those who may change it, and only its host to others', async () => {
  await put(sent({ targets: [webhook('https://hooks.example.org:8443/in?token=x'), chat()] }));
  const urls = async (role: Role) =>
    [(await get(1, role)).body, ...(await list(role)).body, ...(await api.call(listActions, asRole(role))).body].map(
      ({ targets }) => targets.map((target) => 'webhook' in target && target.webhook),
    );
  const masked = ['https://hooks.example.org:8443/…', 'https://chat.example.org/…'];
  const full = ['https://hooks.example.org:8443/in?token=x', 'https://chat.example.org/hook/token'];
  for (const role of roles) {
    const seen = role === 'member' || role === 'admin' ? full : masked;
    expect(await urls(role), role).toEqual([seen, seen, seen]);
  }
});

it('putting keeps secrets out of the journal and sealed in the database', async () => {
  await put(
    sent({ targets: [chat('https://chat.example.org/secret-path'), webhook('https://h.example.org/other-path')] }),
  );
  const stored = await api.db.selectFrom('notification_target').selectAll().where('org_id', '=', org.id).execute();
  expect(stored).toHaveLength(2);
  const readable = JSON.stringify([stored, await api.journal(org)]);
  for (const secret of ['secret-path', 'other-path', 'whsec_']) expect(readable).not.toContain(secret);
});

it('a URL is saved without a DNS query, wherever its name leads', async () => {
  const asked: string[] = [];
  const observer = new PerformanceObserver((seen) => {
    for (const entry of seen.getEntries()) asked.push(JSON.stringify(entry));
  });
  observer.observe({ entryTypes: ['dns', 'net'] });
  const hosts = ['does-not-resolve.example.com', 'slow.example.net', 'chat.internal'];
  for (const host of hosts) {
    expect(
      (await put(sent({ name: host, targets: [chat(`https://${host}/`), webhook(`https://${host}/`)] }))).status,
    ).toBe(201);
  }
  // The observer would have seen it.
  await dns.lookup('localhost');
  await expect.poll(() => asked.join()).toContain('localhost');
  observer.disconnect();
  for (const host of hosts) expect(asked.join()).not.toContain(host);
});

it('explains what the operator has to do when URLs cannot be stored', async () => {
  const bare = buildApi({ ...api.parts, secretBox: undefined }, api.listeners);
  const send = (method: 'PUT' | 'GET', payload?: object) =>
    bare.http.inject({
      method,
      url: `/api/v2/organizations/${org.name}/environments_notifications`,
      headers: { authorization: `Bearer ${org.keys.admin}` },
      ...(payload && { payload }),
    });
  const refused = await send('PUT', sent());
  expect(refused.statusCode).toBe(400);
  expect(refused.json()).toMatchObject({
    errors: { 'targets.0.webhook': expect.stringContaining('this installation has no WAYMARK_SECRET_KEY') as string },
  });
  expect((await send('PUT', sent({ targets: [email()] }))).statusCode).toBe(201);
  await put(sent({ name: 'kept' }));
  expect((await send('GET')).json()).toMatchObject([{}, { targets: [{ webhook: 'https://hooks.example.org/…' }] }]);
});

it('is strict about networks where the operator permits none', async () => {
  const strict = buildApi({ ...api.parts, outboundNetworks: [] }, api.listeners);
  const send = (url: string) =>
    strict.http.inject({
      method: 'PUT',
      url: `/api/v2/organizations/${org.name}/environments_notifications`,
      headers: { authorization: `Bearer ${org.keys.admin}` },
      payload: sent({ targets: [webhook(url)] }),
    });
  for (const url of ['https://127.0.0.1:9000/', 'https://chat.internal/', 'https://hooks.example.org:22/']) {
    const answer = await send(url);
    expect(answer.json(), url).toMatchObject({
      errors: { 'targets.0.webhook': expect.stringMatching(/^cannot be called: /) as string },
    });
    expect((await put(sent({ targets: [webhook(url)] }))).status, url).toBeLessThan(300);
  }
});

it('limits the URLs and addresses of an org to what one event can be sent to', async () => {
  const addresses = (of: number) => Array.from({ length: EMAILS_MAX }, (_, i) => `a-${of}-${i}@example.org`);
  const mails = (name: number) => ({
    name: `n-${name}`,
    targets: Array.from({ length: TARGETS_MAX }, (_, i) => ({
      type: 'EMAIL' as const,
      emails: addresses(name * TARGETS_MAX + i),
    })),
  });
  for (let i = 0; i < DESTINATIONS_MAX / EMAILS_MAX / TARGETS_MAX; i++) {
    expect((await put(sent(mails(i)))).status).toBe(201);
  }
  const answer = await put(sent({ name: 'another' }));
  expect(answer).toMatchObject({
    status: 400,
    body: { errors: { targets: 'would be too many: an org can have at most 2000 URLs and email addresses' } },
  });
  expect((await put(sent({ ...mails(0), targets: [email('one@example.org')] }))).status).toBe(200);
  expect((await put(sent({ name: 'another' }))).status).toBe(201);
});

it('limits the environments that notifications of an org can name', async () => {
  await put(sent({ name: 'first' }));
  await sql`
    insert into notification_scope (org_id, notification_id, scope_id, position)
    select org_id, id, gen_random_uuid(), n + 1 from notification, generate_series(1, ${ORG_SCOPES_MAX - 1}::integer) as n
    where org_id = ${org.id}`.execute(api.db);
  expect(await put(sent({ name: 'another' }))).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('at most 20000 environments and flows') as string },
  });
});
