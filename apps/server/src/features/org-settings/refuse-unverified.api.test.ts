import { getOrganization, putRefuseUnverified } from '@waymark/contract';
import { expect, it } from 'vitest';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();
let count = 0;
const givenOrg = () => api.givenOrg(`careful-${++count}`);

const put = (org: TestOrg, refuse_unverified: unknown, key = org.keys.admin) =>
  api.call(putRefuseUnverified, {
    params: { org: org.name },
    key,
    body: { refuse_unverified: refuse_unverified as boolean },
  });
const read = async (org: TestOrg) =>
  (await api.call(getOrganization, { params: { org: org.name }, key: org.keys.reader })).body.refuse_unverified;
const changes = async (org: TestOrg) =>
  (await api.journal(org)).filter((entry) => entry.type === 'org.refuse_unverified_changed');

it('is off until it is set, and each change is recorded', async () => {
  const [org, other] = [await givenOrg(), await givenOrg()];
  expect(await read(org)).toBe(false);
  expect(await put(org, true)).toMatchObject({ status: 200, body: { refuse_unverified: true } });
  expect(await read(org)).toBe(true);
  expect(await put(org, false)).toMatchObject({ status: 200 });
  const actor = `${org.name}-admin`;
  expect(await changes(org)).toEqual([
    { type: 'org.refuse_unverified_changed', subject_seq: 2, actor, payload: { enabled: true } },
    { type: 'org.refuse_unverified_changed', subject_seq: 3, actor, payload: { enabled: false } },
  ]);
  expect(await read(other)).toBe(false);
});

it('records nothing when it is so already, also in a race', async () => {
  const org = await givenOrg();
  expect((await put(org, false)).status).toBe(200);
  expect(await changes(org)).toEqual([]);
  const answers = await Promise.all(Array.from({ length: 16 }, () => put(org, true)));
  expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
  expect(await changes(org)).toHaveLength(1);
});

it('is set by admins of the org alone', async () => {
  const [org, other] = [await givenOrg(), await givenOrg()];
  for (const role of ['reader', 'snapshotter', 'member'] as const) {
    expect(await put(org, true, org.keys[role])).toMatchObject({ status: 403 });
  }
  expect((await put(org, true, other.keys.admin)).status).toBe(403);
  expect(await changes(org)).toEqual([]);
});

it.each([null, 'yes', 1, undefined])('refuses %j', async (wrong) => {
  const org = await givenOrg();
  expect(await put(org, wrong)).toMatchObject({
    status: 400,
    body: { errors: { refuse_unverified: expect.any(String) } },
  });
});
