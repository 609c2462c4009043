import { hash } from 'node:crypto';
import {
  allowArtifact,
  archiveEnvironment,
  listEnvironmentWaivers,
  listWaivers,
  renameEnvironment,
  type Waiver,
  withdrawWaiver,
} from '@waymark/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../test/given/environments.ts';
import { fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';
import { encodeCursor } from '../../platform/db/paginate.ts';
import { readActiveWaivers, waiverKey } from '../runtime-verdicts/active-waiver.reads.ts';

const api = await startApi();
const others = await api.givenOrg('others');
api.clock.now = new Date('2026-11-15T09:00:00.250Z');
const DAY = 24 * 60 * 60;
const seconds = () => api.clock.now.getTime() / 1000;
const A = fingerprint('a');
const B = fingerprint('b');

function pass(s: number): void {
  api.clock.now = new Date(api.clock.now.getTime() + s * 1000);
}

const input = (more: object = {}) => ({
  artifact_fingerprint: A,
  artifact_name: 'web-app',
  description: 'Hotfix for an outage',
  ...more,
});

function allow(environment: string, more: object = {}, key = api.org.keys.member) {
  return api.call(allowArtifact, { params: { env_name: environment }, body: input(more), key });
}

function withdraw(environment: string, sent = A, key = api.org.keys.member) {
  return api.call(withdrawWaiver, { params: { env_name: environment, fingerprint: sent }, key });
}

async function list(environment: string, query: Record<string, string> = {}): Promise<Waiver[]> {
  const answer = await api.call(listEnvironmentWaivers, { params: { env_name: environment }, query });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Journal entries about the waivers of an environment. */
async function entriesOf(environment: string, org: TestOrg = api.org) {
  const entries = await api.journal(org);
  return entries.filter(
    ({ type, payload }) =>
      type.startsWith('allow_list.') && (payload as { environment: string }).environment === environment,
  );
}
const typesOf = async (environment: string) => (await entriesOf(environment)).map(({ type }) => type);

async function active(environment: string) {
  const { id } = await environmentOf(api, environment);
  return readActiveWaivers(api.db, api.org.id, [id], [A, B], api.clock.now);
}

describe('waiving an artifact', () => {
  it('returns the record, lists it and adds it to the journal', async () => {
    await givenEnvironment(api, 'prod');
    const before = await environmentOf(api, 'prod');
    pass(60);
    const answer = await allow('prod');
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      artifact_name: 'web-app',
      fingerprint: A,
      environment_name: 'prod',
      timestamp: seconds(),
      user_name: 'member',
      description: 'Hotfix for an outage',
      expires_at: null,
      ended_at: null,
      ended_by: null,
      end_reason: null,
    });
    expect(await list('prod')).toEqual([answer.body]);
    expect(await entriesOf('prod')).toEqual([
      {
        type: 'allow_list.added',
        subject_seq: 2,
        actor: 'member',
        payload: {
          id: answer.body.id,
          environment: 'prod',
          fingerprint: A,
          name: 'web-app',
          reason: 'Hotfix for an outage',
          expires_at: null,
          replaces: null,
        },
      },
    ]);
    // Its settings were not changed.
    expect((await environmentOf(api, 'prod')).last_modified_at).toBe(before.last_modified_at);
  });

  it('accepts an artifact that was reported into a flow', async () => {
    await givenFlow(api, 'web');
    await givenArtifact(api, 'web', 'c', { trail_name: 'build-1' });
    await givenEnvironment(api, 'known');
    expect((await allow('known', { artifact_fingerprint: fingerprint('c') })).status).toBe(201);
  });

  it('stores an expiry', async () => {
    await givenEnvironment(api, 'expiring');
    const { body } = await allow('expiring', { expires_at: seconds() + DAY });
    expect(body.expires_at).toBe(seconds() + DAY);
    expect(await entriesOf('expiring')).toMatchObject([{ payload: { expires_at: seconds() + DAY } }]);
  });

  it('changes nothing when repeated, as by a retry', async () => {
    await givenEnvironment(api, 'again');
    const expires_at = seconds() + DAY + 0.123_456_7;
    const first = await allow('again', { expires_at });
    pass(5);
    expect(await allow('again', { expires_at }, api.org.keys.admin)).toMatchObject({ status: 201, body: first.body });
    await allow('again', { artifact_fingerprint: B });
    expect((await allow('again', { artifact_fingerprint: B, expires_at: null })).status).toBe(201);
    expect(await typesOf('again')).toEqual(['allow_list.added', 'allow_list.added']);
  });

  it.each([
    ['name', { artifact_name: 'web' }],
    ['reason', { description: 'Another' }],
    ['expiry', { expires_at: seconds() + 300 * DAY }],
  ])('is replaced by one with another %s', async (what, more) => {
    const environment = `replaced-${what}`;
    await givenEnvironment(api, environment);
    const first = await allow(environment);
    pass(5);
    const second = await allow(environment, more, api.org.keys.admin);
    expect(second).toMatchObject({ status: 201, body: more });
    expect(second.body.id).not.toBe(first.body.id);
    expect(await list(environment)).toEqual([second.body]);
    expect(await list(environment, { ended: 'true' })).toEqual([
      second.body,
      { ...first.body, ended_at: seconds(), ended_by: 'acme-admin', end_reason: 'replaced' },
    ]);
    expect(await entriesOf(environment)).toMatchObject([
      { subject_seq: 2, payload: { id: first.body.id, replaces: null } },
      { subject_seq: 3, payload: { id: second.body.id, replaces: first.body.id } },
    ]);
    expect(await typesOf(environment)).toEqual(['allow_list.added', 'allow_list.added']);
  });

  it('again after expiry records the expiry first', async () => {
    await givenEnvironment(api, 'renewed');
    const first = await allow('renewed', { expires_at: seconds() + 60 });
    pass(60);
    const second = await allow('renewed', { expires_at: seconds() + 60 });
    expect(second.status).toBe(201);
    expect(await entriesOf('renewed')).toMatchObject([
      { type: 'allow_list.added', subject_seq: 2, actor: 'member', payload: { id: first.body.id } },
      { type: 'allow_list.expired', subject_seq: 3, actor: 'expiry', payload: { id: first.body.id } },
      { type: 'allow_list.added', subject_seq: 4, actor: 'member', payload: { id: second.body.id, replaces: null } },
    ]);
    expect(await list('renewed', { ended: 'true' })).toMatchObject([
      { id: second.body.id, ended_at: null },
      { id: first.body.id, ended_at: seconds(), ended_by: 'expiry', end_reason: 'expired' },
    ]);
  });

  it.each([
    ['no fingerprint', { artifact_fingerprint: undefined }, 'artifact_fingerprint', 'is required'],
    ['half a fingerprint', { artifact_fingerprint: 'abc' }, 'artifact_fingerprint', /64 lower-case hexadecimal/],
    ['no name', { artifact_name: undefined }, 'artifact_name', 'is required'],
    ['an empty name', { artifact_name: '' }, 'artifact_name', 'must not be empty'],
    ['no reason', { description: undefined }, 'description', 'is required'],
    ['a null for a reason', { description: null }, 'description', 'must be text'],
    ['an empty reason', { description: '' }, 'description', 'must not be empty: it is the reason'],
    ['a blank reason', { description: ' \n' }, 'description', 'must not be empty: it is the reason'],
    ['an endless reason', { description: 'x'.repeat(10_001) }, 'description', /at most 10000/],
    ['an expiry that is past', { expires_at: 1_700_000_000 }, 'expires_at', 'must be in the future'],
    ['an expiry that is now', { expires_at: seconds() }, 'expires_at', 'must be in the future'],
    ['an expiry before all time', { expires_at: -1e300 }, 'expires_at', 'must be in the future'],
    ['milliseconds', { expires_at: 1_900_000_000_000 }, 'expires_at', /not milliseconds/],
    ['a text for an expiry', { expires_at: '2030-01-01' }, 'expires_at', 'must be a number'],
    ['an unknown member', { until: 1 }, 'until', 'is unknown'],
  ])('refuses %s', async (_, more, field, reason) => {
    await givenEnvironment(api, 'strict');
    const answer = await allow('strict', more);
    expect(answer.status).toBe(400);
    const { errors } = answer.body as unknown as { errors: Record<string, string> };
    expect(Object.keys(errors)).toEqual([field]);
    expect(errors[field]).toMatch(reason);
    expect(await entriesOf('strict')).toEqual([]);
  });

  it('refuses environments that are unknown, archived, of another org or logical', async () => {
    await givenEnvironment(api, 'gone');
    await api.call(archiveEnvironment, { params: { env_name: 'gone' } });
    await givenEnvironment(api, 'theirs', 'server', {}, others);
    for (const name of ['nowhere', 'gone', 'theirs']) {
      expect(await allow(name)).toMatchObject({
        status: 404,
        body: { message: `Environment '${name}' does not exist in this org` },
      });
    }
    await givenEnvironment(api, 'whole', 'logical');
    expect(await allow('whole')).toMatchObject({
      status: 400,
      body: { errors: { env_name: 'is logical: grant the waiver in its members' } },
    });
    expect(await withdraw('whole')).toMatchObject({ status: 400 });
  });

  it('finds the environment by an old name', async () => {
    await givenEnvironment(api, 'old-name');
    await api.call(renameEnvironment, { params: { env_name: 'old-name' }, body: { new_name: 'new-name' } });
    expect(await allow('old-name')).toMatchObject({ status: 201, body: { environment_name: 'new-name' } });
    expect(await list('old-name')).toHaveLength(1);
  });

  it('requires a member or admin of the org', async () => {
    await givenEnvironment(api, 'roles');
    expect((await allow('roles', {}, api.org.keys.member)).status).toBe(201);
    expect((await allow('roles', {}, api.org.keys.admin)).status).toBe(201);
    for (const role of ['snapshotter', 'reader'] as const) {
      expect((await allow('roles', { description: role }, api.org.keys[role])).status).toBe(403);
      expect((await withdraw('roles', A, api.org.keys[role])).status).toBe(403);
    }
    for (const key of Object.values(others.keys)) {
      expect((await allow('roles', { description: 'theirs' }, key)).status).toBe(403);
      expect((await withdraw('roles', A, key)).status).toBe(403);
    }
    expect(await typesOf('roles')).toEqual(['allow_list.added']);
    expect((await withdraw('roles', A, api.org.keys.admin)).status).toBe(200);
  });

  it('is recorded once when identical requests race', async () => {
    await givenEnvironment(api, 'racing');
    const answers = await Promise.all(Array.from({ length: 16 }, () => allow('racing')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await typesOf('racing')).toEqual(['allow_list.added']);
  });

  it('leaves one active, and a chain of those it replaced, when different requests race', async () => {
    await givenEnvironment(api, 'chained');
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => allow('chained', { description: `${i}` })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const entries = (await entriesOf('chained')).map(
      ({ payload }) => payload as { id: string; replaces: string | null },
    );
    expect(entries.map(({ replaces }) => replaces)).toEqual([null, ...entries.slice(0, -1).map(({ id }) => id)]);
    expect(await list('chained')).toMatchObject([{ id: entries.at(-1)?.id }]);
    expect(await list('chained', { ended: 'true' })).toHaveLength(12);
  });
});

describe('withdrawing', () => {
  it('ends the active waiver and records it in the journal', async () => {
    await givenEnvironment(api, 'withdrawn');
    const { body } = await allow('withdrawn', { expires_at: seconds() + DAY });
    pass(5);
    expect(await withdraw('withdrawn', A, api.org.keys.admin)).toMatchObject({ status: 200, body: 'OK' });
    expect(await list('withdrawn')).toEqual([]);
    expect(await list('withdrawn', { ended: 'true' })).toEqual([
      { ...body, ended_at: seconds(), ended_by: 'acme-admin', end_reason: 'withdrawn' },
    ]);
    expect((await entriesOf('withdrawn')).at(-1)).toEqual({
      type: 'allow_list.withdrawn',
      subject_seq: 3,
      actor: 'acme-admin',
      payload: {
        id: body.id,
        environment: 'withdrawn',
        fingerprint: A,
        name: 'web-app',
        reason: 'Hotfix for an outage',
        expires_at: body.expires_at,
      },
    });
  });

  it('is a 404 for one that never existed, has ended, has expired, or is of another environment', async () => {
    await givenEnvironment(api, 'bare');
    await givenEnvironment(api, 'beside');
    await allow('beside');
    const nothing = {
      status: 404,
      body: { message: `Artifact '${A}' has no waiver in environment 'bare'` },
    };
    expect(await withdraw('bare')).toMatchObject(nothing);
    await allow('bare');
    expect((await withdraw('bare')).status).toBe(200);
    expect(await withdraw('bare')).toMatchObject(nothing);
    await allow('bare', { expires_at: seconds() + 1 });
    pass(1);
    expect(await withdraw('bare')).toMatchObject(nothing);
    expect(await withdraw('nowhere')).toMatchObject({ status: 404 });
    expect(await withdraw('bare', 'abc')).toMatchObject({
      status: 400,
      body: { errors: { fingerprint: expect.stringContaining('hexadecimal') } },
    });
    expect(await typesOf('bare')).toEqual(['allow_list.added', 'allow_list.withdrawn', 'allow_list.added']);
    expect(await list('beside')).toHaveLength(1);
  });

  it('succeeds once when identical requests race', async () => {
    await givenEnvironment(api, 'contended');
    await allow('contended');
    const answers = await Promise.all(Array.from({ length: 12 }, () => withdraw('contended')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(11).fill(404)]);
    expect(await typesOf('contended')).toEqual(['allow_list.added', 'allow_list.withdrawn']);
  });
});

describe('the list', () => {
  it('of an org is newest first, and can be narrowed to an environment', async () => {
    const org = await api.givenOrg('waiver');
    const call = { key: org.keys.reader, params: { org: org.name } };
    expect(await api.call(listWaivers, call)).toMatchObject({ status: 200, body: [] });
    for (const name of ['one', 'two', 'three']) {
      await givenEnvironment(api, name, 'server', {}, org);
      pass(1);
      const params = { org: org.name, env_name: name };
      await api.call(allowArtifact, { params, key: org.keys.member, body: input() });
    }
    await givenEnvironment(api, 'some', 'logical', { included_environments: ['one', 'three'] }, org);
    const names = async (query: Record<string, string>) => {
      const { body } = await api.call(listWaivers, { ...call, query });
      return body.map(({ environment_name }) => environment_name);
    };
    expect(await names({})).toEqual(['three', 'two', 'one']);
    expect(await names({ environment_name: 'two' })).toEqual(['two']);
    expect(await names({ environment_name: 'some' })).toEqual(['three', 'one']);
    const params = { org: org.name, env_name: 'some' };
    expect((await api.call(listEnvironmentWaivers, { ...call, params })).body).toHaveLength(2);
    expect(await api.call(listWaivers, { ...call, query: { environment_name: 'nowhere' } })).toMatchObject({
      status: 404,
      body: { message: "Environment 'nowhere' does not exist in this org" },
    });

    await api.call(archiveEnvironment, { params: { org: org.name, env_name: 'two' }, key: org.keys.admin });
    expect(await names({})).toEqual(['three', 'one']);
    expect(await names({ ended: 'true' })).toEqual(['three', 'two', 'one']);
  });

  it('leaves out expired ones, recorded as such or not', async () => {
    await givenEnvironment(api, 'lapsed');
    const { body } = await allow('lapsed', { expires_at: seconds() + 60 });
    pass(59.999);
    expect(await list('lapsed')).toEqual([body]);
    pass(0.001);
    expect(await list('lapsed')).toEqual([]);
    expect(await list('lapsed', { ended: 'true' })).toEqual([body]);
  });

  it('links to the rest of a long list', async () => {
    const org = await api.givenOrg('long');
    await givenEnvironment(api, 'long', 'server', {}, org);
    await sql`
      insert into waiver (org_id, id, environment_id, fingerprint, artifact_name, description, created_at, created_by)
      select org_id, gen_random_uuid(), id, lpad(i::text, 64, '0'), 'app', 'many', ${api.clock.now}, 'x'
      from environment, generate_series(1, 10001) as i where org_id = ${org.id}`.execute(api.db);
    for (const path of ['/allowlists/long', '/allowlists/long/long']) {
      const headers = { authorization: `Bearer ${org.keys.reader}` };
      const first = await api.inject({ method: 'GET', url: `/api/v2${path}?ended=true`, headers });
      expect(first.body).toHaveLength(10_000);
      const [, url] = /^<http:\/\/waymark\.test(.*)>; rel="next"$/.exec(String(first.headers['link'])) ?? [];
      expect(url).toContain(`${path}?ended=true&after=`);
      const second = await api.inject({ method: 'GET', url: url ?? '', headers });
      expect(second).toMatchObject({ status: 200, body: [{ artifact_name: 'app' }] });
      expect(second.headers).not.toHaveProperty('link');
      const all = [first, second].flatMap(({ body }) => body as Waiver[]);
      expect(new Set(all.map(({ fingerprint }) => fingerprint)).size).toBe(10_001);
    }
  });

  it.each([
    ['no cursor', 'x'],
    ['a cursor without an id', encodeCursor({ value: '2026-11-15T09:00:00.000Z', name: 'prod' })],
    ['a cursor without a time', encodeCursor({ value: 'prod', name: '01890000-0000-7000-8000-000000000001' })],
    [
      'a cursor of another age',
      encodeCursor({ value: '+200000-01-01T00:00:00.000Z', name: '01890000-0000-7000-8000-000000000001' }),
    ],
  ])('refuses %s', async (_, after) => {
    expect(await api.call(listWaivers, { query: { after } })).toMatchObject({
      status: 400,
      body: { errors: { 'query.after': expect.stringContaining('cursor') } },
    });
  });
});

describe('the waiver that counts in a verdict', () => {
  it('is the active one that has not expired, by environment and fingerprint', async () => {
    await givenEnvironment(api, 'judged');
    await givenEnvironment(api, 'not-judged');
    const { id } = await environmentOf(api, 'judged');
    expect(await active('judged')).toEqual(new Map());
    const stillActive = await allow('judged');
    const short = await allow('judged', { artifact_fingerprint: B, expires_at: seconds() + 10 });
    await allow('not-judged');
    const waiver = {
      id: stillActive.body.id,
      environment_id: id,
      fingerprint: A,
      artifact_name: 'web-app',
      description: 'Hotfix for an outage',
      created_at: api.clock.now,
      created_by: 'member',
      expires_at: null,
    };
    expect((await active('judged')).get(waiverKey(id, A))).toEqual(waiver);
    expect((await active('judged')).get(`${id} ${B}`)?.id).toBe(short.body.id);
    const many = [A, ...Array.from({ length: 2_000 }, (_, i) => hash('sha256', `app ${i}`))];
    const ofMany = () => readActiveWaivers(api.db, api.org.id, [id], many, api.clock.now);
    expect(await ofMany()).toEqual(new Map([[waiverKey(id, A), waiver]]));
    pass(10);
    expect([...(await active('judged')).keys()]).toEqual([`${id} ${A}`]);
    many.push(B);
    expect([...(await ofMany()).keys()]).toEqual([`${id} ${A}`]);
    await withdraw('judged');
    expect(await active('judged')).toEqual(new Map());
    expect(await readActiveWaivers(api.db, api.org.id, [], [A], api.clock.now)).toEqual(new Map());
    expect(await readActiveWaivers(api.db, others.id, [id], [A], api.clock.now)).toEqual(new Map());
  });
});
