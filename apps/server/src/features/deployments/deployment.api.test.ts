import {
  archiveEnvironment,
  type Contract,
  type Deployment,
  getDeployment,
  getDeploymentFrequency,
  joinEnvironment,
  listDeployments,
  listEnvironmentDeployments,
  type Reply,
  renameEnvironment,
  renameFlow,
  roles,
} from '@waymark/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../test/given/environments.ts';
import { commit, fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { givenRunning, reevaluateAll } from '../../../test/given/runs.ts';
import { type Answer, startApi, type TestOrg } from '../../../test/harness.ts';

type Page = Reply<typeof listDeployments>;
type Query = Record<string, string>;

const api = await startApi();
let count = 0;

async function given(...more: Parameters<typeof givenEnvironment> extends [unknown, unknown, ...infer R] ? R : never) {
  const name = `env-${++count}`;
  await givenEnvironment(api, name, ...more);
  return name;
}

function later(seconds: number): number {
  api.clock.now = new Date(api.clock.now.getTime() + seconds * 1000);
  return api.clock.now.getTime() / 1000;
}

async function ask<C extends Contract>(contract: C, params: Query, query: Query = {}): Promise<Reply<C>> {
  const answer = (await api.call(contract, { params, query, key: api.org.keys.reader })) as Answer<Reply<C>>;
  if (answer.status !== 200) throw new Error(`refused: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const ofEnvironment = (env_name: string, query?: Query) => ask(listEnvironmentDeployments, { env_name }, query);
const one = (env_name: string, digits: string, query?: Query) =>
  ask(getDeployment, { env_name, fingerprint: digits }, query);
const startsIn = (page: Page) => page.data.map(({ number, fingerprint: [digit] }) => `${number} ${digit}`);

/** All pages, from one cursor to the next. */
async function allOf(ask: (query: Query) => Promise<Page>, query: Query): Promise<Deployment[]> {
  const found: Deployment[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await ask({ ...query, ...(after !== undefined && { after }) });
    found.push(...page.data);
    after = page.pagination.next;
  }
  return found;
}

const isRefused = (errors: object) => ({ status: 400, body: { errors } });

describe('deployments', () => {
  it('are all starts of an artifact: the first, the next, a roll-back and a restart', async () => {
    const env = await given();
    const started = [later(10)];
    await givenRunning(api, env, { web: 'a', db: 'b' });
    started.push(later(10));
    await givenRunning(api, env, { web: 'c', db: 'b' });
    started.push(later(10));
    await givenRunning(api, env, { web: 'a', db: 'b' });
    started.push(later(10));
    await givenRunning(api, env, { web: 'a' });
    started.push(later(10));
    await givenRunning(api, env, { web: 'a', db: 'b' });
    const page = await ofEnvironment(env);
    expect(startsIn(page).slice(0, 3)).toEqual(['5 b', '3 a', '2 c']);
    expect(startsIn(page).slice(3).sort()).toEqual(['1 a', '1 b']);
    expect(page.pagination).toEqual({ per_page: 20, next: null });
    expect(page.data[1]).toEqual({
      environment: env,
      number: 3,
      fingerprint: fingerprint('a'),
      artifact_name: 'web',
      flow_name: '',
      trail_name: '',
      template_reference_name: null,
      git_commit: '',
      commit_url: '',
      started_at: started[2],
      exited_at: null,
      running: true,
      lead_time_seconds: null,
      replaced: { fingerprint: fingerprint('c'), artifact_name: 'web', git_commit: '', number: 2 },
      html_url: `http://waymark.test/acme/environments/${env}/snapshots/3`,
    });
    expect(page.data[2]).toMatchObject({ started_at: started[1], exited_at: started[2], running: false });
    // A restart replaces nothing.
    expect(page.data[0]).toMatchObject({ running: true, replaced: null });
  });

  it('do not include unidentified artifacts or changed instances', async () => {
    const env = await given('K8S');
    const pod = (podName: string, digests: Record<string, string>) => ({ podName, digests, creationTimestamp: 1 });
    const send = (artifacts: object[]) =>
      api.inject({
        method: 'PUT',
        url: `/api/v2/environments/acme/${env}/report/K8S`,
        headers: { authorization: `Bearer ${api.org.keys.snapshotter}` },
        payload: { artifacts },
      });
    await send([pod('p1', { web: fingerprint('a'), job: '' })]);
    await send([pod('p1', { web: fingerprint('a'), job: '' }), pod('p2', { web: fingerprint('a') })]);
    await send([pod('p1', { web: fingerprint('a') })]);
    expect((await environmentOf(api, env)).latest_snapshot_index).toBe(2);
    expect(startsIn(await ofEnvironment(env))).toEqual(['1 a']);
  });

  it('show provenance, lead time, and what was replaced by its name in the template', async () => {
    const env = await given();
    const flow = `flow-${count}`;
    await givenFlow(api, flow);
    const committed = later(100);
    const info = (digit: string, timestamp: number | null) => ({
      trail_name: `release-${digit}`,
      template_reference_name: 'backend',
      git_commit_info: { sha1: commit(digit), timestamp },
      // Text that PostgreSQL could not hold as JSON.
      user_data: { odd: '\u0000', odder: '\\u0000' },
    });
    await givenArtifact(api, flow, '1', info('1', committed));
    await givenArtifact(api, flow, '2', info('2', committed + 500));
    await givenArtifact(api, flow, '3', info('3', -1e300));
    const started = later(90.5);
    await givenRunning(api, env, { 'web:1': '1' });
    later(9.5);
    await givenRunning(api, env, { 'web:2': '2' });
    await givenRunning(api, env, { 'web:3': '3' });
    expect(await one(env, '11111')).toMatchObject({
      flow_name: flow,
      trail_name: 'release-1',
      template_reference_name: 'backend',
      git_commit: commit('1'),
      commit_url: `https://git.example.com/${commit('1')}`,
      started_at: started,
      lead_time_seconds: 90.5,
      replaced: null,
    });
    expect(await one(env, '22222')).toMatchObject({
      lead_time_seconds: -400,
      replaced: { fingerprint: fingerprint('1'), artifact_name: 'web:1', git_commit: commit('1'), number: 1 },
    });
    expect(await one(env, '33333')).toMatchObject({ lead_time_seconds: null, replaced: { number: 2 } });
  });

  it('get provenance late, and keep their start time', async () => {
    const env = await given();
    const flow = `flow-${count}`;
    const started = later(10);
    await givenRunning(api, env, { web: '4' });
    later(10);
    await givenFlow(api, flow);
    await givenArtifact(api, flow, '4', {
      trail_name: 'late',
      git_commit_info: { sha1: commit('4'), timestamp: started - 7 },
    });
    await reevaluateAll(api, env);
    expect((await environmentOf(api, env)).latest_snapshot_index).toBe(2);
    expect(startsIn(await ofEnvironment(env))).toEqual(['1 4']);
    expect(await one(env, fingerprint('4'))).toMatchObject({
      number: 1,
      flow_name: flow,
      started_at: started,
      lead_time_seconds: 7,
      running: true,
    });
  });

  it('of an archived environment remain in the org, and those of a renamed one have its new name', async () => {
    const org = await api.givenOrg('archivers');
    const asked = { key: org.keys.admin };
    for (const [env, digit] of [
      ['gone', 'a'],
      ['moved', 'b'],
    ] as const) {
      await givenEnvironment(api, env, 'server', {}, org);
      later(1);
      await givenRunning(api, env, { web: digit }, org);
    }
    const params = { org: org.name };
    await api.call(archiveEnvironment, { ...asked, params: { ...params, env_name: 'gone' } });
    await api.call(renameEnvironment, {
      ...asked,
      params: { ...params, env_name: 'moved' },
      body: { new_name: 'arrived' },
    });
    const { body } = (await api.call(listDeployments, { ...asked, params })) as Answer<Page>;
    expect(body.data.map(({ environment, running }) => [environment, running])).toEqual([
      ['arrived', true],
      ['gone', false],
    ]);
    expect(body.data[1]).toMatchObject({ environment: 'gone', exited_at: null });
    const status = async (contract: Contract, env_name: string) =>
      (await api.call(contract, { ...asked, params: { ...params, env_name, fingerprint: 'aaaaa' } })).status;
    expect(await status(listEnvironmentDeployments, 'gone')).toBe(404);
    expect(await status(getDeploymentFrequency, 'gone')).toBe(404);
    expect(await status(getDeployment, 'gone')).toBe(404);
    expect(await status(listEnvironmentDeployments, 'moved')).toBe(200);
  });
});

