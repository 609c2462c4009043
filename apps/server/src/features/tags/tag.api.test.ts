import { beginTrail, getFlow, getRepo, patchTags, putFlow, type Repo } from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
let name = '';
let count = 0;
beforeEach(async () => {
  name = `flow-${++count}`;
  await api.call(putFlow, { body: { name } });
});

const patch = (set_tags: Record<string, string> | null, remove_tags: string[] | null = null, type = 'flow') =>
  api.call(patchTags, { params: { type, id: name }, body: { set_tags, remove_tags } });
const tagsOf = async () => ((await api.call(getFlow, { params: { flow_name: name } })).body as { tags: unknown }).tags;
const changes = async () =>
  (await api.journal())
    .filter((entry) => entry.type === 'flow.tagged' && (entry.payload as { name: string }).name === name)
    .map((entry) => entry.payload);

it('sets, changes and removes tags, and records only real changes', async () => {
  expect((await patch({ team: 'blue', risk: 'high' })).status).toBe(200);
  expect((await patch({ team: 'red', risk: 'high' }, ['absent'], 'flows')).status).toBe(200);
  expect((await patch({ team: 'red' }, [])).status).toBe(200);
  expect((await patch(null, ['risk', 'risk'])).status).toBe(200);
  expect(await tagsOf()).toEqual({ team: 'red' });
  expect(await changes()).toEqual([
    { name, set: { team: 'blue', risk: 'high' }, removed: [] },
    { name, set: { team: 'red' }, removed: [] },
    { name, set: {}, removed: ['risk'] },
  ]);
});

it('takes a tag away by key=value too, as clients send it', async () => {
  await patch({ tier: '1', team: 'a' });
  expect((await patch(null, ['tier=1', 'team=whatever'])).status).toBe(200);
  expect(await tagsOf()).toEqual({});
});

it('records a change once when identical requests race, and every change when different ones do', async () => {
  const same = await Promise.all(Array.from({ length: 16 }, () => patch({ team: 'blue' })));
  expect(same.every((answer) => answer.status === 200)).toBe(true);
  expect(await changes()).toHaveLength(1);
  const different = await Promise.all(Array.from({ length: 16 }, (_, i) => patch({ [`key-${i}`]: 'x' })));
  expect(different.every((answer) => answer.status === 200)).toBe(true);
  expect(await changes()).toHaveLength(17);
  expect(Object.keys((await tagsOf()) as object)).toHaveLength(17);
});

it('refuses what it cannot do, and names the field', async () => {
  expect(await patch({ a: '1' }, ['a'])).toMatchObject({
    status: 400,
    body: { errors: { remove_tags: "contains 'a', which is also in set_tags" } },
  });
  expect(await patch({ '-bad': 'x' })).toMatchObject({
    status: 400,
    body: { errors: { 'set_tags.-bad': expect.stringMatching(/^is not a valid name/) } },
  });
  expect(await patch({ a: 'x' }, null, 'planet')).toMatchObject({
    status: 400,
    body: {
      errors: { type: 'must be one of flow, flows, env, environment, environments, repo, repos, control, controls' },
    },
  });
  const missing = await api.call(patchTags, { params: { type: 'flow', id: 'nobody' }, body: { set_tags: { a: 'b' } } });
  expect(missing).toMatchObject({ status: 404, body: { message: "Flow 'nobody' does not exist in this org" } });
});

it('takes the longest value there may be, in any script, and refuses what is too long to be found again', async () => {
  // Neighbors that differ, so that they cannot be compressed.
  const han = Array.from({ length: 1024 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000))).join('');
  expect((await patch({ note: 'x'.repeat(1024) })).status).toBe(200);
  expect(await patch({ note: han })).toMatchObject({
    status: 400,
    body: { errors: { 'set_tags.note': 'must be at most 2000 bytes' } },
  });
  expect((await patch({ note: han.slice(0, 666) })).status).toBe(200);
  expect(await tagsOf()).toEqual({ note: han.slice(0, 666) });
});

