import {
  attestGeneric,
  beginTrail,
  getRepo,
  listArtifacts,
  listLiveArtifacts,
  listRepos,
  patchTags,
  type Repo,
  type RepoInfo,
} from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
await givenFlow(api, 'web');
let count = 0;

async function reportRepo(repo_info: RepoInfo): Promise<void> {
  const answer = await api.call(beginTrail, {
    params: { flow_name: 'web' },
    body: { name: `trail-${++count}`, repo_info },
  });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
}

type Query = Record<string, string | string[]>;
const read = (repo_name: string, query: Query = {}) =>
  api.call(getRepo, { params: { repo_name }, query }) as Promise<Answer<Repo>>;
const list = (query: Query = {}) => api.call(listRepos, { query });
const names = async (query: Query) => (await list(query)).body.repos.map((repo) => repo.name);

describe('a repository', () => {
  it('has the values of reports, and is read by its name with slashes unencoded', async () => {
    await reportRepo({
      name: 'acme/group/web',
      url: 'https://git.example.com/acme/group/web',
      id: '4711',
      provider: 'gitlab',
      description: 'The shop',
      namespace_path: ['acme', 'group'],
      additional_info: { stars: 3 },
    });
    const now = api.clock.now.getTime() / 1000;
    const expected = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'acme/group/web',
      url: 'https://git.example.com/acme/group/web',
      provider: 'gitlab',
      repo_id: '4711',
      description: 'The shop',
      namespace_path: ['acme', 'group'],
      additional_info: { stars: 3 },
      tags: {},
      created_at: now,
      last_modified_at: now,
    };
    expect(await read('acme/group/web')).toMatchObject({ status: 200, body: expected });
    const headers = { authorization: `Bearer ${api.org.keys.reader}` };
    const raw = await api.inject({ method: 'GET', url: '/api/v2/repos/acme/acme/group/web', headers });
    expect(raw).toMatchObject({ status: 200, body: expected });
    expect(Object.keys(raw.body as object)).toEqual(Object.keys(expected));
  });

  it('has only its name for sure', async () => {
    await reportRepo({ name: 'bare' });
    expect((await read('bare')).body).toMatchObject({
      url: '',
      provider: '',
      repo_id: '',
      description: '',
      namespace_path: [],
      additional_info: {},
    });
  });

  it('is read by our id, whatever the path says', async () => {
    await reportRepo({ name: 'by-id' });
    const { id } = (await read('by-id')).body;
    expect((await read(id, { id })).body.name).toBe('by-id');
    expect((await read('no/such', { id: id.toUpperCase() })).body.name).toBe('by-id');
    for (const missing of ['4711', '0190c0de-0000-7000-8000-000000000000']) {
      expect(await read('by-id', { id: missing })).toMatchObject({
        status: 404,
        body: { message: `Repository '${missing}' does not exist in this org` },
      });
    }
  });

  it('must be identified by its provider or id if several have its name', async () => {
    await reportRepo({ name: 'acme/both', provider: 'github' });
    await reportRepo({ name: 'acme/both', provider: 'gitlab' });
    await reportRepo({ name: 'acme/both' });
    const ids = new Map((await list({ name: 'acme/both' })).body.repos.map((repo) => [repo.provider, repo.id]));
    const shown = [...ids]
      .sort(([, a], [, b]) => (a < b ? -1 : 1))
      .map(([by, id]) => `${by || 'no provider'} (id ${id})`);
    const refusal = {
      status: 400,
      body: {
        message: "More than one repository is named 'acme/both': select one by its provider or its id",
        errors: { 'query.provider': `matches ${shown.join(', ')}` },
      },
    };
    expect(await read('acme/both')).toMatchObject(refusal);
    expect(await read('acme/both', { provider: '' })).toMatchObject(refusal);
    expect((await read('acme/both', { provider: 'gitlab' })).body.id).toBe(ids.get('gitlab'));
    expect((await read('-', { id: ids.get('') ?? '' })).body.provider).toBe('');
    expect(await read('acme/both', { provider: 'git' })).toMatchObject({ status: 404 });
  });

  it('is the most recently used one if it was recreated under its name, where the provider is given', async () => {
    const name = 'acme/anew';
    await reportRepo({ name, provider: 'github', id: 'old' });
    api.clock.now = new Date(api.clock.now.getTime() + 1_000);
    await reportRepo({ name, provider: 'github', id: 'new' });
    expect((await read(name, { provider: 'github' })).body.repo_id).toBe('new');
    expect((await read(name)).status).toBe(400);
    api.clock.now = new Date(api.clock.now.getTime() + 1_000);
    await givenArtifact(api, 'web', 'a', { repo_info: { name, provider: 'github', id: 'old' } });
    expect((await read(name, { provider: 'github' })).body.repo_id).toBe('old');
    api.clock.now = new Date(api.clock.now.getTime() + 1_000);
    await givenArtifact(api, 'web', 'b', { repo_info: { name, provider: 'github', id: 'new' } });
    expect((await read(name, { provider: 'github' })).body.repo_id).toBe('new');
    expect(await read(name, { provider: 'gitlab' })).toMatchObject({ status: 404 });
  });

  it('is missing with a 404 that quotes the name as sent, and an empty name is refused', async () => {
    expect(await read('acme/no such%')).toMatchObject({
      status: 404,
      body: { message: "Repository 'acme/no such%' does not exist in this org" },
    });
    expect(await read('')).toMatchObject({ status: 400, body: { errors: { repo_name: 'must not be empty' } } });
  });

  it('keeps its id when the provider reports a rename, and is unchanged by an equal report', async () => {
    await reportRepo({ name: 'acme/before', provider: 'github', id: '9' });
    const before = (await read('acme/before')).body;
    api.clock.now = new Date(api.clock.now.getTime() + 5_000);
    await reportRepo({ name: 'acme/before', provider: 'github', id: '9' });
    expect((await read('acme/before')).body).toEqual(before);
    await reportRepo({ name: 'acme/after', provider: 'github', id: '9' });
    const after = (await read('acme/after')).body;
    expect(after).toEqual({ ...before, name: 'acme/after', last_modified_at: before.created_at + 5 });
    expect((await read('acme/before')).status).toBe(404);
  });

  it('goes back to what it was when a later report says so', async () => {
    const tell = (description: string) =>
      api.call(attestGeneric, {
        params: { flow_name: 'web', trail_name: 'trail-1' },
        body: { attestation_name: 'x', is_compliant: true, repo_info: { name: 'fickle', description } },
      });
    for (const description of ['a', 'a', 'b', 'a']) {
      expect((await tell(description)).status).toBe(201);
      expect((await read('fickle')).body.description).toBe(description);
    }
  });

  it('is stored once when reports of it race', async () => {
    const info = { name: 'raced', provider: 'github', id: 'r' };
    await Promise.all(Array.from({ length: 16 }, () => reportRepo(info)));
    expect((await list({ name: 'raced' })).body.total_count).toBe(1);
  });

  it('is refused with a name or id that is too long to be found again', async () => {
    // Neighbors that differ, so that they cannot be compressed.
    const han = Array.from({ length: 1000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000))).join('');
    const tell = (repo_info: RepoInfo) =>
      api.call(beginTrail, { params: { flow_name: 'web' }, body: { name: `long-${++count}`, repo_info } });
    expect(await tell({ name: han })).toMatchObject({
      status: 400,
      body: { errors: { 'repo_info.name': 'must be at most 2000 bytes' } },
    });
    expect(await tell({ name: 'x', id: han })).toMatchObject({
      status: 400,
      body: { errors: { 'repo_info.id': 'must be at most 2000 bytes' } },
    });
    const longest = { name: han.slice(0, 666), id: han.slice(0, 666), url: han, provider: han.slice(0, 100) };
    expect((await tell(longest)).status).toBe(201);
    expect((await read(longest.name)).body.url).toBe(han);
  });
});

