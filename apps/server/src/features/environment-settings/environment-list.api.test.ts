import { archiveEnvironment, type Environment, joinEnvironment, listEnvironments, patchTags } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { type Answer, startApi, type TestOrg } from '../../../test/harness.ts';

type Query = Record<string, string | string[]>;

const api = await startApi();

const list = (query: Query = {}, org: TestOrg = api.org) =>
  api.call(listEnvironments, { params: { org: org.name }, key: org.keys.reader, query });
const names = async (query: Query = {}, org?: TestOrg) =>
  ((await list(query, org)) as Answer<Environment[]>).body.map((environment) => environment.name);

/** In minutes; an environment that never changed has none. */
const changed = { beta: 3, Alpha: 1, gamma: 2 };
const START = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  const given = [
    ['beta', 'K8S'],
    ['Alpha', 'azure-apps'],
    ['gamma', 'cloudx-apps'],
    ['quiet-alpha', 'server'],
    ['whole', 'logical'],
    ['empty', 'logical'],
  ] as const;
  for (const [i, [name, type]] of given.entries()) {
    api.clock.now = new Date(START + i * 1000);
    await givenEnvironment(api, name, type);
  }
  await givenEnvironment(api, 'gone', 'K8S');
  await api.call(archiveEnvironment, { params: { env_name: 'gone' } });
  for (const physical_env_name of ['gamma', 'quiet-alpha']) {
    await api.call(joinEnvironment, { params: { env_name: 'whole' }, body: { physical_env_name } });
  }
  for (const [name, minutes] of Object.entries(changed)) {
    await api.db
      .updateTable('environment')
      .set({ last_changed_at: new Date(START + minutes * 60_000), snapshot_count: minutes })
      .where('org_id', '=', api.org.id)
      .where('name', '=', name)
      .execute();
  }
  const tag = (id: string, set_tags: Record<string, string>) =>
    api.call(patchTags, { params: { type: 'env', id }, body: { set_tags } });
  await tag('beta', { tier: '1', team: 'red' });
  await tag('gamma', { tier: '2', team: 'red' });
});