describe('the lists', () => {
  it('come in pages that neither skip nor repeat, also within a snapshot and a moment', async () => {
    const org = await api.givenOrg('pages');
    const envs = ['one', 'two', 'three'];
    const digest = (n: number) => n.toString(16).padStart(64, '0');
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`app-${i}`, digest(i)]));
    for (const env of envs) {
      await givenEnvironment(api, env, 'server', {}, org);
      await givenRunning(api, env, many, org);
      await givenRunning(api, env, { ...many, 'app-0': digest(100) }, org);
    }
    const call = async (query: Query) =>
      ((await api.call(listDeployments, { params: { org: org.name }, key: org.keys.reader, query })) as Answer<Page>)
        .body;
    const keys = (deployments: Deployment[]) =>
      deployments.map(({ environment, number, artifact_name }) => `${environment} ${number} ${artifact_name}`);
    const whole = keys((await call({ per_page: '100' })).data);
    expect(whole).toHaveLength(3 * 26);
    expect(new Set(whole).size).toBe(3 * 26);
    for (const size of ['1', '7', '26']) expect(keys(await allOf(call, { per_page: size }))).toEqual(whole);
    expect(keys(await allOf(call, { page_size: '7' }))).toEqual(whole);
    const ofOne = async (query: Query) => {
      const params = { org: org.name, env_name: 'two' };
      const answer = await api.call(listEnvironmentDeployments, { params, key: org.keys.reader, query });
      return (answer as Answer<Page>).body;
    };
    expect(keys(await allOf(ofOne, { per_page: '4' }))).toEqual(whole.filter((key) => key.startsWith('two ')));
  });

  it('hold starts within a period, including its ends', async () => {
    const env = await given();
    const times: number[] = [];
    for (const digit of 'abcd') {
      times.push(later(5.123));
      await givenRunning(api, env, { web: digit });
    }
    const [, second = 0, third = 0] = times;
    const within = async (query: Query) => startsIn(await ofEnvironment(env, query));
    expect(await within({ from: String(second), to: String(third) })).toEqual(['3 c', '2 b']);
    expect(await within({ from: String(third) })).toEqual(['4 d', '3 c']);
    expect(await within({ to: String(second) })).toEqual(['2 b', '1 a']);
    expect(await within({ from: '253402300799' })).toEqual([]);
    const ofOrg = await ask(listDeployments, {}, { from: String(second), to: String(third) });
    expect(startsIn(ofOrg)).toEqual(['3 c', '2 b']);
  });

  it('hold artifacts of a flow, also under its old name, until the end', async () => {
    const env = await given();
    const flow = `flow-${count}`;
    await givenFlow(api, flow);
    await givenFlow(api, `${flow}-other`);
    for (const digit of '567') await givenArtifact(api, flow, digit);
    await givenArtifact(api, `${flow}-other`, '5');
    for (const digit of '5a6b7') {
      later(1);
      await givenRunning(api, env, { web: digit });
    }
    const call = (query: Query) => ask(listDeployments, {}, query);
    expect(startsIn(await call({ flow_name: flow }))).toEqual(['5 7', '3 6', '1 5']);
    const pages = await allOf(call, { flow_name: flow, per_page: '1' });
    expect(pages.map(({ number }) => number)).toEqual([5, 3, 1]);
    expect(startsIn(await call({ flow_name: `${flow}-other` }))).toEqual(['1 5']);
    await api.call(renameFlow, { params: { flow_name: flow }, body: { new_name: `${flow}-new` } });
    expect(await call({ flow_name: flow, per_page: '1' })).toMatchObject({ data: [{ flow_name: `${flow}-new` }] });
    expect(await api.call(listDeployments, { query: { flow_name: 'none' } })).toMatchObject({
      status: 404,
      body: { message: "Flow 'none' does not exist in this org" },
    });
  });

  it('continue when the deployments of a flow are behind many others', async () => {
    const org = await api.givenOrg('rare');
    await givenEnvironment(api, 'busy', 'server', {}, org);
    await sql`
      insert into flow (org_id, id, name, description, visibility, template, repo_url, revision, created_at, created_by,
        last_modified_at, latest_activity_at)
      values (${org.id}, gen_random_uuid(), 'rare', '', 'private', 'version: 1', '', 1, now(), 'x', now(), now())`.execute(
      api.db,
    );
    await sql`
      with busy as (
        update environment set snapshot_count = 201, run_count = 20100 where org_id = ${org.id} returning id
      ), made as (
        insert into snapshot (org_id, environment_id, index, created_at, created_by, trigger, compliance, artifact_count,
          compliant_count, non_compliant_count, started_count, event_total)
        select ${org.id}, id, i, date_trunc('milliseconds', now()), 'x', 'report', 'unknown', 100, 0, 0, 100, 100 * i
        from busy, generate_series(1, 201) as i
      )
      insert into running (org_id, environment_id, no, fingerprint, name, from_index, until_index, lineage, started_with,
        deployments)
      select ${org.id}, id, i, md5(i::text) || md5(i::text), 'app', (i + 99) / 100, (i + 99) / 100 + 1, 'name app', 1, '{}'
      from busy, generate_series(1, 20100) as i`.execute(api.db);
    const call = async (query: Query) =>
      ((await api.call(listDeployments, { params: { org: org.name }, key: org.keys.reader, query })) as Answer<Page>)
        .body;
    const first = await call({ flow_name: 'rare' });
    expect(first).toMatchObject({ data: [], pagination: { next: expect.any(String) } });
    expect(await call({ flow_name: 'rare', after: first.pagination.next ?? '' })).toMatchObject({
      data: [],
      pagination: { next: null },
    });
  });

  it('merge the members of a logical environment', async () => {
    const [one_, two, whole] = [await given(), await given(), await given('logical')];
    for (const physical_env_name of [one_, two]) {
      await api.call(joinEnvironment, { params: { env_name: whole }, body: { physical_env_name } });
    }
    for (const [env, digit] of [
      [one_, 'a'],
      [two, 'b'],
      [one_, 'c'],
      [two, 'a'],
    ] as const) {
      later(1);
      await givenRunning(api, env, { web: digit });
    }
    expect(startsIn(await ofEnvironment(whole))).toEqual(['2 a', '2 c', '1 b', '1 a']);
    expect(
      (await allOf((query) => ofEnvironment(whole, query), { per_page: '1' })).map((found) => found.environment),
    ).toEqual([two, one_, two, one_]);
    expect(await one(whole, fingerprint('a'))).toMatchObject({ environment: two, number: 2 });
    expect(await one(whole, fingerprint('a'), { number: '1' })).toMatchObject({ environment: one_ });
    expect(await ask(getDeploymentFrequency, { env_name: whole })).toMatchObject({ total: 4 });
    expect(await ofEnvironment(await given('logical'))).toMatchObject({ data: [] });
  });

  it.each([
    [{ after: 'rubbish' }, { 'query.after': 'is not a valid cursor: use the one from the previous page unchanged' }],
    [{ after: '1.00000000-0000-0000-0000-000000000000.zzzzzzzzzz.1' }, { 'query.after': expect.any(String) }],
    [{ from: '2', to: '1' }, { 'query.from': 'is after query.to; the earlier time must come first' }],
    [{ from: '-1' }, { 'query.from': 'must be at least 0' }],
    [{ to: 'now' }, { 'query.to': expect.any(String) }],
    [{ per_page: '101' }, { 'query.per_page': 'must be at most 100' }],
    [{ unknown: '1' }, { 'query.unknown': 'is unknown' }],
  ])('refuse %j', async (query, errors) => {
    const env = await given();
    expect(await api.call(listDeployments, { query: query as never })).toMatchObject(isRefused(errors));
    const params = { env_name: env };
    expect(await api.call(listEnvironmentDeployments, { params, query: query as never })).toMatchObject(
      isRefused(errors),
    );
  });

  it('treat an unknown cursor as a place after everything, or before it', async () => {
    const nowhere = '00000000-0000-0000-0000-000000000000';
    expect(await ask(listDeployments, {}, { after: `0.${nowhere}.0.0` })).toMatchObject({ data: [] });
    const last = await ask(listDeployments, {}, { after: `zzzzzzzzz.${nowhere}.zzzzzzzz.zzzzzzzz`, per_page: '1' });
    expect(last.data).toHaveLength(1);
  });
});