describe('of a repository', () => {
  const given = async (repo_info: { name: string; provider?: string; id?: string }) => {
    await api.call(beginTrail, { params: { flow_name: name }, body: { name: `trail-${++count}`, repo_info } });
    const query: Record<string, string> = repo_info.provider ? { provider: repo_info.provider } : {};
    const found = await api.call(getRepo, { params: { repo_name: repo_info.name }, query });
    return (found as Answer<Repo>).body;
  };
  const patchRepo = (id: string, set_tags: Record<string, string> | null, remove_tags: string[] | null = null) =>
    api.call(patchTags, { params: { type: 'repo', id }, body: { set_tags, remove_tags } });
  const read = async (id: string) =>
    ((await api.call(getRepo, { params: { repo_name: '-' }, query: { id } })) as Answer<Repo>).body;
  const entries = async (repoName: string) =>
    (await api.journal()).filter(
      (entry) => entry.type === 'repository.tagged' && (entry.payload as { name: string }).name === repoName,
    );

  it('are set and removed by our id, and only real changes are recorded', async () => {
    const repo = await given({ name: 'acme/tagged', provider: 'github', id: '1' });
    expect(await patchRepo(repo.id, { team: 'blue', risk: 'high' })).toMatchObject({
      status: 200,
      body: `Tags of repository '${repo.id}' updated`,
    });
    expect((await patchRepo(repo.id, { team: 'blue' }, ['absent'])).status).toBe(200);
    expect((await patchRepo(repo.id, null, ['risk'])).status).toBe(200);
    expect((await read(repo.id)).tags).toEqual({ team: 'blue' });
    const common = { type: 'repository.tagged', actor: 'acme-admin' };
    const about = { name: 'acme/tagged', provider: 'github' };
    expect(await entries('acme/tagged')).toEqual([
      { ...common, subject_seq: 1, payload: { ...about, set: { team: 'blue', risk: 'high' }, removed: [] } },
      { ...common, subject_seq: 2, payload: { ...about, set: {}, removed: ['risk'] } },
    ]);
  });

  it('are found by its name with its slashes as they are, if no other has it', async () => {
    const repo = await given({ name: 'acme/deep/er' });
    const url = '/api/v2/tags/acme/repos/acme/deep/er';
    const headers = { authorization: `Bearer ${api.org.keys.member}` };
    const answer = await api.inject({ method: 'PATCH', url, headers, payload: { set_tags: { a: 'b' } } });
    expect(answer).toMatchObject({ status: 200, body: "Tags of repository 'acme/deep/er' updated" });
    expect((await read(repo.id)).tags).toEqual({ a: 'b' });
    expect((await entries('acme/deep/er')).map((entry) => entry.payload)).toEqual([
      { name: 'acme/deep/er', set: { a: 'b' }, removed: [] },
    ]);
  });

  it('are refused by a name that two have, with their ids, and by one that none has', async () => {
    const one = await given({ name: 'acme/twice', provider: 'github' });
    const two = await given({ name: 'acme/twice', provider: 'gitlab' });
    const shown = [one, two].sort((a, b) => (a.id < b.id ? -1 : 1)).map((repo) => `${repo.provider} (id ${repo.id})`);
    expect(await patchRepo('acme/twice', { a: 'b' })).toMatchObject({
      status: 400,
      body: {
        message: "More than one repository is named 'acme/twice': select one by its provider or its id",
        errors: { id: `matches ${shown.join(', ')}` },
      },
    });
    for (const id of ['acme/nobody', '0190c0de-0000-7000-8000-000000000000']) {
      expect(await patchRepo(id, { a: 'b' })).toMatchObject({
        status: 404,
        body: { message: `Repository '${id}' does not exist in this org` },
      });
    }
    expect(await entries('acme/twice')).toEqual([]);
  });

  it('of another org are out of reach', async () => {
    const repo = await given({ name: 'acme/ours' });
    const others = await api.givenOrg('tag-others');
    const answer = await api.call(patchTags, {
      params: { org: others.name, type: 'repo', id: repo.id },
      key: others.keys.admin,
      body: { set_tags: { a: 'b' } },
    });
    expect(answer.status).toBe(404);
    expect((await read(repo.id)).tags).toEqual({});
  });

  it('are recorded once when identical requests race, and each when different ones do', async () => {
    const repo = await given({ name: 'acme/raced' });
    const same = await Promise.all(Array.from({ length: 16 }, () => patchRepo(repo.id, { team: 'blue' })));
    expect(same.map((answer) => answer.status)).toEqual(Array(16).fill(200));
    const different = await Promise.all(
      Array.from({ length: 16 }, (_, i) => patchRepo(repo.id, { [`key-${i}`]: 'x' })),
    );
    expect(different.map((answer) => answer.status)).toEqual(Array(16).fill(200));
    expect((await entries('acme/raced')).map((entry) => entry.subject_seq)).toEqual(
      Array.from({ length: 17 }, (_, i) => i + 1),
    );
    expect(Object.keys((await read(repo.id)).tags)).toHaveLength(17);
  });

  it('outlive another report of the repository', async () => {
    const repo = await given({ name: 'acme/kept', provider: 'github', id: '77' });
    await patchRepo(repo.id, { a: 'b' });
    const renamed = await given({ name: 'acme/moved', provider: 'github', id: '77' });
    expect(renamed).toMatchObject({ id: repo.id, name: 'acme/moved', tags: { a: 'b' } });
  });
});
