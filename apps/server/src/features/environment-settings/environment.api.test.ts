import {
  archiveEnvironment,
  getEnvironment,
  joinEnvironment,
  listEnvironments,
  patchEnvironment,
  patchTags,
  putEnvironment,
  type Role,
  renameEnvironment,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { environmentOf, givenEnvironment, givenHeartbeat } from '../../../test/given/environments.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
const foreign = await api.givenOrg('foreign');
let name = '';
let count = 0;
beforeEach(() => {
  name = `env-${++count}`;
});

const put = (body: object, key = api.org.keys.member) =>
  api.call(putEnvironment, { body: { name, type: 'server', ...body } as never, key });
const patch = (body: object, env_name = name, key = api.org.keys.member) =>
  api.call(patchEnvironment, { params: { env_name }, body: body as never, key });
const rename = (env_name: string, new_name: string) =>
  api.call(renameEnvironment, { params: { env_name }, body: { new_name } });
const archive = (env_name: string) => api.call(archiveEnvironment, { params: { env_name } });
const join = (env_name: string, physical_env_name: string) =>
  api.call(joinEnvironment, { params: { env_name }, body: { physical_env_name } });
const read = async (env_name: string) => (await api.call(getEnvironment, { params: { env_name } })).status;

/** The journal entries about an environment, with its own counter, in the order of the journal. */
async function entriesOf(id: string) {
  const rows = await api.db
    .selectFrom('journal')
    .select(['type', 'subject_seq', 'payload'])
    .where('org_id', '=', api.org.id)
    .where('subject_kind', '=', 'environment')
    .where('subject_id', '=', id)
    .orderBy('seq')
    .execute();
  return rows.map((row) => [row.type.replace('environment.', ''), row.subject_seq, JSON.parse(row.payload ?? 'null')]);
}
const entries = async (env_name = name) => entriesOf((await environmentOf(api, env_name)).id);
const types = async (env_name = name) => (await entries(env_name)).map(([type]) => type);
const mentions = async (env_name: string) =>
  (await api.journal())
    .filter((entry) => JSON.stringify(entry.payload).includes(`"${env_name}"`))
    .map((entry) => entry.type.replace('environment.', ''));

const missing = (env_name: string) => ({
  status: 404,
  body: { message: `Environment '${env_name}' does not exist in this org` },
});

describe('putting an environment', () => {
  it('creates, then changes only what is sent, then changes nothing', async () => {
    const created = await put({ type: 'K8S', description: 'the shop', expected_report_interval_s: 600 });
    expect(created).toMatchObject({ status: 201, body: `Environment '${name}' created` });
    const updated = await put({ type: 'K8S', include_scaling: true, description: null, policies: null });
    expect(updated).toMatchObject({ status: 201, body: `Environment '${name}' updated` });
    const repeat = await put({ type: 'K8S', include_scaling: true, description: 'the shop', policies: [] });
    expect(repeat).toMatchObject({ status: 201, body: `Environment '${name}' unchanged` });

    const now = api.clock.now.getTime() / 1000;
    expect(await environmentOf(api, name)).toEqual({
      id: expect.any(String),
      org: 'acme',
      name,
      type: 'K8S',
      description: 'the shop',
      state: null,
      compliance: 'unknown',
      include_scaling: true,
      require_provenance: false,
      expected_report_interval_s: 600,
      policies: [],
      included_environments: [],
      tags: {},
      latest_snapshot_index: 0,
      last_reported_at: null,
      last_changed_at: null,
      stale: false,
      stale_since: null,
      created_at: now,
      created_by: 'member',
      last_modified_at: now,
      html_url: `http://waymark.test/acme/environments/${name}`,
    });
    expect(await entries()).toEqual([
      [
        'created',
        1,
        {
          name,
          type: 'K8S',
          description: 'the shop',
          include_scaling: false,
          require_provenance: false,
          expected_report_interval_s: 600,
        },
      ],
      ['updated', 2, { name, include_scaling: true }],
    ]);
  });

  it('keeps the description when an empty one is sent, as clients always send one', async () => {
    await put({ description: 'kept' });
    expect((await put({ description: '' })).body).toBe(`Environment '${name}' unchanged`);
    expect(await environmentOf(api, name)).toMatchObject({ description: 'kept' });
  });

  it('refuses another type and names both, but accepts either name of one kind', async () => {
    await put({ type: 'docker' });
    expect(await put({ type: 'K8S' })).toMatchObject({
      status: 400,
      body: { errors: { type: `cannot be changed: '${name}' is of type docker, not K8S` } },
    });
    await givenEnvironment(api, `${name}-apps`, 'azure-apps');
    const repeat = await put({ name: `${name}-apps`, type: 'cloudx-apps' });
    expect(repeat).toMatchObject({ status: 201, body: `Environment '${name}-apps' unchanged` });
    expect(await environmentOf(api, `${name}-apps`)).toMatchObject({ type: 'azure-apps' });
    expect(await types()).toEqual(['created']);
  });

  it.each([
    [{ name: undefined }, { name: 'is required' }],
    [{ name: 'a~b' }, { name: 'must start with a letter or digit and contain only letters, digits, and . - _' }],
    [{ name: 'a'.repeat(256) }, { name: 'must be at most 255 characters long' }],
    [{ type: undefined }, { type: 'is required' }],
    [{ type: 'k8s' }, { type: expect.stringMatching(/^must be one of K8S, /) }],
    [{ colour: 'red' }, { colour: 'is unknown' }],
    [{ description: 7 }, { description: 'must be text' }],
    [{ expected_report_interval_s: 0 }, { expected_report_interval_s: 'must be at least 30' }],
    [
      { included_environments: ['x'] },
      { included_environments: 'is for logical environments; this one is of type server' },
    ],
    [
      { type: 'logical', policies: ['p'] },
      { policies: 'must be empty: the verdict of a logical environment follows from its members' },
    ],
    [
      { type: 'logical', expected_report_interval_s: 60 },
      { expected_report_interval_s: 'is for physical environments: a logical one receives no reports' },
    ],
  ])('refuses %j and names the field', async (body, errors) => {
    expect(await put(body)).toMatchObject({ status: 400, body: { errors } });
    expect(await read(name)).toBe(404);
  });

  it('refuses policies that do not exist', async () => {
    const message = "Policy 'strict' does not exist in this org";
    expect(await put({ policies: ['strict', 'lax'] })).toMatchObject({ status: 404, body: { message } });
    await put({});
    expect(await patch({ policies: ['strict'] })).toMatchObject({ status: 404, body: { message } });
    expect(await patch({ policies: [] })).toMatchObject({ status: 200, body: `Environment '${name}' unchanged` });
  });

  it.each([
    ['included_environments', []],
    ['policies', []],
    ['expected_report_interval_s', 60],
  ])('lets a snapshotter create, but not send %s', async (field, value) => {
    const key = api.org.keys.snapshotter;
    expect(await put({ [field]: value }, key)).toMatchObject({
      status: 403,
      body: { message: `Sending ${field} requires the member role; yours is snapshotter` },
    });
    expect(await read(name)).toBe(404);
    expect((await put({ [field]: null, description: '', include_scaling: false }, key)).status).toBe(201);
    expect(await environmentOf(api, name)).toMatchObject({ created_by: 'snapshotter' });
  });

  it('creates once when 32 identical requests race', async () => {
    const body = { type: 'ECS', description: 'same', include_scaling: true };
    const answers = await Promise.all(Array.from({ length: 32 }, () => put(body)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]));
    expect(answers.filter((answer) => answer.body === `Environment '${name}' created`)).toHaveLength(1);
    expect(await types()).toEqual(['created']);
  });

  it('is created first and changed in the order of the journal when different requests race', async () => {
    for (let round = 0; round < 10; round++) {
      const contested = `${name}-${round}`;
      await Promise.all(Array.from({ length: 12 }, (_, i) => put({ name: contested, description: `d${i}` })));
      const sequence = (await entries(contested)).map(([, seq]) => seq);
      expect(sequence).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    }
  });

  it('takes over the former name of another environment', async () => {
    await put({ description: 'first' });
    await rename(name, `${name}-moved`);
    expect(await put({ description: 'second', type: 'K8S' })).toMatchObject({ body: `Environment '${name}' created` });
    expect(await environmentOf(api, name)).toMatchObject({ name, description: 'second', type: 'K8S' });
    expect(await environmentOf(api, `${name}-moved`)).toMatchObject({ description: 'first', type: 'server' });
  });
});