describe('one deployment', () => {
  it('is the newest of an artifact, or the one with a number', async () => {
    const env = await given();
    for (const digit of 'aba') await givenRunning(api, env, { web: digit });
    expect(await one(env, 'aaaaa')).toMatchObject({ number: 3, running: true });
    expect(await one(env, 'aaaaa', { number: '1' })).toMatchObject({ number: 1, running: false });
    const missing = (fingerprint: string, number?: string) =>
      api.call(getDeployment, { params: { env_name: env, fingerprint }, query: number ? { number } : {} });
    expect(await missing('aaaaa', '2')).toMatchObject({
      status: 404,
      body: { message: `Deployment '${env}#2@aaaaa' does not exist in this org` },
    });
    expect(await missing('aaaaa', '9')).toMatchObject({ status: 404 });
    expect(await missing('ccccc')).toMatchObject({
      status: 404,
      body: { message: `Deployment '${env}@ccccc' does not exist in this org` },
    });
    for (const wrong of ['aaaa', 'AAAAA', 'a'.repeat(65)]) {
      expect(await missing(wrong)).toMatchObject(isRefused({ fingerprint: expect.any(String) }));
    }
    for (const wrong of ['0', '1.5', '2147483648']) {
      expect(await missing('aaaaa', wrong)).toMatchObject(isRefused({ 'query.number': expect.any(String) }));
    }
  });

  it('is refused when the digits match several artifacts, with ten of them', async () => {
    const env = await given();
    const digest = (i: number) => `abcde${i.toString(16).padStart(59, '0')}`;
    const running = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`app-${i}`, digest(i)]));
    await givenRunning(api, env, { first: digest(0), second: digest(1) });
    const refused = () => api.call(getDeployment, { params: { env_name: env, fingerprint: 'abcde' } });
    const two = `matches ${digest(0)}, ${digest(1)}`;
    expect(await refused()).toMatchObject(isRefused({ fingerprint: two }));
    await givenRunning(api, env, running);
    const ten = Array.from({ length: 10 }, (_, i) => digest(i)).join(', ');
    expect(await refused()).toMatchObject(isRefused({ fingerprint: `matches ${ten}, …` }));
    expect(await one(env, digest(1))).toMatchObject({ fingerprint: digest(1) });
  });
});