describe('the list of repositories', () => {
  it('is one page with links to the others, by name in either direction', async () => {
    for (const name of ['page/a', 'page/b', 'page/c']) await reportRepo({ name });
    const { status, body } = await list({ search: 'PAGE/', page: '2', per_page: '1' });
    expect(status).toBe(200);
    expect(body.repos.map((repo) => repo.name)).toEqual(['page/b']);
    const link = (page: number) => ({
      href: `http://waymark.test/api/v2/repos/acme?page=${page}&per_page=1&search=PAGE%2F`,
    });
    expect({ ...body, repos: [] }).toEqual({
      repos: [],
      page: 2,
      per_page: 1,
      total_pages: 3,
      total_count: 3,
      _links: { self: link(2), first: link(1), last: link(3), prev: link(1), next: link(3) },
    });
    expect(await names({ search: 'page/' })).toEqual(['page/a', 'page/b', 'page/c']);
    expect(await names({ search: 'page/', sort_direction: 'desc' })).toEqual(['page/c', 'page/b', 'page/a']);
    expect(await names({ search: 'page/', page: '4', per_page: '1' })).toEqual([]);
  });

  it('has 15 per page by default, and 50 at most', async () => {
    for (let i = 0; i < 16; i++) await reportRepo({ name: `many-${i}` });
    expect((await list()).body).toMatchObject({ page: 1, per_page: 15, repos: { length: 15 } });
    expect((await list({ per_page: '50' })).body.per_page).toBe(50);
    expect(await list({ per_page: '51' })).toMatchObject({
      status: 400,
      body: { errors: { 'query.per_page': expect.any(String) } },
    });
  });

  it('takes search for plain text', async () => {
    await reportRepo({ name: '100%_sure' });
    expect(await names({ search: '%_' })).toEqual(['100%_sure']);
    expect(await names({ search: 'no-such-name' })).toEqual([]);
  });

  it('is narrowed down by exact name, provider, the id of the provider, and tags', async () => {
    await reportRepo({ name: 'narrow/a', provider: 'circleci', id: '1' });
    await reportRepo({ name: 'narrow/b', provider: 'circleci', id: '2' });
    await reportRepo({ name: 'narrow/ab', provider: 'git', id: '2' });
    expect(await names({ name: 'narrow/a' })).toEqual(['narrow/a']);
    expect(await names({ name: 'NARROW/A' })).toEqual([]);
    expect(await names({ provider: 'circleci' })).toEqual(['narrow/a', 'narrow/b']);
    expect(await names({ repo_id: '2' })).toEqual(['narrow/ab', 'narrow/b']);
    expect(await names({ repo_id: '2', provider: 'git' })).toEqual(['narrow/ab']);
    const tag = async (repo: string, set_tags: Record<string, string>) => {
      const { id } = (await read(repo)).body;
      await api.call(patchTags, { params: { type: 'repos', id }, body: { set_tags } });
    };
    await tag('narrow/a', { team: 'blue', risk: 'a:b' });
    await tag('narrow/b', { team: 'red' });
    expect(await names({ tag: 'team' })).toEqual(['narrow/a', 'narrow/b']);
    expect(await names({ tag: 'team:red' })).toEqual(['narrow/b']);
    expect(await names({ tag: ['team', 'risk:a:b'] })).toEqual(['narrow/a']);
    expect((await list({ name: 'narrow/a' })).body.repos[0]?.tags).toEqual({ team: 'blue', risk: 'a:b' });
  });

  it('refuses a name together with a search', async () => {
    expect(await list({ name: 'a', search: 'b' })).toMatchObject({
      status: 400,
      body: { errors: { 'query.search': 'cannot be combined with name' } },
    });
  });
});