describe('patching an environment', () => {
  it('changes what is sent, clears the description with an empty string and records only differences', async () => {
    await put({ description: 'old', require_provenance: true });
    expect(await patch({ description: '', require_provenance: true, expected_report_interval_s: 90 })).toMatchObject({
      status: 200,
      body: `Environment '${name}' updated`,
    });
    expect(await environmentOf(api, name)).toMatchObject({
      description: '',
      require_provenance: true,
      expected_report_interval_s: 90,
    });
    for (const body of [{}, { description: '' }, { description: null, expected_report_interval_s: null }]) {
      expect(await patch(body)).toMatchObject({ status: 200, body: `Environment '${name}' unchanged` });
    }
    expect((await entries()).slice(1)).toEqual([
      ['updated', 2, { name, description: '', expected_report_interval_s: 90 }],
    ]);
  });

  it('unsets the expected interval with 0, once', async () => {
    await put({ expected_report_interval_s: 60 });
    expect(await patch({ expected_report_interval_s: 0 })).toMatchObject({ body: `Environment '${name}' updated` });
    expect(await environmentOf(api, name)).toMatchObject({ expected_report_interval_s: null });
    expect(await patch({ expected_report_interval_s: 0 })).toMatchObject({ body: `Environment '${name}' unchanged` });
    expect((await entries()).slice(1)).toEqual([['updated', 2, { name, expected_report_interval_s: null }]]);
    for (const [expected_report_interval_s, fault] of [
      [29, 'must be at least 30, or 0'],
      [-1, 'must be at least 30, or 0'],
      [31_536_001, 'must be at most 31536000'],
      [30.5, 'must be a whole number'],
      ['60', 'must be a whole number'],
    ]) {
      expect(await patch({ expected_report_interval_s })).toMatchObject({
        status: 400,
        body: { errors: { expected_report_interval_s: fault } },
      });
    }
  });

  it('finds it by a former name', async () => {
    await put({});
    await rename(name, `${name}-b`);
    expect((await patch({ description: 'new' })).status).toBe(200);
    expect(await environmentOf(api, `${name}-b`)).toMatchObject({ description: 'new' });
  });

  it('refuses invalid changes and environments that do not exist', async () => {
    await put({});
    await givenEnvironment(api, `${name}-all`, 'logical');
    expect(await patch({ included_environments: [name] })).toMatchObject({
      status: 400,
      body: { errors: { included_environments: 'is for logical environments; this one is of type server' } },
    });
    expect(await patch({ included_environments: [] })).toMatchObject({ status: 200 });
    expect(await patch({ type: 'K8S' })).toMatchObject({
      status: 400,
      body: { errors: { type: 'is unknown' } },
    });
    expect(await patch({ expected_report_interval_s: 60 }, `${name}-all`)).toMatchObject({
      status: 400,
      body: { errors: { expected_report_interval_s: expect.stringMatching(/^is for physical/) } },
    });
    expect(await patch({ policies: ['p'] }, `${name}-all`)).toMatchObject({
      status: 400,
      body: { errors: { policies: expect.stringMatching(/^must be empty/) } },
    });
    expect(await patch({}, 'nowhere')).toMatchObject(missing('nowhere'));
    expect(await types()).toEqual(['created']);
  });

  it('records once when identical requests race, and every change when different ones do', async () => {
    await put({});
    await Promise.all(Array.from({ length: 16 }, () => patch({ description: 'same' })));
    expect(await types()).toEqual(['created', 'updated']);
    await Promise.all(Array.from({ length: 16 }, (_, i) => patch({ description: `d${i}` })));
    expect((await entries()).map(([, seq]) => seq)).toEqual(Array.from({ length: 18 }, (_, i) => i + 1));
  });
});

