import {
  archiveEnvironment,
  archivePolicy,
  attachPolicies,
  detachPolicies,
  listEnvironments,
  patchEnvironment,
  putEnvironment,
  type Role,
  renameEnvironment,
  reportServer,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../test/given/environments.ts';
import { fingerprint } from '../../../test/given/evidence.ts';
import { attestationPolicy, givenPolicy, policyNamed, REQUIRES_PROVENANCE } from '../../../test/given/policies.ts';
import { startApi } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { readAttached } from '../policies/attached.reads.ts';
import { parseCached } from '../policies/parsed-policy.reads.ts';
import { findPolicyVersion } from '../policies/policy.reads.ts';

const api = await startApi();
const foreign = await api.givenOrg('foreign');
let name = '';
let lax = '';
let strict = '';
let count = 0;
beforeEach(async () => {
  name = `env-${++count}`;
  lax = `lax-${count}`;
  strict = `strict-${count}`;
  await givenEnvironment(api, name);
  for (const policy of [lax, strict]) await givenPolicy(api, policy);
});

const attach = (policy_names: string[], env_name = name, key = api.org.keys.member) =>
  api.call(attachPolicies, { params: { env_name }, body: { policy_names }, key });
const detach = (policy_names: string[], env_name = name, key = api.org.keys.member) =>
  api.call(detachPolicies, { params: { env_name }, body: { policy_names }, key });
const put = (body: object, key = api.org.keys.member) =>
  api.call(putEnvironment, { body: { name, type: 'server', ...body } as never, key });
const patch = (body: object) => api.call(patchEnvironment, { params: { env_name: name }, body: body as never });
const policiesOf = async (env_name = name) => (await environmentOf(api, env_name)).policies;
const OK = { status: 200, body: 'OK' };

/** The journal entries about the environment, with its own counter, in the order of the journal. */
async function entries() {
  const { id } = await environmentOf(api, name);
  const { rows } = await sql<{ type: string; subject_seq: number; payload: string }>`
    select type, subject_seq, payload from journal
    where org_id = ${api.org.id} and subject_kind = 'environment' and subject_id = ${id} and type <> 'environment.created'
    order by seq`.execute(api.db);
  return rows.map((row) => [row.type, row.subject_seq, JSON.parse(row.payload) as unknown]);
}
const historyOf = async (policy: string) =>
  (await policyNamed(api, policy)).events.slice(1).map(({ type, user, data }) => [type, user, data]);
const entryPolicy = (policy: string) => ({ id: expect.any(String), name: policy, version: 1 });

describe('attaching policies', () => {
  it('shows them with the environment and the environment with them, and records both', async () => {
    expect(await attach([strict, lax, strict])).toMatchObject(OK);
    expect(await policiesOf()).toEqual([lax, strict]);
    expect(await policyNamed(api, lax)).toMatchObject({ consuming_envs: [name] });
    expect(await entries()).toEqual([
      ['policy.attached', 2, { environment: name, policies: [entryPolicy(lax), entryPolicy(strict)] }],
    ]);
    expect(await historyOf(strict)).toEqual([['policy_attached', 'member', { environment: name, version: 1 }]]);
    const listed = await api.call(listEnvironments, { query: { name } });
    expect(listed.body).toContainEqual(expect.objectContaining({ name, policies: [lax, strict] }));
  });

  it('changes nothing for those that are attached already', async () => {
    await attach([lax]);
    const { last_modified_at } = await environmentOf(api, name);
    api.clock.now = new Date(api.clock.now.getTime() + 5_000);
    expect(await attach([lax])).toMatchObject(OK);
    expect(await attach([])).toMatchObject(OK);
    expect((await environmentOf(api, name)).last_modified_at).toBe(last_modified_at);
    expect(await entries()).toHaveLength(1);
    await attach([lax, strict]);
    expect((await entries()).at(-1)).toEqual([
      'policy.attached',
      3,
      { environment: name, policies: [entryPolicy(strict)] },
    ]);
    expect(await historyOf(lax)).toHaveLength(1);
  });

  it('refuses policies that do not exist, are archived or are of another org, and attaches none then', async () => {
    await givenPolicy(api, `theirs-${count}`, REQUIRES_PROVENANCE, foreign);
    await api.call(archivePolicy, { params: { name: strict } });
    for (const unknown of ['nobody', `theirs-${count}`, strict, '']) {
      expect(await attach([lax, unknown])).toMatchObject({
        status: 404,
        body: { message: `Policy '${unknown}' does not exist in this org` },
      });
    }
    expect(await policiesOf()).toEqual([]);
    expect(await entries()).toEqual([]);
  });

  it('refuses environments that are logical or do not exist, and accepts a former name', async () => {
    await givenEnvironment(api, `${name}-all`, 'logical');
    for (const change of [attach, detach]) {
      expect(await change([lax], `${name}-all`)).toMatchObject({
        status: 400,
        body: {
          errors: {
            env_name: `cannot be '${name}-all': the verdict of a logical environment follows from its members`,
          },
        },
      });
      expect(await change([lax], 'nowhere')).toMatchObject({
        status: 404,
        body: { message: "Environment 'nowhere' does not exist in this org" },
      });
    }
    await api.call(renameEnvironment, { params: { env_name: name }, body: { new_name: `${name}-b` } });
    expect(await attach([lax])).toMatchObject(OK);
    expect(await policyNamed(api, lax)).toMatchObject({ consuming_envs: [`${name}-b`] });
  });

  it.each([
    [{}, { policy_names: 'is required' }],
    [{ policy_names: 'lax' }, { policy_names: 'must be a list' }],
    [{ policy_names: [7] }, { 'policy_names.0': 'must be text' }],
    [{ policy_names: ['a\u0000'] }, { 'policy_names.0': 'must not contain U+0000 or invalid Unicode characters' }],
    [{ policy_names: Array(101).fill('lax') }, { policy_names: 'must have at most 100 items' }],
    [{ policy_names: [], more: 1 }, { more: 'is unknown' }],
  ])('refuses %j and names the field', async (body, errors) => {
    for (const contract of [attachPolicies, detachPolicies]) {
      const answer = await api.call(contract, { params: { env_name: name }, body: body as never });
      expect(answer).toMatchObject({ status: 400, body: { errors } });
    }
  });

  it('stops at 100 policies', async () => {
    const other = await api.givenOrg(`many-${count}`);
    await givenEnvironment(api, name, 'server', {}, other);
    const names = Array.from({ length: 101 }, (_, i) => `p-${i}`);
    for (const policy of names) await givenPolicy(api, policy, REQUIRES_PROVENANCE, other);
    const attachThere = (policy_names: string[]) =>
      api.call(attachPolicies, {
        params: { org: other.name, env_name: name },
        body: { policy_names },
        key: other.keys.member,
      });
    expect((await attachThere(names.slice(0, 99))).status).toBe(200);
    expect(await attachThere(['p-99', 'p-100'])).toMatchObject({
      status: 400,
      body: { errors: { policy_names: 'would be too many: the environment has 99 policies, and the maximum is 100' } },
    });
    expect((await attachThere(['p-99', 'p-3'])).status).toBe(200);
    expect((await attachThere(['p-99', 'p-3'])).status).toBe(200);
    expect((await attachThere(['p-100'])).status).toBe(400);
  });

  it('attaches once when 24 identical requests race, and to each when environments do', async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, () => attach([lax, strict])));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await entries()).toHaveLength(1);
    const others = Array.from({ length: 8 }, (_, i) => `${name}-${i}`);
    for (const other of others) await givenEnvironment(api, other);
    const orders = [
      [lax, strict],
      [strict, lax],
    ];
    const each = await Promise.all(others.map((other, i) => attach(orders[i % 2] ?? [], other)));
    expect(each.every(({ status }) => status === 200)).toBe(true);
    expect((await policyNamed(api, lax)).consuming_envs).toEqual([name, ...others]);
    expect(await historyOf(strict)).toHaveLength(9);
  });

  it('ends in one state or the other, in the order of the journal, when attaching and detaching race', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? attach([lax]) : detach([lax]))));
    const recorded = await entries();
    expect(recorded.map(([, seq]) => seq)).toEqual(recorded.map((_, i) => i + 2));
    expect(recorded.map(([type]) => type)).toEqual(
      recorded.map((_, i) => (i % 2 ? 'policy.detached' : 'policy.attached')),
    );
    expect(await policiesOf()).toEqual(recorded.length % 2 ? [lax] : []);
    expect((await historyOf(lax)).map(([type]) => type)).toEqual(
      recorded.map(([type]) => String(type).replace('.', '_')),
    );
  });

  it('judges by one version or the next when attaching races with a new version, many times', async () => {
    const others = Array.from({ length: 6 }, (_, i) => `${name}-${i}`);
    for (const other of others) await givenEnvironment(api, other);
    const texts = Array.from({ length: 6 }, (_, i) => attestationPolicy(`{ name: check-${i}, type: junit }`));
    const answers = await Promise.all([
      ...others.map((other) => attach([strict, lax], other)),
      ...texts.map((text) => givenPolicy(api, lax, text)),
      ...others.map((other) => api.call(patchEnvironment, { params: { env_name: other }, body: { policies: [lax] } })),
    ]);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const { events, versions } = await policyNamed(api, lax);
    expect(versions).toHaveLength(7);
    const seen = events.flatMap(({ data }) => data['version'] ?? []);
    expect(seen).toEqual(seen.toSorted());
    for (const other of others) expect(await policiesOf(other)).toContain(lax);
  });

  it('returns the same response to a repeat under the same key', async () => {
    const repeat = () =>
      api.call(attachPolicies, {
        params: { env_name: name },
        body: { policy_names: [lax] },
        headers: { 'idempotency-key': `attach-${count}` },
      });
    expect(await repeat()).toMatchObject(OK);
    await detach([lax]);
    expect(await repeat()).toMatchObject(OK);
    expect(await policiesOf()).toEqual([]);
  });

  it.each<[Role, number]>([
    ['reader', 403],
    ['snapshotter', 403],
    ['member', 200],
    ['admin', 200],
  ])('answers the role %s with %i', async (role, status) => {
    expect((await attach([lax], name, api.org.keys[role])).status).toBe(status);
    expect((await detach([lax], name, api.org.keys[role])).status).toBe(status);
    expect((await attach([lax], name, foreign.keys[role])).status).toBe(403);
  });
});

