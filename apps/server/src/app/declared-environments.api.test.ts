import {
  archiveEnvironment,
  attachPolicies,
  detachPolicies,
  type Environment,
  getEnvironment,
  getPolicy,
  listEnvironments,
  type Policy,
  patchEnvironment,
  patchTags,
  putEnvironment,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { TEXTS } from '../../test/given/declared.ts';
import { environmentOf, givenEnvironment } from '../../test/given/environments.ts';
import { givenPolicy } from '../../test/given/policies.ts';
import { startApi } from '../../test/harness.ts';

const api = await startApi();
let name = '';
let count = 0;
beforeEach(() => {
  name = `env-${++count}`;
});

const put = (body: object) =>
  api.call(putEnvironment, { body: { name, type: 'K8S', description: '', ...body } as never });
const patch = (body: object) => api.call(patchEnvironment, { params: { env_name: name }, body: body as never });
const read = (env_name = name) => api.call(getEnvironment, { params: { env_name } });
const destroy = () => api.call(archiveEnvironment, { params: { env_name: name } });
const tag = (body: object) => api.call(patchTags, { params: { type: 'environment', id: name }, body: body as never });

describe('an environment as a declared resource', () => {
  it('is read back by its name alone as it was created, and is listed the same', async () => {
    const created = await put({ description: 'the shop', include_scaling: true, included_environments: null });
    expect(created.status).toBe(201);
    const { status, body } = await read();
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        name,
        type: 'K8S',
        description: 'the shop',
        include_scaling: true,
        included_environments: [],
        policies: [],
        tags: {},
      },
    });
    const listed = (await api.call(listEnvironments, { query: { name } })).body as Environment[];
    expect(listed.filter((one) => one.name === name)).toEqual([body]);
  });

  it.each(TEXTS)('keeps a description byte for byte: %j', async (description) => {
    await put({ description });
    expect((await environmentOf(api, name)).description).toBe(description);
    await patch({ description: 'between' });
    await patch({ description });
    expect((await environmentOf(api, name)).description).toBe(description);
  });

  it('has an empty description when it is absent, null or empty, and PATCH distinguishes these', async () => {
    for (const [i, description] of [undefined, null, ''].entries()) {
      name = `${name}-${i}`;
      await put({ description });
      expect((await environmentOf(api, name)).description).toBe('');
    }
    await patch({ description: 'given' });
    await patch({ include_scaling: true });
    await patch({ description: null });
    expect((await environmentOf(api, name)).description).toBe('given');
    await patch({ description: '' });
    expect(await environmentOf(api, name)).toMatchObject({ description: '', include_scaling: true });
  });

  it('is the same after an apply that changes nothing', async () => {
    await put({ description: 'x' });
    const before = await environmentOf(api, name);
    await patch({ description: 'x', include_scaling: false, included_environments: null });
    await put({ description: 'x' });
    expect(await environmentOf(api, name)).toEqual(before);
  });

  it('is gone once it is destroyed, and can be created again', async () => {
    await put({ description: 'first' });
    const { id } = await environmentOf(api, name);
    expect((await destroy()).status).toBe(200);
    expect((await read()).status).toBe(404);
    expect((await destroy()).status).toBe(404);
    await put({ description: '' });
    const again = await environmentOf(api, name);
    expect([again.description, again.id === id]).toEqual(['', false]);
  });

  it('has tags that are set, changed, removed and read back', async () => {
    await put({});
    const values = { team: 'red', 'cost.center': 'ünï 🚀', empty: '', spaced: '  x ' };
    expect((await tag({ set_tags: values, remove_tags: [] })).status).toBe(200);
    expect((await environmentOf(api, name)).tags).toEqual(values);
    expect((await tag({ set_tags: { team: 'blue' }, remove_tags: ['empty', 'never'] })).status).toBe(200);
    expect((await tag({ set_tags: null, remove_tags: null })).status).toBe(200);
    const { empty: _, ...rest } = values;
    expect((await environmentOf(api, name)).tags).toEqual({ ...rest, team: 'blue' });
    expect((await tag({ set_tags: {}, remove_tags: Object.keys(rest) })).status).toBe(200);
    expect((await environmentOf(api, name)).tags).toEqual({});
  });
});

describe('a logical environment as a declared resource', () => {
  const parts = ['zeta', 'alpha', 'mid'];
  const included = async () => (await environmentOf(api, name)).included_environments;
  beforeEach(async () => {
    for (const part of parts) await givenEnvironment(api, part);
  });

  it('converges: members are read back in the order given, after create, change and repeat', async () => {
    await put({ type: 'logical', included_environments: parts });
    expect(await environmentOf(api, name)).toMatchObject({ type: 'logical', included_environments: parts });
    expect((await put({ type: 'logical', included_environments: parts })).body).toContain('unchanged');
    for (const members of [['mid', 'zeta'], ['zeta', 'mid'], ['alpha', 'zeta', 'mid'], [], ['mid', 'alpha']]) {
      expect((await patch({ description: 'x', included_environments: members })).status).toBe(200);
      expect(await included()).toEqual(members);
      expect((await patch({ included_environments: members })).body).toContain('unchanged');
    }
    await patch({ description: 'y' });
    expect(await environmentOf(api, name)).toMatchObject({ description: 'y', included_environments: ['mid', 'alpha'] });
    const listed = (await api.call(listEnvironments, { query: { name } })).body as Environment[];
    expect(listed.find((one) => one.name === name)?.included_environments).toEqual(['mid', 'alpha']);
  });

  it('has no members when the list is absent, null or empty', async () => {
    for (const [i, included_environments] of [undefined, null, []].entries()) {
      name = `${name}-${i}`;
      await put({ type: 'logical', included_environments });
      expect(await included()).toEqual([]);
    }
  });

  it('is gone once it is destroyed, and its members stay', async () => {
    await put({ type: 'logical', included_environments: parts });
    await destroy();
    expect((await read()).status).toBe(404);
    expect((await read('zeta')).status).toBe(200);
    await put({ type: 'logical', included_environments: ['mid', 'alpha'] });
    expect(await included()).toEqual(['mid', 'alpha']);
  });
});

describe('a policy attachment as a declared resource', () => {
  const attach = (...policy_names: string[]) =>
    api.call(attachPolicies, { params: { env_name: name }, body: { policy_names } });
  const detach = (...policy_names: string[]) =>
    api.call(detachPolicies, { params: { env_name: name }, body: { policy_names } });
  const attached = async () => (await environmentOf(api, name)).policies;

  it('is read from the environment and from the policy, and is gone once it is destroyed', async () => {
    await put({});
    for (const policy of ['zoned', 'audited']) await givenPolicy(api, policy);
    for (const policy of ['zoned', 'audited']) expect((await attach(policy)).status).toBe(200);
    expect((await attached()).toSorted()).toEqual(['audited', 'zoned']);
    const { body } = await api.call(getPolicy, { params: { name: 'zoned' } });
    expect((body as Policy).consuming_envs).toContain(name);
    expect((await attach('zoned')).status).toBe(200);
    expect((await detach('zoned')).status).toBe(200);
    expect(await attached()).toEqual(['audited']);
    expect((await detach('zoned')).status).toBe(200);
    await detach('audited');
    expect(await attached()).toEqual([]);
  });

  it('survives a change of the environment that does not name policies', async () => {
    await put({});
    await givenPolicy(api, 'kept');
    await attach('kept');
    await patch({ description: 'x' });
    await put({ description: 'y', policies: null, included_environments: null });
    expect(await attached()).toEqual(['kept']);
  });
});