describe('listing environments', () => {
  it('returns an array of all active ones, by name', async () => {
    expect(await names()).toEqual(['Alpha', 'beta', 'empty', 'gamma', 'quiet-alpha', 'whole']);
    expect(await names({ sort_direction: 'desc' })).toEqual([
      'whole',
      'quiet-alpha',
      'gamma',
      'empty',
      'beta',
      'Alpha',
    ]);
    const { body } = (await list()) as Answer<Environment[]>;
    expect(body.find(({ name }) => name === 'gamma')).toMatchObject({
      tags: { tier: '2', team: 'red' },
      latest_snapshot_index: 2,
      last_changed_at: START / 1000 + 120,
    });
    expect(body.find(({ name }) => name === 'whole')).toMatchObject({
      included_environments: ['gamma', 'quiet-alpha'],
      latest_snapshot_index: 0,
      last_changed_at: START / 1000 + 120,
    });
  });

  it('returns an envelope when a page or its size is given', async () => {
    expect((await list({ page: '2', per_page: '4', sort: 'name' })).body).toMatchObject({
      environments: [{ name: 'quiet-alpha' }, { name: 'whole' }],
      page: 2,
      per_page: 4,
      total_pages: 2,
      total_count: 6,
      _links: {
        self: { href: 'http://waymark.test/api/v2/environments/acme?page=2&per_page=4&sort=name' },
        prev: { href: 'http://waymark.test/api/v2/environments/acme?page=1&per_page=4&sort=name' },
      },
    });
    expect((await list({ page: '9' })).body).toMatchObject({ environments: [], per_page: 20, total_count: 6 });
    expect((await list({ per_page: '1' })).body).toMatchObject({ environments: [{ name: 'Alpha' }], page: 1 });
  });

  it.each<[Query, string[]]>([
    [{ name: 'ALPHA' }, ['Alpha', 'quiet-alpha']],
    [{ name: '%' }, []],
    [{ type: 'azure-apps' }, ['Alpha', 'gamma']],
    [{ type: 'cloudx-apps' }, ['Alpha', 'gamma']],
    [{ type: ['K8S', 'server'] }, ['beta', 'quiet-alpha']],
    [{ type: ['azure-apps', ''] }, ['Alpha', 'gamma']],
    [{ type: '', name: 'ALPHA' }, ['Alpha', 'quiet-alpha']],
    [{ tag: 'tier' }, ['beta', 'gamma']],
    [{ tag: ['team:red', 'tier:2'] }, ['gamma']],
    [{ tag: 'team:blue' }, []],
    [{ space_id: ['a', 'b'], name: 'beta' }, ['beta']],
  ])('with %j finds %j', async (query, found) => {
    expect(await names(query)).toEqual(found);
    expect((await list({ ...query, page: '1' })).body).toMatchObject({ total_count: found.length });
  });

  it('sorts by time, newest first by default, and those that never changed as oldest', async () => {
    const byChange = ['beta', 'whole', 'gamma', 'Alpha', 'quiet-alpha', 'empty'];
    expect(await names({ sort: 'last_changed_at' })).toEqual(byChange);
    expect(await names({ sort: 'last_changed_at', sort_direction: 'asc' })).toEqual([...byChange].reverse());
    const { body } = await list({ sort: 'last_changed_at', page: '2', per_page: '2' });
    expect(body).toMatchObject({ environments: [{ name: 'gamma' }, { name: 'Alpha' }] });
    const byModification = await names({ sort: 'last_modified_at', sort_direction: 'asc' });
    expect(byModification.slice(0, 2)).toEqual(['Alpha', 'quiet-alpha']);
    expect(await names({ sort: 'last_modified_at' })).toEqual([...byModification].reverse());
  });

  it('is the same from every cursor, in every order', async () => {
    const cursor = (value: string, name: string) => Buffer.from(JSON.stringify([value, name])).toString('base64url');
    for (const sort of ['name', 'last_modified_at', 'last_changed_at'] as const) {
      for (const sort_direction of ['asc', 'desc']) {
        const { body } = (await list({ sort, sort_direction })) as Answer<Environment[]>;
        for (const [i, last] of body.entries()) {
          const at = last[sort];
          const value = typeof at === 'number' ? new Date(at * 1000).toISOString() : (at ?? '-infinity');
          const rest = await names({ sort, sort_direction, after: cursor(value, last.name) });
          expect(rest).toEqual(body.slice(i + 1).map(({ name }) => name));
        }
      }
    }
  });

  it.each([
    [{ type: 'planet' }, { 'query.type': expect.stringMatching(/^must be one of K8S, ECS, .*, logical$/) }],
    [{ type: ['K8S', 'planet'] }, { 'query.type': expect.stringMatching(/^must be one of K8S, ECS, .*, logical$/) }],
    [{ type: Array.from({ length: 21 }, () => 'K8S') }, { 'query.type': 'must be given at most 20 times' }],
    [{ page: '0' }, { 'query.page': 'must be at least 1' }],
    [{ per_page: '51' }, { 'query.per_page': 'must be at most 50' }],
    [{ sort: 'size' }, { 'query.sort': 'must be one of name, last_modified_at, last_changed_at' }],
    [{ colour: 'red' }, { 'query.colour': 'is unknown' }],
    [{ after: 'rubbish' }, { 'query.after': 'is not a valid cursor: use the one from the Link header unchanged' }],
    [
      { sort: 'last_changed_at', after: Buffer.from('["yesterday","a"]').toString('base64url') },
      { 'query.after': 'is not a valid cursor of this list' },
    ],
    [
      { sort: 'last_modified_at', after: Buffer.from('["+275000-01-01","a"]').toString('base64url') },
      { 'query.after': 'is not a valid cursor of this list' },
    ],
  ])('refuses %j', async (query, errors) => {
    expect(await list(query as Query)).toMatchObject({ status: 400, body: { errors } });
  });

  it('continues behind a link where an array ends, and includes nothing of other orgs', async () => {
    const many = await api.givenOrg('many');
    await sql`
      insert into environment (org_id, id, name, type, description, include_scaling, require_provenance, revision,
        created_at, created_by, last_modified_at, last_changed_at)
      select ${many.id}, gen_random_uuid(), 'e' || i, 'server', '', false, false, 1, now(), 'x', now(),
        case when i % 2 = 0 then timestamptz '2026-01-01' + make_interval(secs => i / 10) end
      from generate_series(1, 10001) as i`.execute(api.db);
    for (const sort of ['name', 'last_changed_at']) {
      const first = (await list({ sort }, many)) as Answer<Environment[]>;
      expect(first.body).toHaveLength(10_000);
      const link = String(first.headers['link']);
      const after = new URL(link.slice(1, link.indexOf('>'))).searchParams.get('after') ?? '';
      const rest = (await list({ sort, after }, many)) as Answer<Environment[]>;
      expect(rest.headers['link']).toBeUndefined();
      expect(new Set([...first.body, ...rest.body].map(({ name }) => name)).size).toBe(10_001);
    }
    expect(await names()).toHaveLength(6);
    const abroad = await api.call(listEnvironments, { params: { org: 'many' } });
    expect(abroad.status).toBe(403);
  });
});