describe('detaching policies', () => {
  it('detaches them and records it, and changes nothing for those that are not attached', async () => {
    await attach([lax, strict]);
    expect(await detach([lax])).toMatchObject(OK);
    expect(await detach([lax])).toMatchObject(OK);
    expect(await policiesOf()).toEqual([strict]);
    expect(await entries()).toEqual([
      ['policy.attached', 2, expect.anything()],
      ['policy.detached', 3, { environment: name, policies: [entryPolicy(lax)] }],
    ]);
    expect((await historyOf(lax)).at(-1)).toEqual(['policy_detached', 'member', { environment: name, version: 1 }]);
    expect(await policyNamed(api, lax)).toMatchObject({ consuming_envs: [] });
  });

  it('refuses a policy that does not exist, and detaches none then', async () => {
    await attach([lax]);
    expect(await detach([lax, 'nobody'])).toMatchObject({
      status: 404,
      body: { message: "Policy 'nobody' does not exist in this org" },
    });
    expect(await policiesOf()).toEqual([lax]);
  });
});

describe('the policies of an environment that is put or patched', () => {
  it('are set as a whole, and left alone when they are absent', async () => {
    name = `${name}-new`;
    expect(await put({ policies: [strict] })).toMatchObject({ status: 201, body: `Environment '${name}' created` });
    expect(await policiesOf()).toEqual([strict]);
    for (const policies of [undefined, null, [strict]]) {
      expect(await put({ policies })).toMatchObject({ body: `Environment '${name}' unchanged` });
      expect(await patch({ policies })).toMatchObject({ body: `Environment '${name}' unchanged` });
    }
    expect(await patch({ policies: [lax], description: 'new' })).toMatchObject({
      status: 200,
      body: `Environment '${name}' updated`,
    });
    expect(await policiesOf()).toEqual([lax]);
    expect(await put({ policies: [] })).toMatchObject({ body: `Environment '${name}' updated` });
    expect(await policiesOf()).toEqual([]);
    expect((await entries()).map(([type, seq]) => [type, seq])).toEqual([
      ['policy.attached', 2],
      ['environment.updated', 3],
      ['policy.attached', 4],
      ['policy.detached', 5],
      ['policy.detached', 6],
    ]);
    expect(await historyOf(lax)).toEqual([
      ['policy_attached', 'acme-admin', { environment: name, version: 1 }],
      ['policy_detached', 'member', { environment: name, version: 1 }],
    ]);
  });

  it('are left alone when a snapshotter, who may not set them, sends a report', async () => {
    await attach([lax]);
    expect((await put({ description: 'x' }, api.org.keys.snapshotter)).status).toBe(201);
    expect((await put({ policies: [] }, api.org.keys.snapshotter)).status).toBe(403);
    expect(await policiesOf()).toEqual([lax]);
  });

  it('must exist, and be no more than 100', async () => {
    expect(await patch({ policies: [lax, 'nobody'] })).toMatchObject({ status: 404 });
    expect(await patch({ policies: Array(101).fill(lax) })).toMatchObject({
      status: 400,
      body: { errors: { policies: 'must have at most 100 items' } },
    });
    expect(await entries()).toEqual([]);
  });
});