describe('a logical environment', () => {
  it('consists of physical ones, without duplicates, by their current names', async () => {
    for (const part of ['b', 'a']) await givenEnvironment(api, `${name}-${part}`);
    await rename(`${name}-a`, `${name}-z`);
    const included_environments = [`${name}-a`, `${name}-b`, `${name}-z`];
    expect((await put({ type: 'logical', included_environments })).status).toBe(201);
    expect(await environmentOf(api, name)).toMatchObject({ included_environments: [`${name}-z`, `${name}-b`] });
    expect((await put({ type: 'logical', included_environments })).body).toBe(`Environment '${name}' unchanged`);
    expect(await entries()).toMatchObject([
      ['created', 1, { type: 'logical' }],
      ['members_changed', 2, { name, added: [{ name: `${name}-z` }, { name: `${name}-b` }], removed: [] }],
    ]);
  });

  it('gets other members by PUT and PATCH, and keeps them when none are sent', async () => {
    for (const part of ['a', 'b', 'c']) await givenEnvironment(api, `${name}-${part}`);
    await put({ type: 'logical', included_environments: [`${name}-a`, `${name}-b`] });
    await put({ type: 'logical' });
    await put({ type: 'logical', description: 'all', included_environments: [`${name}-b`, `${name}-c`] });
    expect(await environmentOf(api, name)).toMatchObject({ included_environments: [`${name}-b`, `${name}-c`] });
    expect((await patch({ included_environments: [] })).status).toBe(200);
    expect(await environmentOf(api, name)).toMatchObject({ included_environments: [], state: null });
    expect((await entries()).slice(2)).toMatchObject([
      ['updated', 3, { name, description: 'all' }],
      ['members_changed', 4, { added: [{ name: `${name}-c` }], removed: [{ name: `${name}-a` }] }],
      ['members_changed', 5, { added: [], removed: [{ name: `${name}-b` }, { name: `${name}-c` }] }],
    ]);
  });

  it('keeps the order of its members, and treats another order as a change', async () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((part) => `${name}-${part}`) as [string, string, string, string];
    for (const part of [a, b, c, d]) await givenEnvironment(api, part);
    const included = async () => (await environmentOf(api, name)).included_environments;
    await put({ type: 'logical', included_environments: [c, a, b] });
    expect(await included()).toEqual([c, a, b]);
    expect(await patch({ included_environments: [b, c, a] })).toMatchObject({
      body: `Environment '${name}' updated`,
    });
    expect(await included()).toEqual([b, c, a]);
    expect((await put({ type: 'logical', included_environments: [b, c, a] })).body).toBe(
      `Environment '${name}' unchanged`,
    );
    await patch({ included_environments: [b, a] });
    await join(name, c);
    expect(await included()).toEqual([b, a, c]);
    await patch({ included_environments: [d, b, c] });
    expect(await included()).toEqual([d, b, c]);

    const ids = new Map<string, string>();
    for (const part of [a, b, c, d]) ids.set(part, (await environmentOf(api, part)).id);
    const inOrder = (...names: string[]) => names.map((member) => ids.get(member));
    expect((await entries()).slice(1)).toMatchObject([
      ['members_changed', 2, { added: [{ name: c }, { name: a }, { name: b }], order: null }],
      ['members_changed', 3, { added: [], removed: [], order: inOrder(b, c, a) }],
      ['members_changed', 4, { added: [], removed: [{ name: c }], order: null }],
      ['members_changed', 5, { added: [{ name: c }], removed: [], order: null }],
      ['members_changed', 6, { added: [{ name: d }], removed: [{ name: a }], order: inOrder(d, b, c) }],
    ]);
    const listed = await api.call(listEnvironments, { query: { name, type: ['logical'] } });
    expect(listed.body).toMatchObject([{ name, included_environments: [d, b, c] }]);
  });

  it('ends with one of the given orders when changes of its order race', async () => {
    const parts = ['a', 'b', 'c'].map((part) => `${name}-${part}`);
    for (const part of parts) await givenEnvironment(api, part);
    await put({ type: 'logical', included_environments: parts });
    const orders = [parts, [...parts].reverse(), [parts[1], parts[2], parts[0]]];
    const racing = Array.from({ length: 12 }, (_, i) => patch({ included_environments: orders[i % 3] }));
    expect((await Promise.all(racing)).every((answer) => answer.status === 200)).toBe(true);
    expect(orders).toContainEqual((await environmentOf(api, name)).included_environments);
  });

  it('refuses members that do not exist or are logical, and then writes nothing', async () => {
    await givenEnvironment(api, `${name}-a`);
    await givenEnvironment(api, `${name}-l`, 'logical');
    const including = (...included_environments: string[]) =>
      put({ type: 'logical', description: 'x', included_environments });
    expect(await including(`${name}-a`, 'nowhere')).toMatchObject(missing('nowhere'));
    expect(await including(name)).toMatchObject(missing(name));
    const errors = { included_environments: `names '${name}-l', which is logical; only physical ones can be included` };
    expect(await including(`${name}-a`, `${name}-l`)).toMatchObject({ status: 400, body: { errors } });
    expect(await read(name)).toBe(404);
    expect(await patch({ included_environments: ['nowhere'] }, `${name}-l`)).toMatchObject(missing('nowhere'));
    expect(await patch({ included_environments: [`${name}-l`] }, `${name}-l`)).toMatchObject({ status: 400 });
  });

  it('is joined once, however often and by however many at once', async () => {
    for (const part of ['a', 'b', 'c', 'd']) await givenEnvironment(api, `${name}-${part}`);
    await put({ type: 'logical' });
    expect(await join(name, `${name}-a`)).toMatchObject({
      status: 200,
      body: `Environment '${name}' now includes '${name}-a'`,
    });
    expect(await join(name, `${name}-a`)).toMatchObject({
      status: 200,
      body: `Environment '${name}' already includes '${name}-a'`,
    });
    const racing = Array.from({ length: 16 }, (_, i) => join(name, `${name}-${['b', 'c', 'd'][i % 3]}`));
    expect((await Promise.all(racing)).every((answer) => answer.status === 200)).toBe(true);
    const all = ['a', 'b', 'c', 'd'].map((part) => `${name}-${part}`);
    const { included_environments } = await environmentOf(api, name);
    expect(included_environments.toSorted()).toEqual(all);
    expect(included_environments[0]).toBe(`${name}-a`);
    expect((await entries()).map(([type, seq]) => [type, seq])).toEqual([
      ['created', 1],
      ...[2, 3, 4, 5].map((seq) => ['members_changed', seq]),
    ]);
  });

  it('refuses to join an invalid environment', async () => {
    await put({});
    for (const part of ['l', 'm']) await givenEnvironment(api, `${name}-${part}`, 'logical');
    expect(await join(name, name)).toMatchObject({
      status: 400,
      body: { errors: { env_name: 'is of type server: only a logical environment can be joined' } },
    });
    expect(await join(`${name}-l`, `${name}-m`)).toMatchObject({
      status: 400,
      body: { errors: { physical_env_name: 'is logical; only physical ones can be included' } },
    });
    expect(await join(`${name}-l`, 'nowhere')).toMatchObject(missing('nowhere'));
    expect(await join('nowhere', name)).toMatchObject(missing('nowhere'));
    expect(await types(`${name}-l`)).toEqual(['created']);
  });

  it('includes a thousand and no more', async () => {
    await sql`
      insert into environment (org_id, id, name, type, description, include_scaling, require_provenance, revision,
        created_at, created_by, last_modified_at)
      select ${api.org.id}, gen_random_uuid(), ${`${name}-`} || i, 'server', '', false, false, 1, now(), 'x', now()
      from generate_series(0, 1000) as i`.execute(api.db);
    await put({ type: 'logical', included_environments: Array.from({ length: 1000 }, (_, i) => `${name}-${i}`) });
    expect(await join(name, `${name}-1000`)).toMatchObject({
      status: 400,
      body: { errors: { env_name: 'already includes 1000 environments, and the maximum is 1000' } },
    });
    expect((await join(name, `${name}-7`)).status).toBe(200);
  });

  it('does not show an archived member, and does not count that as a change', async () => {
    for (const part of ['a', 'b']) await givenEnvironment(api, `${name}-${part}`);
    await put({ type: 'logical', included_environments: [`${name}-a`, `${name}-b`] });
    await archive(`${name}-a`);
    expect(await environmentOf(api, name)).toMatchObject({ included_environments: [`${name}-b`] });
    expect(await patch({ included_environments: [`${name}-b`] })).toMatchObject({
      body: `Environment '${name}' unchanged`,
    });
    expect(await types()).toEqual(['created', 'members_changed']);
  });

  it('has the newest times of its members, and is stale since the first of them is', async () => {
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
    for (const part of ['a', 'b', 'c']) {
      await givenEnvironment(api, `${name}-${part}`, 'server', { expected_report_interval_s: 60 });
    }
    await put({ type: 'logical', included_environments: ['a', 'b', 'c'].map((part) => `${name}-${part}`) });
    await givenHeartbeat(api, `${name}-a`, at(0));
    await givenHeartbeat(api, `${name}-b`, at(100));
    await api.db
      .updateTable('environment')
      .set({ last_changed_at: at(50), snapshot_count: 3 })
      .where('org_id', '=', api.org.id)
      .where('name', '=', `${name}-a`)
      .execute();
    const seconds = at(0).getTime() / 1000;
    const readAt = async (moment: number) => {
      const { now } = api.clock;
      api.clock.now = at(moment);
      const { last_reported_at, last_changed_at, stale, stale_since, latest_snapshot_index } = await environmentOf(
        api,
        name,
      );
      api.clock.now = now;
      return { last_reported_at, last_changed_at, stale, stale_since, latest_snapshot_index };
    };
    const times = { last_reported_at: seconds + 100, last_changed_at: seconds + 50, latest_snapshot_index: 0 };
    expect(await readAt(60)).toEqual({ ...times, stale: false, stale_since: null });
    expect(await readAt(61)).toEqual({ ...times, stale: true, stale_since: seconds + 60 });
    expect(await readAt(1000)).toEqual({ ...times, stale: true, stale_since: seconds + 60 });
    expect(await environmentOf(api, `${name}-a`)).toMatchObject({ latest_snapshot_index: 3 });
    await archive(`${name}-a`);
    expect(await readAt(161)).toMatchObject({ last_changed_at: null, stale: true, stale_since: seconds + 160 });
  });
});

