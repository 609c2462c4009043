import { createControl, listControls, putExperimentalFeatures, roles } from '@waymark/contract';
import { expect, it } from 'vitest';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();
let count = 0;
const givenOrg = () => api.givenOrg(`switched-${++count}`);

const turn = (org: TestOrg, experimental_features_enabled: unknown, key = org.keys.admin) =>
  api.call(putExperimentalFeatures, {
    params: { org: org.name },
    key,
    body: { experimental_features_enabled: experimental_features_enabled as boolean },
  });
/** Without the beta opt-in header that the harness sends. */
const list = (org: TestOrg, beta = '', key = org.keys.reader) =>
  api.call(listControls, { params: { org: org.name }, key, headers: { 'waymark-beta': beta } });
const changes = async (org: TestOrg) =>
  (await api.journal(org)).filter((entry) => entry.type === 'org.experimental_features_changed');

it('opens beta operations to all members, until it is turned off again', async () => {
  const org = await givenOrg();
  expect((await list(org)).status).toBe(403);
  expect(await turn(org, true)).toMatchObject({ status: 200, body: { experimental_features_enabled: true } });
  for (const role of roles) expect((await list(org, '', org.keys[role])).status).toBe(200);
  expect(await turn(org, false)).toMatchObject({ status: 200, body: { experimental_features_enabled: false } });
  expect((await list(org)).status).toBe(403);
  const actor = `${org.name}-admin`;
  expect(await changes(org)).toEqual([
    { type: 'org.experimental_features_changed', subject_seq: 2, actor, payload: { enabled: true } },
    { type: 'org.experimental_features_changed', subject_seq: 3, actor, payload: { enabled: false } },
  ]);
});

it('opens nothing of another org', async () => {
  const [org, other] = [await givenOrg(), await givenOrg()];
  await turn(org, true);
  expect((await list(other)).status).toBe(403);
});

it('records nothing when it is so already, also in a race', async () => {
  const org = await givenOrg();
  expect((await turn(org, false)).status).toBe(200);
  expect(await changes(org)).toEqual([]);
  const answers = await Promise.all(Array.from({ length: 16 }, () => turn(org, true)));
  expect(answers.map((answer) => answer.status)).toEqual(Array(16).fill(200));
  expect((await turn(org, true)).status).toBe(200);
  expect(await changes(org)).toHaveLength(1);
});

it('is counted without gaps when different requests race', async () => {
  const org = await givenOrg();
  await Promise.all(Array.from({ length: 16 }, (_, i) => turn(org, i % 2 === 0)));
  const recorded = await changes(org);
  expect(recorded.map((entry) => entry.subject_seq)).toEqual(recorded.map((_, i) => i + 2));
  expect(recorded.map((entry) => (entry.payload as { enabled: boolean }).enabled)).toEqual(
    recorded.map((_, i) => i % 2 === 0),
  );
});

it('is for admins of the org alone', async () => {
  const [org, other] = [await givenOrg(), await givenOrg()];
  for (const role of ['reader', 'snapshotter', 'member'] as const) {
    expect(await turn(org, true, org.keys[role])).toMatchObject({
      status: 403,
      body: { message: `This requires the admin role; yours is ${role}` },
    });
  }
  expect(await turn(org, true, other.keys.admin)).toMatchObject({
    status: 403,
    body: { message: 'There is no such org, or you are not a member of it' },
  });
  expect(await changes(org)).toEqual([]);
});

it('takes true or false', async () => {
  const org = await givenOrg();
  for (const wrong of [null, 'true', 1, undefined]) {
    expect(await turn(org, wrong)).toMatchObject({
      status: 400,
      body: { errors: { experimental_features_enabled: expect.any(String) } },
    });
  }
});

it('beta operations can also be requested by header, and the refusal says how', async () => {
  const org = await givenOrg();
  for (const asked of ['controls', 'Controls', 'other, controls', ' controls ,other']) {
    expect((await list(org, asked)).status).toBe(200);
  }
  for (const asked of ['', 'control', 'other', 'controls;q=1', 'no controls']) {
    expect(await list(org, asked)).toMatchObject({
      status: 403,
      body: {
        message:
          'This is a beta feature: send the header "Waymark-Beta: controls", or ask an admin to turn on experimental ' +
          'features for the org with PUT /organizations/{org}/experimental_features',
      },
    });
  }
});

it('a caller without permission gets that error before any about beta', async () => {
  const [org, other] = [await givenOrg(), await givenOrg()];
  const headers = { 'waymark-beta': '' };
  const body = { identifier: 'A', name: 'a' };
  const params = { org: org.name };
  expect(await api.call(createControl, { params, key: org.keys.member, headers, body })).toMatchObject({
    status: 403,
    body: { message: 'This requires the admin role; yours is member' },
  });
  expect(await api.call(createControl, { params, key: other.keys.admin, headers, body })).toMatchObject({
    status: 403,
    body: { message: 'There is no such org, or you are not a member of it' },
  });
  expect((await api.call(createControl, { params, key: '', headers, body })).status).toBe(401);
});
