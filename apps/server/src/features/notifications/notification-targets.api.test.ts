import dns from 'node:dns/promises';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import {
  getEnvironmentNotification,
  listActions,
  listEnvironmentNotifications,
  putEnvironmentNotification,
  type Role,
  roles,
  type TargetInput,
} from '@waymark/contract';
import { beforeEach, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import {
  chat,
  email,
  givenTargetState,
  givenTold,
  targetState,
  toldTo,
  webhook,
} from '../../../test/given/notifications.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';
import { buildApi } from '../../app/api.ts';

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

it('targets that are left out get nothing more, and what is the same goes on', async () => {
  const { body } = await put(sent({ targets: [chat(), webhook(), email('a@example.org', 'b@example.org')] }));
  const [gone, hook, mail] = body.targets;
  await givenTold(api, org, gone?.id ?? '', ['waiting']);
  await givenTold(api, org, hook?.id ?? '', ['waiting']);
  const targets = [email('B@example.org', 'a@example.org'), webhook(), chat('https://chat.example.org/other')];
  const { body: after } = await put(sent({ targets }));
  expect(after.targets.map(({ id }) => id)).toEqual([mail?.id, hook?.id, expect.any(String)]);
  expect(after.targets[0]).toMatchObject({ emails: ['B@example.org', 'a@example.org'] });
  expect(after.targets[2]?.id).not.toBe(gone?.id);
  expect(await toldTo(api, org, gone?.id ?? '')).toMatchObject([{ state: 'dropped' }]);
  expect(await toldTo(api, org, hook?.id ?? '')).toMatchObject([{ state: 'waiting' }]);
  expect((await targetState(api, org, hook?.id ?? '')).due_at).not.toBeNull();
});

it('a target takes another context and keeps its record', async () => {
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

it('a target that was given up is used again when it is put again, and that is recorded', async () => {
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

it('how it goes is told of each target, and of all together', async () => {
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

it('putting keeps secrets out of the journal and readable to nobody in the database', async () => {
  await put(
    sent({ targets: [chat('https://chat.example.org/secret-path'), webhook('https://h.example.org/other-path')] }),
  );
  const stored = await api.db.selectFrom('notification_target').selectAll().where('org_id', '=', org.id).execute();
  expect(stored).toHaveLength(2);
  const told = JSON.stringify([stored, await api.journal(org)]);
  for (const secret of ['secret-path', 'other-path', 'whsec_']) expect(told).not.toContain(secret);
});

it('a URL is saved at once and without a question to a resolver, wherever its name leads', async () => {
  const asked: string[] = [];
  const observer = new PerformanceObserver((seen) => {
    for (const entry of seen.getEntries()) asked.push(JSON.stringify(entry));
  });
  observer.observe({ entryTypes: ['dns', 'net'] });
  const hosts = ['does-not-resolve.example.com', 'slow.example.net', 'chat.internal'];
  const started = performance.now();
  for (const host of hosts) {
    expect(
      (await put(sent({ name: host, targets: [chat(`https://${host}/`), webhook(`https://${host}/`)] }))).status,
    ).toBe(201);
  }
  expect(performance.now() - started).toBeLessThan(5_000);
  // The observer would have seen it.
  await dns.lookup('localhost');
  await expect.poll(() => asked.join()).toContain('localhost');
  observer.disconnect();
  for (const host of hosts) expect(asked.join()).not.toContain(host);
});

it('says what the operator has to do where no URL can be kept', async () => {
  const bare = buildApi({ ...api.app, secretBox: undefined }, api.listeners);
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
  const strict = buildApi({ ...api.app, outboundNetworks: [] }, api.listeners);
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