describe('a stale environment', () => {
  it.each([
    ['the interval that was set', { expected_report_interval_s: 30 }, [10, 10], 30],
    ['five minutes, when it has reported once', {}, [], 300],
    ['three times the median of the last intervals', {}, [100, 200, 5000], 600],
    ['five minutes, when reports come faster', {}, [10, 20, 10], 300],
  ])('is stale after %s', async (_, more, intervals, allowed) => {
    const reported = new Date(Date.UTC(2026, 5, 1));
    await givenEnvironment(api, name, 'docker', more);
    await givenHeartbeat(api, name, reported, intervals);
    const { now } = api.clock;
    const end = reported.getTime() + allowed * 1000;
    api.clock.now = new Date(end);
    const calm = await environmentOf(api, name);
    api.clock.now = new Date(end + 1);
    const stale = await environmentOf(api, name);
    api.clock.now = now;
    expect(calm).toMatchObject({ stale: false, stale_since: null, last_reported_at: reported.getTime() / 1000 });
    expect(stale).toMatchObject({ stale: true, stale_since: end / 1000 });
  });
});

describe('renaming an environment', () => {
  it('keeps former names working, and can take one back', async () => {
    await put({});
    expect(await rename(name, `${name}-b`)).toMatchObject({
      status: 200,
      body: `Environment renamed to '${name}-b'`,
    });
    await rename(name, `${name}-c`);
    for (const known of [name, `${name}-b`, `${name}-c`]) {
      expect(await environmentOf(api, known)).toMatchObject({ name: `${name}-c` });
    }
    await rename(`${name}-b`, name);
    for (const known of [name, `${name}-b`, `${name}-c`]) {
      expect(await environmentOf(api, known)).toMatchObject({ name });
    }
    expect(await rename(name, name)).toMatchObject({ status: 200, body: `Environment is already named '${name}'` });
    expect((await entries()).slice(1)).toEqual([
      ['renamed', 2, { from: name, to: `${name}-b` }],
      ['renamed', 3, { from: `${name}-b`, to: `${name}-c` }],
      ['renamed', 4, { from: `${name}-c`, to: name }],
    ]);
  });

  it('refuses a taken and an invalid name, but accepts the former name of another', async () => {
    await put({});
    await givenEnvironment(api, `${name}-b`);
    expect(await rename(name, `${name}-b`)).toMatchObject({
      status: 400,
      body: { errors: { new_name: `is taken: environment '${name}-b' already exists` } },
    });
    expect(await rename(name, 'a~b')).toMatchObject({ status: 400, body: { errors: { new_name: expect.anything() } } });
    expect(await rename('nowhere', 'x')).toMatchObject(missing('nowhere'));
    await rename(`${name}-b`, `${name}-c`);
    expect((await rename(name, `${name}-b`)).status).toBe(200);
    expect(await environmentOf(api, `${name}-b`)).toMatchObject({ name: `${name}-b` });
    expect(await environmentOf(api, `${name}-c`)).toMatchObject({ name: `${name}-c` });
  });

  it('renames once when 32 identical requests race, and one wins when different ones do', async () => {
    await put({});
    const same = await Promise.all(Array.from({ length: 32 }, () => rename(name, `${name}-z`)));
    expect(same.every((answer) => answer.status === 200)).toBe(true);
    expect(await types()).toEqual(['created', 'renamed']);
    for (const part of ['r', 's']) await givenEnvironment(api, `${name}-${part}`);
    const contested = await Promise.all(['r', 's'].map((part) => rename(`${name}-${part}`, `${name}-won`)));
    expect(contested.map((answer) => answer.status).sort()).toEqual([200, 400]);
  });

  it('lets two environments swap names at once without a deadlock', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [`${name}-a${round}`, `${name}-b${round}`];
      for (const each of [a, b]) await givenEnvironment(api, each);
      const answers = await Promise.all([rename(a, b), rename(b, a)]);
      expect(answers.map((answer) => answer.status)).toEqual([400, 400]);
    }
  });

  it('races with a PUT of the former name: in the end each name has one environment', async () => {
    for (let round = 0; round < 10; round++) {
      const old = `${name}-${round}`;
      await put({ name: old, description: 'first' });
      const { id } = await environmentOf(api, old);
      const racing = Array.from({ length: 6 }, (_, i) =>
        i === 3 ? rename(old, `${old}-new`) : put({ name: old, description: 'second' }),
      );
      expect((await Promise.all(racing)).map((answer) => answer.status)).toEqual([201, 201, 201, 200, 201, 201]);
      expect(await environmentOf(api, `${old}-new`)).toMatchObject({ id, name: `${old}-new` });
      const sequence = (await entriesOf(id)).map(([, seq]) => seq);
      expect(sequence).toEqual(sequence.map((_, i) => i + 1));
      const { rows } = await sql<{ names: number; aliases: number }>`
        select (select count(*) from environment where org_id = ${api.org.id} and name = ${old}) as names,
          (select count(*) from environment_alias where org_id = ${api.org.id} and name = ${old}) as aliases`.execute(
        api.db,
      );
      expect((rows[0]?.names ?? 0) + (rows[0]?.aliases ?? 0)).toBe(1);
    }
  });
});