describe('what runs in an environment', () => {
  beforeEach(async () => {
    const artifacts = [{ digests: { app: fingerprint('a') }, creationTimestamp: 1 }];
    await api.call(reportServer, { params: { env_name: name }, body: { artifacts } });
  });

  const indexOf = async () => (await environmentOf(api, name)).latest_snapshot_index;

  it('is judged at once when policies are attached, detached or set, and not when nothing changes', async () => {
    expect(await indexOf()).toBe(1);
    await attach([lax]);
    expect(await indexOf()).toBe(2);
    await attach([lax]);
    await detach([strict]);
    await patch({ policies: [lax] });
    expect(await indexOf()).toBe(2);
    await detach([lax]);
    expect(await indexOf()).toBe(3);
    await patch({ policies: [strict] });
    expect(await indexOf()).toBe(4);
    await put({ policies: [] });
    expect(await indexOf()).toBe(5);
    expect((await entries()).map(([, seq]) => seq)).toEqual((await entries()).map((_, i) => i + 2));
  });
});

it('an archived environment uses no policies', async () => {
  await attach([lax]);
  await api.call(archiveEnvironment, { params: { env_name: name } });
  expect(await policyNamed(api, lax)).toMatchObject({ consuming_envs: [] });
});

describe('other features read', () => {
  const ctx = systemCtx(api.db, api.org.id, 'tests', api.app.log);

  it('each environment with its policies, by name, in their newest version', async () => {
    await givenEnvironment(api, `${name}-bare`);
    await attach([strict, lax]);
    const policy_yaml = attestationPolicy('{ type: junit }');
    await givenPolicy(api, strict, policy_yaml);
    const { id } = await environmentOf(api, name);
    const bare = await environmentOf(api, `${name}-bare`);
    const attached = await readAttached(api.db, api.org.id, [id, bare.id]);
    expect([...attached]).toEqual([
      [
        id,
        [
          { policy_id: expect.any(String), name: lax, version: 1, policy_yaml: REQUIRES_PROVENANCE },
          { policy_id: expect.any(String), name: strict, version: 2, policy_yaml },
        ],
      ],
    ]);
    expect(await readAttached(api.db, foreign.id, [id])).toEqual(new Map());
  });

  it('one version of a policy, by default the newest', async () => {
    const policy_yaml = attestationPolicy('{ type: junit }');
    await givenPolicy(api, strict, policy_yaml);
    expect(await findPolicyVersion(ctx, strict)).toMatchObject({ name: strict, version: 2, policy_yaml });
    expect(await findPolicyVersion(ctx, strict, 1)).toMatchObject({ version: 1, policy_yaml: REQUIRES_PROVENANCE });
    await expect(findPolicyVersion(ctx, strict, 3)).rejects.toThrow(
      `Policy version '${strict}@v3' does not exist in this org`,
    );
    await expect(findPolicyVersion(ctx, 'nobody')).rejects.toThrow("Policy 'nobody' does not exist in this org");
  });

  it('a policy that is parsed once', () => {
    const parsed = parseCached(REQUIRES_PROVENANCE);
    expect(parsed.rules).toMatchObject([{ kind: 'provenance' }]);
    expect(parseCached(REQUIRES_PROVENANCE)).toBe(parsed);
    expect(() => parseCached('no: policy')).toThrow('a stored policy cannot be read any more');
  });
});
