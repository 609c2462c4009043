import {
  type Action,
  archiveEnvironment,
  archiveFlow,
  deleteAction,
  deleteEnvironmentNotification,
  type EnvironmentNotification,
  getAction,
  getEnvironmentNotification,
  listActions,
  listEnvironmentNotifications,
  NOTIFICATIONS_MAX,
  putEnvironmentAction,
  putEnvironmentNotification,
  putFlow,
  putFlowAction,
  type Role,
  renameEnvironment,
  renameFlow,
  roles,
  type TargetInput,
  updateEnvironmentNotification,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import {
  chat,
  email,
  givenFlowNotification,
  givenMessage,
  givenTargetState,
  sentTo,
  targetState,
  webhook,
} from '../../../../test/given/notifications.ts';
import { startApi, type TestOrg } from '../../../../test/harness.ts';

const api = await startApi();
const strangers = await api.givenOrg('strangers');
let count = 0;
let org: TestOrg = api.org;

/** Each test has an org of its own, as numbers are given per org. */
beforeEach(async () => {
  org = await api.givenOrg(`notified-${++count}`);
  await givenEnvironment(api, 'prod', 'server', {}, org);
  await givenEnvironment(api, 'test', 'server', {}, org);
});

interface Sent {
  readonly name: string;
  readonly environments: string[];
  readonly triggers: EnvironmentNotification['triggers'];
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
const put = (body: unknown = sent(), role: Role = 'admin') =>
  api.call(putEnvironmentNotification, { ...asRole(role), body: body as Sent });
const update = (number: number, body: unknown, role: Role = 'admin') =>
  api.call(updateEnvironmentNotification, { ...asRole(role, { number: String(number) }), body: body as Sent });
const get = (number: number, role: Role = 'admin') =>
  api.call(getEnvironmentNotification, asRole(role, { number: String(number) }));
const list = (role: Role = 'admin') => api.call(listEnvironmentNotifications, asRole(role));
const remove = (number: number, role: Role = 'admin') =>
  api.call(deleteEnvironmentNotification, asRole(role, { number: String(number) }));
const entries = async () => (await api.journal(org)).filter(({ type }) => type.startsWith('notification.'));
const entryTypes = async () => (await entries()).map(({ type, subject_seq }) => [type, subject_seq]);
const errorsOf = ({ body }: { body: unknown }) => (body as { errors: unknown }).errors;
const now = () => api.clock.now.getTime() / 1000;

describe('putting a notification', () => {
  it('creates it, shows it, and changes nothing when it is put again', async () => {
    const context = { channel_id: 'C1', channel_name: 'alerts', team_id: 'T1' };
    const body = sent({
      environments: ['test', 'prod'],
      triggers: ['ON_COMPLIANT_ENV', 'ON_STARTED_ARTIFACT', 'ON_COMPLIANT_ENV'],
      targets: [{ ...chat(), type: 'SLACK', context }, webhook('https://hooks.example.org:8443/x'), email()],
    });
    const created = await put(body);
    expect(created.status).toBe(201);
    const health = {
      last_success_at: null,
      last_failure_at: null,
      last_error: null,
      disabled_at: null,
      disabled_because: null,
    };
    const id = expect.any(String) as string;
    expect(created.body).toEqual({
      name: 'alerts',
      number: 1,
      type: 'env',
      environments: ['test', 'prod'],
      triggers: ['ON_COMPLIANT_ENV', 'ON_STARTED_ARTIFACT'],
      targets: [
        { type: 'CHAT', webhook: 'https://chat.example.org/hook/token', context, id, ...health },
        { type: 'WEBHOOK', webhook: 'https://hooks.example.org:8443/x', payload_version: '1.0', id, ...health },
        {
          type: 'EMAIL',
          emails: ['ops@example.org'],
          unsubscribed: [],
          unconfirmed: ['ops@example.org'],
          id,
          ...health,
        },
      ],
      created_at: now(),
      created_by: `${org.name}-admin`,
      last_modified_at: now(),
      last_success_timestamp: null,
      last_failure_timestamp: null,
      is_failing: false,
      is_created_from_chat_app: false,
      is_created_from_slack_app: false,
    });
    expect(await get(1)).toMatchObject({ status: 200, body: created.body });
    expect((await list()).body).toEqual([created.body]);
    api.clock.now = new Date(api.clock.now.getTime() + 1000);
    expect(await put(body)).toMatchObject({ status: 200, body: created.body });
    expect(await put({ ...created.body, ...body })).toMatchObject({ status: 200, body: created.body });
    expect(await entries()).toEqual([
      {
        type: 'notification.created',
        subject_seq: 1,
        actor: `${org.name}-admin`,
        payload: {
          number: 1,
          type: 'env',
          name: 'alerts',
          scopes: [
            { id, name: 'test' },
            { id, name: 'prod' },
          ],
          triggers: ['ON_COMPLIANT_ENV', 'ON_STARTED_ARTIFACT'],
          targets: [
            { id, type: 'CHAT', host: 'chat.example.org', emails: [] },
            { id, type: 'WEBHOOK', host: 'hooks.example.org:8443', emails: [] },
            { id, type: 'EMAIL', host: null, emails: ['ops@example.org'] },
          ],
        },
      },
    ]);
  });

  it('changes the one with that name, and accepts what it returned before', async () => {
    const { body: first } = await put(sent({ targets: [webhook(), email()] }));
    api.clock.now = new Date(api.clock.now.getTime() + 1000);
    const { status, body } = await put(sent({ environments: ['test'], triggers: ['ON_COMPLIANT_ENV'] }));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      number: 1,
      environments: ['test'],
      triggers: ['ON_COMPLIANT_ENV'],
      created_at: first.created_at,
      last_modified_at: now(),
    });
    expect(body.targets).toEqual(first.targets.slice(0, 1));
    expect(await put(sent({ environments: ['test'], triggers: body.triggers, targets: [webhook()] }))).toMatchObject({
      body: { targets: body.targets },
    });
    expect(await entryTypes()).toEqual([
      ['notification.created', 1],
      ['notification.updated', 2],
    ]);
  });

  it('accepts what it returned, and changes nothing', async () => {
    const { body } = await put(sent({ targets: [chat(), webhook(), email()] }));
    const state = { last_success_at: new Date(5000), last_failure_at: new Date(6000), failures: 1, last_error: 'no' };
    for (const { id } of body.targets) await givenTargetState(api, org, id, state);
    const { body: read } = await get(1);
    expect(read).toMatchObject({ is_failing: true, targets: [{ last_error: 'no' }, {}, {}] });
    expect(await put(read)).toMatchObject({ status: 200, body: read });
    expect(await update(1, read)).toMatchObject({ status: 200, body: read });
    expect(await entryTypes()).toEqual([['notification.created', 1]]);
  });

  it('refuses URLs that are masked for those who may not change them', async () => {
    const { body } = await put(sent({ targets: [chat(), webhook()] }));
    const { body: masked } = await get(1, 'reader');
    const shown = 'is shown without its secret part: send the complete URL';
    const refused = await update(1, masked, 'member');
    expect(refused.status).toBe(400);
    expect(errorsOf(refused)).toEqual({ 'targets.0.webhook': shown, 'targets.1.webhook': shown });
    expect((await get(1)).body).toEqual(body);
    expect(await entryTypes()).toEqual([['notification.created', 1]]);
  });

  it('works the same under its other path', async () => {
    const created = await api.call(putEnvironmentAction, { ...asRole('member'), body: sent() });
    expect(created).toMatchObject({ status: 201, body: { number: 1, type: 'env' } });
    expect(await put()).toMatchObject({ status: 200, body: created.body });
    expect((await api.call(putEnvironmentAction, { ...asRole('reader'), body: sent() })).status).toBe(403);
    const there = { params: { org: org.name }, key: strangers.keys.admin, body: sent() };
    expect((await api.call(putEnvironmentAction, there)).status).toBe(403);
  });

  it.each<[object, object]>([
    [{ name: undefined }, { name: 'is required' }],
    [{ name: '  ' }, { name: 'must not be empty' }],
    [{ name: 'a\u0000b' }, { name: 'must not contain U+0000 or invalid Unicode characters' }],
    [{ type: 'flow' }, { type: 'must be env' }],
    [{ environments: [] }, { environments: 'must have at least 1 item' }],
    [{ triggers: ['ON_STARTED_TRAIL'] }, { 'triggers.0': expect.stringContaining('must be one of') }],
    [{ triggers: [] }, { triggers: 'must have at least 1 item' }],
    [{ targets: [] }, { targets: 'must have at least 1 item' }],
    [{ targets: [{ webhook: 'http://hooks.example.org/' }] }, { 'targets.0.webhook': 'must begin with https://' }],
    [{ targets: [{ webhook: 'https://hooks.example.org/' }] }, { 'targets.0.type': expect.any(String) }],
    [{ targets: [webhook('https://10.0.0.1/')] }, { 'targets.0.webhook': expect.stringContaining('cannot be called') }],
    [{ targets: [email(), { type: 'EMAIL' }] }, { 'targets.1.emails': 'is required for EMAIL' }],
    ...[
      'no address',
      'a@example.org, b@example.org',
      'a@example.org\nBcc: b@example.org',
      'a\r\n@example.org',
      'Ada <a@example.org>',
      '"a b"@example.org',
      'a(comment)@example.org',
      'a\u202e@example.org',
      'a@localhost',
      'a@exämple.org',
    ].map(
      (address) =>
        [{ targets: [email(address)] }, { 'targets.0.emails.0': 'must be an email address' }] satisfies [
          object,
          object,
        ],
    ),
    [{ targets: [webhook(), webhook()] }, { 'targets.1.webhook': 'is the same as in targets.0' }],
    [{ colour: 'red' }, { colour: 'is unknown' }],
  ])('refuses %j and names the field', async (more, errors) => {
    const answer = await put({ ...sent(), ...more });
    expect(answer.status).toBe(400);
    expect(errorsOf(answer)).toEqual(errors);
    expect(await entries()).toEqual([]);
    expect((await list()).body).toEqual([]);
  });

  it('finds no environment that does not exist or is archived', async () => {
    await api.call(archiveEnvironment, asRole('admin', { env_name: 'test' }));
    for (const name of ['nowhere', 'test']) {
      expect(await put(sent({ environments: ['prod', name] }))).toMatchObject({
        status: 404,
        body: { message: `Environment '${name}' does not exist in this org` },
      });
    }
    await givenEnvironment(api, 'theirs', 'server', {}, strangers);
    expect((await put(sent({ environments: ['theirs'] }))).status).toBe(404);
    expect(await entries()).toEqual([]);
  });

  it('finds environments by former names, and returns their current names', async () => {
    await api.call(renameEnvironment, { ...asRole('admin', { env_name: 'prod' }), body: { new_name: 'live' } });
    const { body } = await put(sent({ environments: ['prod', 'live', 'test'] }));
    expect(body.environments).toEqual(['live', 'test']);
    await api.call(renameEnvironment, { ...asRole('admin', { env_name: 'live' }), body: { new_name: 'world' } });
    expect((await get(1)).body.environments).toEqual(['world', 'test']);
    await api.call(archiveEnvironment, asRole('admin', { env_name: 'test' }));
    expect((await get(1)).body.environments).toEqual(['world']);
    expect((await put(sent({ environments: ['world'] }))).status).toBe(200);
    expect(await entryTypes()).toEqual([['notification.created', 1]]);
  });

  it('is for members', async () => {
    for (const role of roles) {
      const isAllowed = role === 'member' || role === 'admin';
      expect((await put(sent({ name: `by-${role}` }), role)).status, role).toBe(isAllowed ? 201 : 403);
    }
    expect((await list()).body.map(({ created_by }) => created_by)).toEqual(['member', `${org.name}-admin`]);
  });

  it('is not accessible to other orgs', async () => {
    await put();
    const key = strangers.keys.admin;
    const params = { org: org.name, number: '1' };
    const answers = [
      await api.call(putEnvironmentNotification, { params, key, body: sent() }),
      await api.call(updateEnvironmentNotification, { params, key, body: sent() }),
      await api.call(deleteEnvironmentNotification, { params, key }),
      await api.call(getEnvironmentNotification, { params, key }),
      await api.call(putFlowAction, { params, key, body: { ...sent(), flows: ['x'] } as never }),
      await api.call(deleteAction, { params, key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(Array.from(answers, () => 403));
    const own = { params: { org: strangers.name, number: '1' }, key };
    expect((await api.call(getEnvironmentNotification, own)).status).toBe(404);
    expect((await api.call(deleteAction, own)).status).toBe(404);
  });
});

describe('racing', () => {
  it('creates once when identical requests race', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => put(sent({ targets: [webhook(), email()] }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await entryTypes()).toEqual([['notification.created', 1]]);
  });

  it('gives each its own number without a gap when different requests race', async () => {
    const puts = Array.from({ length: 16 }, (_, i) => put(sent({ name: `n-${i}`, environments: ['prod', 'test'] })));
    const refused = Array.from({ length: 8 }, (_, i) => put(sent({ name: `bad-${i}`, targets: [{ type: 'CHAT' }] })));
    const answers = await Promise.all([...puts, ...refused]);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(8);
    const numbers = answers.filter(({ status }) => status === 201).map(({ body }) => body.number);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
    expect((await list()).body.map(({ number }) => number)).toEqual(numbers);
  });

  it('counts the entries about one without gaps when different changes race', async () => {
    await put();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => put(sent({ targets: [webhook(`https://hooks.example.org/${i}`)] }))),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect((await entryTypes()).map(([, seq]) => seq)).toEqual(Array.from({ length: 13 }, (_, i) => i + 1));
    expect((await get(1)).body.targets).toHaveLength(1);
  });

  it('deletes once', async () => {
    await put();
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(1)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
    expect(await entryTypes()).toEqual([
      ['notification.created', 1],
      ['notification.deleted', 2],
    ]);
  });

  it('renames only one of two to the same name', async () => {
    await put(sent({ name: 'a' }));
    await put(sent({ name: 'b' }));
    const answers = await Promise.all([update(1, sent({ name: 'c' })), update(2, sent({ name: 'c' }))]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await list()).body.filter(({ name }) => name === 'c')).toHaveLength(1);
  });
});

describe('changing a notification by its number', () => {
  it('changes all of it, including its name', async () => {
    const { body: before } = await put();
    const changed = await update(1, sent({ name: 'renamed', environments: ['test'] }), 'member');
    expect(changed).toMatchObject({
      status: 200,
      body: { number: 1, name: 'renamed', environments: ['test'], targets: before.targets },
    });
    expect((await get(1)).body).toEqual(changed.body);
    expect((await update(1, sent({ name: 'renamed', environments: ['test'] }))).body).toEqual(changed.body);
    expect((await entries()).map(({ type, payload }) => [type, (payload as { name: string }).name])).toEqual([
      ['notification.created', 'alerts'],
      ['notification.updated', 'renamed'],
    ]);
    expect(await put()).toMatchObject({ status: 201, body: { number: 2 } });
  });

  it('refuses the name of another one', async () => {
    await put();
    await put(sent({ name: 'others' }));
    const answer = await update(2, sent({ environments: ['test'] }));
    expect(answer).toMatchObject({ status: 400 });
    expect(errorsOf(answer)).toEqual({ name: "is taken: an environment notification 'alerts' already exists" });
    expect((await get(2)).body).toMatchObject({ name: 'others', environments: ['prod'] });
  });

  it('finds none that does not exist, is deleted, or is of the other kind', async () => {
    const flow = `flow-${count}`;
    await givenOwnFlow(flow);
    await givenFlowNotification(api, 'flows', [flow], {}, org);
    await put();
    await remove(2);
    for (const number of [1, 2, 3]) {
      const message = `Environment notification '${number}' does not exist in this org`;
      for (const answer of [await update(number, sent({ name: 'x' })), await get(number), await remove(number)]) {
        expect(answer).toMatchObject({ status: 404, body: { message } });
      }
    }
  });

  it('finds no environment that does not exist, and refuses invalid targets', async () => {
    await put();
    expect((await update(1, sent({ environments: ['nowhere'] }))).status).toBe(404);
    expect((await update(1, sent({ targets: [{ type: 'CHAT' }] }))).status).toBe(400);
    expect((await update(1, { ...sent(), name: 7 })).status).toBe(400);
    expect(await entryTypes()).toEqual([['notification.created', 1]]);
  });

  it('is for members', async () => {
    await put();
    expect((await update(1, sent({ name: 'x' }), 'reader')).status).toBe(403);
    expect((await update(1, sent({ name: 'x' }), 'snapshotter')).status).toBe(403);
  });
});

async function givenOwnFlow(name: string): Promise<void> {
  await api.call(putFlow, { ...asRole(), body: { name } });
}

describe('deleting a notification', () => {
  it('drops what waits for its targets, and never reuses the number', async () => {
    const { body } = await put(sent({ targets: [webhook(), chat()] }));
    const [first, second] = body.targets.map(({ id }) => id) as [string, string];
    await givenMessage(api, org, first, ['delivered', 'waiting', 'failed', 'waiting']);
    await givenMessage(api, org, second, ['waiting']);
    expect(await remove(1, 'member')).toMatchObject({ status: 200, body: "Notification 'alerts' deleted" });
    expect((await sentTo(api, org, first)).map(({ state }) => state)).toEqual([
      'delivered',
      'dropped',
      'failed',
      'dropped',
    ]);
    expect(await sentTo(api, org, second)).toEqual([{ state: 'dropped', ended_at: api.clock.now }]);
    expect((await targetState(api, org, first)).due_at).toBeNull();
    expect((await remove(1)).status).toBe(404);
    expect((await list()).body).toEqual([]);
    expect(await put()).toMatchObject({ status: 201, body: { number: 2 } });
    expect((await entries())[1]).toMatchObject({
      type: 'notification.deleted',
      subject_seq: 2,
      payload: { number: 1, type: 'env', name: 'alerts' },
      actor: 'member',
    });
  });

  it('is for members', async () => {
    await put();
    expect((await remove(1, 'reader')).status).toBe(403);
    expect((await remove(1, 'snapshotter')).status).toBe(403);
    expect(await api.call(deleteAction, asRole('reader', { number: '1' }))).toMatchObject({ status: 403 });
    expect((await get(1)).status).toBe(200);
  });
});

describe('flow notifications', () => {
  const putForFlows = (body: object, role: Role = 'member') =>
    api.call(putFlowAction, { ...asRole(role), body: body as never });
  const flowBody = (more: object = {}) => ({
    name: 'alerts',
    flows: ['web'],
    triggers: ['ON_STARTED_TRAIL', 'ON_ATTESTATION'],
    targets: [chat()],
    ...more,
  });
  beforeEach(() => givenOwnFlow('web'));

  it('share numbers with the others, but not names', async () => {
    await put();
    const created = await putForFlows(flowBody());
    expect(created).toMatchObject({
      status: 201,
      body: {
        number: 2,
        type: 'flow',
        name: 'alerts',
        flows: ['web'],
        triggers: ['ON_STARTED_TRAIL', 'ON_ATTESTATION'],
        created_by: 'member',
      },
    });
    expect(await putForFlows(flowBody())).toMatchObject({ status: 200, body: created.body });
    expect(await putForFlows(created.body as never)).toMatchObject({ status: 200, body: created.body });
    const actions = (await api.call(listActions, asRole('reader'))).body;
    expect(actions.map(({ number, type }) => [number, type])).toEqual([
      [1, 'env'],
      [2, 'flow'],
    ]);
    expect((await list()).body.map(({ number }) => number)).toEqual([1]);
    const action = (number: number) => api.call(getAction, asRole('member', { number: String(number) }));
    expect((await action(2)).body).toEqual(created.body);
    expect((await action(1)).body).toMatchObject({ type: 'env', environments: ['prod'] } satisfies Partial<Action>);
    expect(await action(3)).toMatchObject({
      status: 404,
      body: { message: "Notification '3' does not exist in this org" },
    });
    expect((await entries()).map(({ payload }) => (payload as { type: string }).type)).toEqual(['env', 'flow']);
  });

  it('are changed, renamed flows included, and deleted', async () => {
    await putForFlows(flowBody());
    await givenOwnFlow('api');
    await api.call(renameFlow, { ...asRole('admin', { flow_name: 'web' }), body: { new_name: 'site' } });
    expect(await putForFlows(flowBody({ flows: ['web', 'api'] }))).toMatchObject({
      status: 200,
      body: { flows: ['site', 'api'] },
    });
    await api.call(archiveFlow, asRole('admin', { flow_name: 'api' }));
    expect((await putForFlows(flowBody({ flows: ['site'] }))).body).toMatchObject({ flows: ['site'] });
    expect(await putForFlows(flowBody({ flows: ['api'] }))).toMatchObject({
      status: 404,
      body: { message: "Flow 'api' does not exist in this org" },
    });
    expect((await remove(1)).status).toBe(404);
    const deleted = () => api.call(deleteAction, asRole('member', { number: '1' }));
    expect(await deleted()).toMatchObject({ status: 200, body: "Notification 'alerts' deleted" });
    expect((await deleted()).status).toBe(404);
    expect(await entryTypes()).toEqual([
      ['notification.created', 1],
      ['notification.updated', 2],
      ['notification.deleted', 3],
    ]);
  });

  it('are refused when something is invalid', async () => {
    expect(errorsOf(await putForFlows(flowBody({ triggers: ['ON_COMPLIANT_ENV'] })))).toHaveProperty(['triggers.0']);
    expect(errorsOf(await putForFlows(flowBody({ flows: [] })))).toHaveProperty('flows');
    expect(errorsOf(await putForFlows(flowBody({ targets: [{}] })))).toHaveProperty(['targets.0.type']);
    expect((await putForFlows(flowBody(), 'snapshotter')).status).toBe(403);
    expect((await putForFlows(flowBody(), 'reader')).status).toBe(403);
    expect(await entries()).toEqual([]);
  });

  it('are created once when identical requests race', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => putForFlows(flowBody())));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(await entryTypes()).toEqual([['notification.created', 1]]);
    const removals = await Promise.all(
      Array.from({ length: 4 }, () => api.call(deleteAction, asRole('admin', { number: '1' }))),
    );
    expect(removals.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  });
});

it('the number of notifications is limited', async () => {
  const { body } = await put();
  await sql`
    insert into notification (org_id, id, number, kind, name, triggers, created_at, created_by, last_modified_at)
    select org_id, gen_random_uuid(), number + n, kind, name || n, triggers, created_at, created_by, last_modified_at
    from notification, generate_series(1, ${NOTIFICATIONS_MAX - 1}::int) as n
    where org_id = ${org.id} and number = ${body.number}`.execute(api.db);
  const answer = await put(sent({ name: 'another' }));
  expect(answer.status).toBe(400);
  expect(errorsOf(answer)).toEqual({
    name: 'would be one too many: the org already has 1000 notifications, which is the maximum',
  });
  expect((await put()).status).toBe(200);
  expect((await list()).body).toHaveLength(NOTIFICATIONS_MAX);
  expect((await remove(NOTIFICATIONS_MAX)).status).toBe(200);
  expect(await put(sent({ name: 'another' }))).toMatchObject({ status: 201, body: { number: NOTIFICATIONS_MAX + 1 } });
});