describe('archiving an environment', () => {
  it('hides it, frees its names and retains what was recorded', async () => {
    await put({});
    await rename(name, `${name}-b`);
    expect(await archive(name)).toMatchObject({ status: 200, body: `Environment '${name}' archived` });
    for (const known of [name, `${name}-b`]) {
      expect(await read(known)).toBe(404);
      expect(await archive(known)).toMatchObject(missing(known));
      expect(await patch({}, known)).toMatchObject(missing(known));
    }
    await givenEnvironment(api, `${name}-b`, 'K8S');
    expect(await mentions(`${name}-b`)).toEqual(['renamed', 'archived', 'created']);
  });

  it('accepts the JSON null that clients send as no body, and archives once in a race', async () => {
    await put({});
    const once = () =>
      api.call(archiveEnvironment, {
        params: { env_name: name },
        body: 'null',
        headers: { 'content-type': 'application/json' },
      });
    const answers = await Promise.all(Array.from({ length: 8 }, once));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
    expect(await mentions(name)).toEqual(['created', 'archived']);
  });

  it('races with a PUT of its name: the PUT changes it before or creates another after', async () => {
    for (let round = 0; round < 10; round++) {
      const contested = `${name}-${round}`;
      await put({ name: contested });
      const racing = [
        put({ name: contested, description: 'x' }),
        archive(contested),
        put({ name: contested, description: 'y' }),
      ];
      expect((await Promise.all(racing)).map((answer) => answer.status)).toEqual([201, 200, 201]);
    }
  });
});