describe('the frequency', () => {
  const DAY = 86_400;
  /** A Wednesday. */
  const noon = Date.UTC(2031, 0, 1, 12) / 1000;

  it('counts starts by day and by week, including empty buckets, with median lead times', async () => {
    const before = api.clock.now;
    const env = await given();
    const flow = `flow-${count}`;
    await givenFlow(api, flow);
    const start = async (at: number, digit: string, lead?: number) => {
      api.clock.now = new Date(at * 1000);
      const git_commit_info = lead === undefined ? null : { sha1: commit(digit), timestamp: at - lead };
      await givenArtifact(api, flow, digit, { trail_name: `t-${digit}-${at}`, git_commit_info });
      await givenRunning(api, env, { web: digit });
    };
    await start(noon, 'a', 100);
    await start(noon + 1, 'b', 300);
    await start(noon + 2, 'c');
    await start(noon + 5 * DAY, 'd', 1000);
    api.clock.now = new Date((noon + 6 * DAY) * 1000);
    const window = { from: String(noon), to: String(noon + 5 * DAY) };
    const days = await ask(getDeploymentFrequency, { env_name: env }, window);
    expect(days).toMatchObject({
      from: noon,
      to: noon + 5 * DAY,
      interval: 'day',
      total: 4,
      lead_time_seconds: { median: 300, p90: 860 },
    });
    expect(days.buckets.map((bucket) => bucket.deployments)).toEqual([3, 0, 0, 0, 0, 1]);
    expect(days.buckets[0]).toEqual({ start: noon - DAY / 2, deployments: 3, median_lead_time_seconds: 200 });
    expect(days.buckets[1]).toMatchObject({ median_lead_time_seconds: null });
    const weeks = await ask(getDeploymentFrequency, { env_name: env }, { ...window, interval: 'week' });
    expect(weeks.buckets).toEqual([
      { start: noon - 2.5 * DAY, deployments: 3, median_lead_time_seconds: 200 },
      { start: noon + 4.5 * DAY, deployments: 1, median_lead_time_seconds: 1000 },
    ]);
    const inside = { from: String(noon + 0.5), to: String(noon + 1.5) };
    expect(await ask(getDeploymentFrequency, { env_name: env }, inside)).toMatchObject({ total: 1 });
    const usual = await ask(getDeploymentFrequency, { env_name: env }, { from: '', to: '' } as never);
    expect(usual).toMatchObject({ from: noon - 24 * DAY, to: noon + 6 * DAY, total: 4 });
    expect(usual.buckets).toHaveLength(31);
    api.clock.now = before;
  });

  it('is empty without deployments', async () => {
    const quiet = await ask(getDeploymentFrequency, { env_name: await given() });
    expect(quiet).toMatchObject({ total: 0, lead_time_seconds: { median: null, p90: null } });
    const early = await ask(getDeploymentFrequency, { env_name: await given() }, { to: '5' });
    expect(early).toMatchObject({ from: 0, to: 5, buckets: [{ start: 0, deployments: 0 }] });
  });

  it.each([
    [{ from: '2', to: '1' }, { 'query.from': 'is after query.to; the earlier time must come first' }],
    [{ from: '1800000000000' }, { 'query.from': 'must be seconds since 1970, not milliseconds' }],
    [{ from: '253402300799' }, { 'query.from': 'must not be in the future' }],
    [{ from: '0' }, { 'query.from': 'is too early: a window can have at most 400 days' }],
    [{ from: '0', interval: 'week' }, { 'query.from': 'is too early: a window can have at most 400 weeks' }],
    [{ interval: 'month' }, { 'query.interval': expect.any(String) }],
  ])('refuses %j', async (query, errors) => {
    const params = { env_name: await given() };
    expect(await api.call(getDeploymentFrequency, { params, query: query as never })).toMatchObject(isRefused(errors));
  });
});

describe('access', () => {
  const calls: [Contract, Query][] = [
    [listDeployments, {}],
    [listEnvironmentDeployments, {}],
    [getDeployment, { fingerprint: 'aaaaa' }],
    [getDeploymentFrequency, {}],
  ];

  it('is for every role of the org, and for no other org', async () => {
    const env_name = await given();
    await givenRunning(api, env_name, { web: 'a' });
    const other: TestOrg = await api.givenOrg('strangers');
    for (const [contract, more] of calls) {
      for (const role of roles) {
        const answer = await api.call(contract, { params: { env_name, ...more }, key: api.org.keys[role] });
        expect(answer.status).toBe(200);
      }
      const foreign = await api.call(contract, { params: { env_name, ...more }, key: other.keys.admin });
      expect(foreign.status).toBe(403);
    }
    const seen = await api.call(listDeployments, { params: { org: other.name }, key: other.keys.admin });
    expect(seen.body).toMatchObject({ data: [] });
    for (const [contract, more] of calls.slice(1)) {
      const params = { org: other.name, env_name, ...more };
      expect((await api.call(contract, { params, key: other.keys.admin })).status).toBe(404);
    }
  });
});
