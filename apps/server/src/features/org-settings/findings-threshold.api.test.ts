import { type FindingLevel, getOrganization, putFindingsThreshold } from '@waymark/contract';
import { expect, it } from 'vitest';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();
let count = 0;
const givenOrg = () => api.givenOrg(`strict-${++count}`);

const put = (org: TestOrg, fails_at: unknown, key = org.keys.admin) =>
  api.call(putFindingsThreshold, { params: { org: org.name }, key, body: { fails_at: fails_at as FindingLevel } });
const read = async (org: TestOrg) =>
  (await api.call(getOrganization, { params: { org: org.name }, key: org.keys.reader })).body.findings_fail_at;
const changes = async (org: TestOrg) =>
  (await api.journal(org)).filter((entry) => entry.type === 'org.findings_threshold_changed');

it('is error until it is set, and each change is recorded', async () => {
  const [org, other] = [await givenOrg(), await givenOrg()];
  expect(await read(org)).toBe('error');
  expect(await put(org, 'note')).toMatchObject({ status: 200, body: { fails_at: 'note' } });
  expect(await read(org)).toBe('note');
  expect(await put(org, 'warning')).toMatchObject({ status: 200 });
  const actor = `${org.name}-admin`;
  expect(await changes(org)).toEqual([
    { type: 'org.findings_threshold_changed', subject_seq: 2, actor, payload: { fails_at: 'note' } },
    { type: 'org.findings_threshold_changed', subject_seq: 3, actor, payload: { fails_at: 'warning' } },
  ]);
  expect(await read(other)).toBe('error');
});

it('records nothing when it is so already, also in a race', async () => {
  const org = await givenOrg();
  expect((await put(org, 'error')).status).toBe(200);
  expect(await changes(org)).toEqual([]);
  const answers = await Promise.all(Array.from({ length: 16 }, () => put(org, 'warning')));
  expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
  expect((await put(org, 'warning')).status).toBe(200);
  expect(await changes(org)).toHaveLength(1);
});

it('is set by admins of the org alone', async () => {
  const [org, other] = [await givenOrg(), await givenOrg()];
  for (const role of ['reader', 'snapshotter', 'member'] as const) {
    expect(await put(org, 'note', org.keys[role])).toMatchObject({
      status: 403,
      body: { message: `This requires the admin role; yours is ${role}` },
    });
  }
  expect((await put(org, 'note', other.keys.admin)).status).toBe(403);
  expect(await changes(org)).toEqual([]);
});

it('takes a level', async () => {
  const org = await givenOrg();
  for (const wrong of [null, 'high', 'none', 1, undefined]) {
    expect(await put(org, wrong)).toMatchObject({ status: 400, body: { errors: { fails_at: expect.any(String) } } });
  }
});