describe('tags of an environment', () => {
  const tag = (type: string, set_tags: Record<string, string>, remove_tags: string[] = []) =>
    api.call(patchTags, { params: { type, id: name }, body: { set_tags, remove_tags } });

  it('are set and removed under either name of the environment, and recorded when they differ', async () => {
    await put({});
    expect((await tag('env', { tier: '1', team: 'red' })).status).toBe(200);
    expect((await tag('environments', { tier: '1' }, ['absent'])).status).toBe(200);
    expect(await tag('environment', { tier: '2' }, ['team'])).toMatchObject({
      status: 200,
      body: `Tags of environment '${name}' updated`,
    });
    expect(await environmentOf(api, name)).toMatchObject({ tags: { tier: '2' } });
    expect((await entries()).slice(1)).toEqual([
      ['tagged', 2, { name, set: { tier: '1', team: 'red' }, removed: [] }],
      ['tagged', 3, { name, set: { tier: '2' }, removed: ['team'] }],
    ]);
  });

  it('are recorded in order when they race with other changes', async () => {
    await put({});
    const racing = Array.from({ length: 6 }, (_, i) => [
      tag('env', { [`k${i}`]: 'x' }),
      patch({ description: `d${i}` }),
      rename(name, `${name}-${i}`),
    ]).flat();
    expect((await Promise.all(racing)).every((answer) => answer.status === 200)).toBe(true);
    const sequence = (await entries()).map(([, seq]) => seq);
    expect(sequence).toEqual(Array.from({ length: 19 }, (_, i) => i + 1));
  });

  it('need an environment that exists', async () => {
    expect(await tag('env', { tier: '1' })).toMatchObject(missing(name));
  });
});

