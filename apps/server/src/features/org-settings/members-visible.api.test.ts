import {
  getMembershipAuditLog,
  getOrganization,
  getOwnSession,
  listMembers,
  putMembersVisible,
  roles,
} from '@waymark/contract';
import { expect, it } from 'vitest';
import { callSigned, givenPerson, givenSession } from '../../../test/given/people.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();
let count = 0;
const givenOrg = () => api.givenOrg(`open-${++count}`);

const put = (org: TestOrg, members_visible: unknown, key = org.keys.admin) =>
  api.call(putMembersVisible, {
    params: { org: org.name },
    key,
    body: { members_visible: members_visible as boolean },
  });
const read = async (org: TestOrg) =>
  (await api.call(getOrganization, { params: { org: org.name }, key: org.keys.reader })).body.members_visible;
const changes = async (org: TestOrg) =>
  (await api.journal(org)).filter((entry) => entry.type === 'org.members_visible_changed');
const params = (org: TestOrg) => ({ params: { org: org.name } });
const statuses = async (org: TestOrg, key: string) => [
  (await api.call(listMembers, { ...params(org), key })).status,
  (await api.call(getMembershipAuditLog, { ...params(org), key })).status,
];

it('is off until it is set, and each change is recorded', async () => {
  const [org, other] = [await givenOrg(), await givenOrg()];
  expect(await read(org)).toBe(false);
  expect(await put(org, true)).toMatchObject({ status: 200, body: { members_visible: true } });
  expect(await read(org)).toBe(true);
  expect(await put(org, false)).toMatchObject({ status: 200 });
  const actor = `${org.name}-admin`;
  expect(await changes(org)).toEqual([
    { type: 'org.members_visible_changed', subject_seq: 2, actor, payload: { enabled: true } },
    { type: 'org.members_visible_changed', subject_seq: 3, actor, payload: { enabled: false } },
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
    body: { errors: { members_visible: expect.any(String) } },
  });
});

it.each(roles)('opens members and the membership log to the role %s, in this org alone', async (role) => {
  const [org, other] = [await givenOrg(), await givenOrg()];
  const { key } = await givenPerson(api, { org, role, displayName: 'Carl Auditor' });
  const before = role === 'admin' ? [200, 200] : [403, 403];
  expect(await statuses(org, key)).toEqual(before);
  await put(org, true);
  const { body } = await api.call(listMembers, { ...params(org), key });
  expect(body.members).toContainEqual(expect.objectContaining({ display_name: 'Carl Auditor', role }));
  const log = await api.call(getMembershipAuditLog, { ...params(org), key });
  expect(log.body.events).toContainEqual(expect.objectContaining({ user: 'Carl Auditor', event_type: 'added' }));
  // A service account of the role reads them as well; a caller of another org does not.
  expect(await statuses(org, org.keys[role])).toEqual([200, 200]);
  expect(await statuses(org, other.keys[role])).toEqual([403, 403]);
  // The next request sees that it was turned off.
  await put(org, false);
  expect(await statuses(org, key)).toEqual(before);
});

it('says in a refusal who can change it', async () => {
  const org = await givenOrg();
  expect(await api.call(listMembers, { ...params(org), key: org.keys.reader })).toMatchObject({
    status: 403,
    body: {
      message:
        'This requires the admin role; yours is reader. An admin can open it to every role with the setting ' +
        "'members_visible' of the org",
    },
  });
});

it('opens them to signed-in people, and says so in their session', async () => {
  const org = await givenOrg();
  const person = await givenPerson(api, { org, role: 'reader' });
  const session = await givenSession(api, person);
  const asked = async () => {
    const { status } = await callSigned(api, listMembers, session, params(org));
    const { body } = await callSigned(api, getOwnSession, session);
    return [status, body.orgs.find(({ name }) => name === org.name)?.members_visible];
  };
  expect(await asked()).toEqual([403, false]);
  await put(org, true);
  expect(await asked()).toEqual([200, true]);
});