describe('live artifacts', () => {
  const live = (repo_name: string, query: Query = {}) => api.call(listLiveArtifacts, { params: { repo_name }, query });

  it('are none as long as nothing is known to run', async () => {
    const repo_info = { name: 'live/web', provider: 'github' };
    await givenArtifact(api, 'web', 'a', { repo_info });
    expect(await live('live/web')).toMatchObject({ status: 200, body: [] });
    const headers = { authorization: `Bearer ${api.org.keys.reader}` };
    const raw = await api.inject({ method: 'GET', url: '/api/v2/repos/acme/live-artifacts/live/web', headers });
    expect(raw).toMatchObject({ status: 200, body: [] });
    const reported = await api.call(listArtifacts, { query: { repo_name: 'live/web' } });
    expect(reported.body).toHaveLength(1);
  });

  it('of a repository that is not there are a 404, and of one of several a 400', async () => {
    expect(await live('live/none')).toMatchObject({
      status: 404,
      body: { message: "Repository 'live/none' does not exist in this org" },
    });
    await reportRepo({ name: 'live/two', provider: 'github' });
    await reportRepo({ name: 'live/two', provider: 'gitlab' });
    expect(await live('live/two')).toMatchObject({
      status: 400,
      body: { errors: { 'query.provider': expect.stringMatching(/^matches github|^matches gitlab/) } },
    });
    expect(await live('live/two', { provider: 'gitlab' })).toMatchObject({ status: 200, body: [] });
  });
});

it('repositories of another org are neither listed nor found', async () => {
  await reportRepo({ name: 'acme/secret' });
  const { id } = (await read('acme/secret')).body;
  const others = await api.givenOrg('repo-others');
  const asked = { key: others.keys.admin };
  const org = others.name;
  expect((await api.call(listRepos, { ...asked, params: { org } })).body).toMatchObject({ total_count: 0, repos: [] });
  for (const query of [{}, { id }]) {
    const answer = await api.call(getRepo, { ...asked, params: { org, repo_name: 'acme/secret' }, query });
    expect(answer.status).toBe(404);
  }
  const live = await api.call(listLiveArtifacts, { ...asked, params: { org, repo_name: 'acme/secret' } });
  expect(live.status).toBe(404);
});