describe('permissions', () => {
  const writes = (org: string, key: string) => {
    const params = { org, env_name: name };
    return {
      snapshotter: [() => api.call(putEnvironment, { params, key, body: { name, type: 'server', description: key } })],
      member: [
        () => api.call(patchEnvironment, { params, key, body: { description: 'x' } }),
        () => api.call(renameEnvironment, { params, key, body: { new_name: name } }),
        () =>
          api.call(joinEnvironment, { params: { org, env_name: `${name}-l` }, key, body: { physical_env_name: name } }),
        () => api.call(patchTags, { params: { org, type: 'env', id: name }, key, body: { set_tags: { a: 'b' } } }),
        () => api.call(archiveEnvironment, { params, key }),
      ],
    };
  };

  it.each<[Role, number, number]>([
    ['reader', 403, 403],
    ['snapshotter', 201, 403],
    ['member', 201, 200],
    ['admin', 201, 200],
  ])('a %s puts with %i and changes with %i', async (role, putStatus, changeStatus) => {
    await put({});
    await givenEnvironment(api, `${name}-l`, 'logical');
    const { snapshotter, member } = writes('acme', api.org.keys[role]);
    for (const write of snapshotter) expect((await write()).status).toBe(putStatus);
    for (const write of member) expect((await write()).status).toBe(changeStatus);
  });

  it('another org finds nothing', async () => {
    await put({});
    await givenEnvironment(api, `${name}-l`, 'logical');
    const abroad = writes('acme', foreign.keys.admin);
    for (const write of [...abroad.snapshotter, ...abroad.member]) expect((await write()).status).toBe(403);
    const call = { params: { org: 'foreign', env_name: name }, key: foreign.keys.admin };
    expect((await api.call(getEnvironment, call)).status).toBe(404);
    for (const write of writes('foreign', foreign.keys.admin).member) expect((await write()).status).toBe(404);
    expect(await types()).toEqual(['created']);
  });
});
