import {
  attachPolicies,
  type ChangeControlMode,
  getOrganization,
  patchEnvironment,
  putChangeControl,
  putEnvironment,
  putPolicy,
} from '@waymark/contract';
import { expect, it } from 'vitest';
import { REQUIRES_PROVENANCE } from '../../../test/given/policies.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();
let count = 0;
const givenOrg = () => api.givenOrg(`controlled-${++count}`);

const put = (org: TestOrg, mode: unknown, key = org.keys.admin) =>
  api.call(putChangeControl, { params: { org: org.name }, key, body: { mode: mode as ChangeControlMode } });
const read = async (org: TestOrg) =>
  (await api.call(getOrganization, { params: { org: org.name }, key: org.keys.reader })).body.change_control;
const changes = async (org: TestOrg) =>
  (await api.journal(org)).filter((entry) => entry.type === 'org.change_control_changed');
const writePolicy = (org: TestOrg, key: string) =>
  api.call(putPolicy, { params: { org: org.name, name: 'prod' }, key, body: { policy_yaml: REQUIRES_PROVENANCE } });

it('is off until it is set, and each change is recorded', async () => {
  const [org, other] = [await givenOrg(), await givenOrg()];
  expect(await read(org)).toBe('off');
  expect(await put(org, 'admins')).toMatchObject({ status: 200, body: { mode: 'admins' } });
  expect(await read(org)).toBe('admins');
  expect(await put(org, 'off')).toMatchObject({ status: 200 });
  const actor = `${org.name}-admin`;
  expect(await changes(org)).toEqual([
    { type: 'org.change_control_changed', subject_seq: 2, actor, payload: { mode: 'admins' } },
    { type: 'org.change_control_changed', subject_seq: 3, actor, payload: { mode: 'off' } },
  ]);
  expect(await read(other)).toBe('off');
});

it('records nothing when it is so already, also in a race', async () => {
  const org = await givenOrg();
  expect((await put(org, 'off')).status).toBe(200);
  expect(await changes(org)).toEqual([]);
  const answers = await Promise.all(Array.from({ length: 16 }, () => put(org, 'admins')));
  expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
  expect((await put(org, 'admins')).status).toBe(200);
  expect(await changes(org)).toHaveLength(1);
});

it('is set by admins of the org alone', async () => {
  const [org, other] = [await givenOrg(), await givenOrg()];
  for (const role of ['reader', 'snapshotter', 'member'] as const) {
    expect(await put(org, 'admins', org.keys[role])).toMatchObject({
      status: 403,
      body: { message: `This requires the admin role; yours is ${role}` },
    });
  }
  expect((await put(org, 'admins', other.keys.admin)).status).toBe(403);
  expect(await changes(org)).toEqual([]);
});

it('takes a mode', async () => {
  const org = await givenOrg();
  for (const wrong of [null, 'on', 'admin', 1, undefined]) {
    expect(await put(org, wrong)).toMatchObject({ status: 400, body: { errors: { mode: expect.any(String) } } });
  }
});

it('keeps members from what it covers, from the next request on, and lets them again when it is off', async () => {
  const org = await givenOrg();
  expect((await writePolicy(org, org.keys.member)).status).toBe(201);
  await put(org, 'admins');
  expect(await writePolicy(org, org.keys.member)).toMatchObject({
    status: 403,
    body: { message: 'Change control of this org allows only admins to change policies; your role is member' },
  });
  expect((await writePolicy(org, org.keys.admin)).status).toBe(200);
  await put(org, 'off');
  expect((await writePolicy(org, org.keys.member)).status).toBe(200);
});

it('leaves environments to members as long as they do not touch attachments', async () => {
  const org = await givenOrg();
  await put(org, 'admins');
  await writePolicy(org, org.keys.admin);
  const params = { org: org.name, env_name: 'prod' };
  const REFUSED = {
    status: 403,
    body: { message: 'Change control of this org allows only admins to change attachments; your role is member' },
  };
  const create = (more: object, key = org.keys.member) =>
    api.call(putEnvironment, { params, key, body: { name: 'prod', type: 'server', ...more } });
  const patch = (body: object) => api.call(patchEnvironment, { params, key: org.keys.member, body });
  expect(await create({ policies: ['prod'] })).toMatchObject(REFUSED);
  expect((await create({ policies: null })).status).toBe(201);
  expect((await patch({ description: 'Where the shop runs' })).status).toBe(200);
  for (const policies of [['prod'], []]) expect(await patch({ policies })).toMatchObject(REFUSED);
  expect(
    await api.call(attachPolicies, { params, key: org.keys.member, body: { policy_names: ['prod'] } }),
  ).toMatchObject(REFUSED);
  expect((await create({ policies: ['prod'] }, org.keys.admin)).status).toBe(201);
});
