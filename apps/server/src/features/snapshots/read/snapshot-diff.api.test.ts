import { diffSnapshots, roles } from '@waymark/contract';
import { beforeEach, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { commit, fingerprint, givenArtifact, givenFlow, givenTrail } from '../../../../test/given/evidence.ts';
import { startApi } from '../../../../test/harness.ts';

const api = await startApi();
await givenFlow(api, 'build');
await givenTrail(api, 'build', 'release');
await givenArtifact(api, 'build', '1', { trail_name: 'release' });

let count = 0;
let env = '';

beforeEach(async () => {
  env = `prod-${++count}`;
  await givenEnvironment(api, env, 'K8S');
});

const pod = (podName: string, name: string, digit: string, creationTimestamp = 1000) => ({
  podName,
  namespace: 'default',
  digests: { [name]: digit && fingerprint(digit) },
  creationTimestamp,
});

async function report(artifacts: object[], name = env): Promise<void> {
  const answer = await api.inject({
    method: 'PUT',
    url: `/api/v2/environments/acme/${name}/report/K8S`,
    headers: { authorization: `Bearer ${api.org.keys.snapshotter}` },
    payload: { artifacts },
  });
  if (answer.status !== 200) throw new Error(`the report was not taken: ${JSON.stringify(answer.body)}`);
}

function diff(snappish1: string, snappish2: string, key = api.org.keys.reader) {
  return api.call(diffSnapshots, { query: { snappish1, snappish2 }, key });
}

it('shows what runs in one snapshot only, what is equal, and what differs', async () => {
  await report([pod('a-1', 'api', '1', 5), pod('w-1', 'web', '2'), pod('o-1', 'old', '3'), pod('s-1', 'side', '')]);
  await report([
    pod('a-1', 'api', '1', 5),
    pod('w-2', 'web', '2', 20),
    pod('w-1', 'web', '2', 10),
    pod('n-1', 'new', '4'),
    pod('s-2', 'side', ''),
  ]);
  const { status, body } = await diff(`${env}~1`, env);
  expect(status).toBe(200);
  const unknown = { flow: '', commit_url: '', previous_name: null };
  expect(body).toEqual({
    snappish1: {
      snapshot_id: `${env}#1`,
      artifacts: [
        {
          ...unknown,
          name: 'old',
          fingerprint: fingerprint('3'),
          most_recent_timestamp: 1000,
          instance_count: 1,
          s1_instance_count: 1,
          s2_instance_count: null,
          pods: ['o-1'],
        },
      ],
    },
    snappish2: {
      snapshot_id: `${env}#2`,
      artifacts: [
        {
          ...unknown,
          name: 'new',
          fingerprint: fingerprint('4'),
          most_recent_timestamp: 1000,
          instance_count: 1,
          s1_instance_count: null,
          s2_instance_count: 1,
          pods: ['n-1'],
        },
      ],
    },
    changed: {
      snapshot_id: null,
      artifacts: [
        {
          ...unknown,
          name: 'web',
          fingerprint: fingerprint('2'),
          most_recent_timestamp: 20,
          instance_count: null,
          s1_instance_count: 1,
          s2_instance_count: 2,
          pods: ['w-1', 'w-2'],
        },
      ],
    },
    'not-changed': {
      snapshot_id: null,
      artifacts: [
        {
          name: 'api',
          previous_name: null,
          fingerprint: fingerprint('1'),
          flow: 'build',
          commit_url: `https://git.example.com/${commit('1')}`,
          most_recent_timestamp: 5,
          instance_count: 1,
          s1_instance_count: null,
          s2_instance_count: null,
          pods: ['a-1'],
        },
        {
          ...unknown,
          name: 'side',
          fingerprint: '',
          most_recent_timestamp: 1000,
          instance_count: 1,
          s1_instance_count: null,
          s2_instance_count: null,
          pods: ['s-2'],
        },
      ],
    },
  });
});

it.each([
  ['~5', (name: string) => `Snapshot expression '~5' is number -4, and '${name}' has 1 snapshot`],
  ['#-3', (name: string) => `Snapshot expression '-3' is number -1, and '${name}' has 1 snapshot`],
  ['#12', (name: string) => `Snapshot 12 of '${name}' does not exist: it has 1 snapshot`],
])('resolves %s to a number, and says how many there are', async (expression, message) => {
  await report([pod('a-1', 'api', '1')]);
  expect(await diff(env, `${env}${expression}`)).toMatchObject({ status: 404, body: { message: message(env) } });
});

it('compares two environments, and the same artifact under another name', async () => {
  await givenEnvironment(api, `${env}-stage`, 'K8S');
  await report([pod('a-1', 'api:1', '1')]);
  await report([pod('a-1', 'api:stable', '1'), pod('b-1', 'beta', '5')], `${env}-stage`);
  const { body } = await diff(`${env}#1`, `${env}-stage@{now}`);
  expect(body.snappish1).toEqual({ snapshot_id: `${env}#1`, artifacts: [] });
  expect(body.snappish2).toMatchObject({ snapshot_id: `${env}-stage#1`, artifacts: [{ name: 'beta' }] });
  expect(body.changed.artifacts).toMatchObject([
    { name: 'api:stable', previous_name: 'api:1', instance_count: null, s1_instance_count: 1, s2_instance_count: 1 },
  ]);
  expect(body['not-changed'].artifacts).toEqual([]);
});

it('finds no difference between a snapshot and itself, and ignores exited artifacts', async () => {
  await report([pod('a-1', 'api', '1'), pod('w-1', 'web', '2')]);
  await report([pod('a-1', 'api', '1')]);
  const { body } = await diff(`${env}#2`, `${env}~0`);
  expect(body).toMatchObject({
    snappish1: { snapshot_id: `${env}#2`, artifacts: [] },
    snappish2: { snapshot_id: `${env}#2`, artifacts: [] },
    changed: { artifacts: [] },
    'not-changed': { artifacts: [{ name: 'api' }] },
  });
});

it('names which of the two is malformed', async () => {
  await report([pod('a-1', 'api', '1')]);
  expect(await diff('#1', env)).toMatchObject({
    status: 400,
    body: { errors: { 'query.snappish1': expect.stringContaining('has no environment in front') } },
  });
  expect(await diff(env, `${env}#1~2`)).toMatchObject({
    status: 400,
    body: { errors: { 'query.snappish2': expect.stringContaining('more than one of #, ~ and @') } },
  });
  expect((await api.call(diffSnapshots, { query: { snappish1: env } })).body).toMatchObject({
    errors: { 'query.snappish2': expect.any(String) },
  });
  await givenEnvironment(api, `${env}-all`, 'logical', { included_environments: [env] });
  expect(await diff(env, `${env}-all`)).toMatchObject({
    status: 400,
    body: { errors: { 'query.snappish2': expect.stringContaining(`use those of its members: ${env}`) } },
  });
});

it('says which environment or snapshot is unknown', async () => {
  await report([pod('a-1', 'api', '1')]);
  const message = async (one: string, other: string) => {
    const { status, body } = await diff(one, other);
    return [status, (body as unknown as { message: string }).message];
  };
  expect(await message(env, 'nowhere')).toEqual([404, "Environment 'nowhere' does not exist in this org"]);
  expect(await message(`${env}#7`, env)).toEqual([404, `Snapshot 7 of '${env}' does not exist: it has 1 snapshot`]);
});

it('is for every role of the org, and not for another org', async () => {
  await report([pod('a-1', 'api', '1')]);
  for (const role of roles) expect((await diff(env, env, api.org.keys[role])).status).toBe(200);
  const other = await api.givenOrg(`other-${count}`);
  expect((await diff(env, env, other.keys.admin)).status).toBe(403);
});
