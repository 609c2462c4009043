import {
  addWorkloadIdentity,
  createServiceAccount,
  createServiceAccountKey,
  exchangeToken,
  getOrganization,
  listDepartures,
  listFlows,
  listServiceAccountKeys,
  listWorkloadIdentities,
  mapScimGroup,
  putSuspensionDelay,
  type Role,
  restoreServiceAccountKey,
  restoreWorkloadIdentity,
  revokeServiceAccountKey,
  scimCreateGroup,
  scimCreateUser,
  scimDeleteUser,
  scimListUsers,
  scimPatchUser,
} from '@waymark/contract';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { givenPerson, type Person } from '../../../../test/given/people.ts';
import { entraUser, givenScim, groupOf, patchOf, type ScimClient } from '../../../../test/given/scim.ts';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { startMailServer } from '../../../../test/mail-server.ts';
import { startCiIssuer } from '../../../../test/oidc/ci-issuer.ts';
import { mailKinds, tasks } from '../../../app/worker.ts';
import { directoryBlobs } from '../../../platform/blobs/directory-blobs.ts';
import { directoryObjects } from '../../../platform/blobs/directory-objects.ts';
import { NO_QUOTA } from '../../../platform/http/storage-quota.ts';
import { openMailer } from '../../../platform/mail/mailer.ts';
import { sendDueMails } from '../../../platform/mail/outbox.ts';
import { suspendAfterDepartures } from './departure.tasks.ts';

const api = await startApi();
const smtp = await startMailServer();
const mailer = openMailer({ url: smtp.url, from: 'waymark@waymark.test' });
const kinds = mailKinds({ publicUrl: 'https://waymark.test', signUp: 'invited', storageQuota: NO_QUOTA });
const issuer = await startCiIssuer({ now: () => api.clock.now, audience: 'replaced' });
afterAll(async () => {
  mailer.close();
  await issuer.close();
});

let org: TestOrg;
let admin: Person;
let carl: Person;
let scim: ScimClient;
let carlId: string;
let group: string;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`departures-${++count}`);
  admin = await givenPerson(api, { org, role: 'admin' });
  carl = await givenPerson(api, { displayName: `Carl ${count}` });
  scim = await givenScim(api, org);
  carlId = (await scim.send(scimCreateUser, { body: entraUser(carl.email) })).body.id;
  group = (await scim.send(scimCreateGroup, { body: groupOf('builders', carlId) })).body.id;
  await map('admin');
});

const params = () => ({ org: org.name });
const map = (role: Role) =>
  api.call(mapScimGroup, { params: { ...params(), id: group }, key: org.keys.admin, body: { role } });
const setDelay = (hours: unknown, key = admin.key, of = org.name) =>
  api.call(putSuspensionDelay, { params: { org: of }, key, body: { hours: hours as number } });
const setActive = (value: boolean) =>
  scim.send(scimPatchUser, { id: carlId, body: patchOf({ op: 'replace', path: 'active', value }) });
const departures = async (key = admin.key) => (await api.call(listDepartures, { params: params(), key })).body;
const reads = async (key: string) => (await api.call(listFlows, { params: params(), key })).status;
const keysOf = async (name: string) =>
  (await api.call(listServiceAccountKeys, { params: { ...params(), name }, key: admin.key })).body;
const restore = (name: string, key_id: string, key = admin.key) =>
  api.call(restoreServiceAccountKey, { params: { ...params(), name, key_id }, key });
const seconds = () => api.clock.now.getTime() / 1000;
const later = (hours: number) => {
  api.clock.now = new Date(api.clock.now.getTime() + hours * 3_600_000);
};
const work = () => suspendAfterDepartures(noLog, () => api.clock.now).run(api.db);
const entries = async () =>
  (await api.journal(org)).filter(({ type }) => /^(departure|org)\.|\.(suspended|restored)$/.test(type)).slice(1);

async function keyOf(name: string, privilege: Role = 'member', key = carl.key) {
  await api.call(createServiceAccount, { params: params(), key, body: { name, privilege } });
  const made = await api.call(createServiceAccountKey, {
    params: { ...params(), name },
    key,
    body: { description: 'deploys' },
  });
  expect(made.status).toBe(201);
  return made.body;
}

describe('the delay', () => {
  const read = async () =>
    (await api.call(getOrganization, { params: params(), key: org.keys.reader })).body.suspension_delay_hours;

  it('is none until it is set, and each change is recorded once', async () => {
    expect(await read()).toBe(0);
    expect((await setDelay(0)).status).toBe(200);
    expect(await entries()).toEqual([]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => setDelay(168)));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { hours: 168 } });
    expect(await read()).toBe(168);
    expect(await entries()).toEqual([
      { type: 'org.suspension_delay_changed', subject_seq: 2, actor: admin.login, payload: { hours: 168 } },
    ]);
  });

  it('is set by admins of the org alone, in whole hours up to a week', async () => {
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      expect((await setDelay(1, org.keys[role])).status).toBe(403);
      expect((await api.call(listDepartures, { params: params(), key: org.keys[role] })).status).toBe(403);
    }
    const other = await api.givenOrg(`strangers-${count}`);
    expect((await setDelay(1, other.keys.admin)).status).toBe(403);
    for (const wrong of [-1, 169, 1.5, '1', null, undefined]) {
      expect(await setDelay(wrong)).toMatchObject({ status: 400, body: { errors: { hours: expect.any(String) } } });
    }
    expect(await read()).toBe(0);
  });
});

it('without a delay what they made is suspended at once, and admins see it for a week', async () => {
  const { id, key } = await keyOf('builder');
  await keyOf('shop');
  await setActive(false);
  expect(await reads(key)).toBe(401);
  const shown = {
    login: carl.login,
    display_name: `Carl ${count}`,
    role: null,
    departed_at: seconds(),
    suspends_at: null,
    suspended_at: seconds(),
    service_accounts: ['builder', 'shop'],
    keys: 2,
    workload_identities: 0,
  };
  expect(await departures()).toEqual([shown]);
  await restore('builder', id);
  expect(await departures()).toEqual([{ ...shown, service_accounts: ['shop'], keys: 1 }]);
  later(24 * 7);
  expect(await departures()).toEqual([]);
});

it('leaves out people who made nothing', async () => {
  await setDelay(24);
  await setActive(false);
  expect(await departures()).toEqual([]);
  expect((await entries()).map(({ type }) => type)).toEqual(['org.suspension_delay_changed']);
});

describe('within the delay', () => {
  beforeEach(async () => {
    await setDelay(24);
  });

  it('keys work until it is over, and say so', async () => {
    const { key } = await keyOf('builder');
    const due = seconds() + 24 * 3600;
    await setActive(false);
    expect(await reads(carl.key)).toBe(403);
    expect(await reads(key)).toBe(200);
    expect(await departures()).toMatchObject([{ suspends_at: due, suspended_at: null, keys: 1 }]);
    expect(await keysOf('builder')).toMatchObject([{ suspended_at: null, suspends_at: due, made_by: carl.login }]);
    later(23.9);
    await work();
    expect(await reads(key)).toBe(200);
    later(0.1);
    await Promise.all([work(), work(), work()]);
    await work();
    expect(await reads(key)).toBe(401);
    expect(await keysOf('builder')).toMatchObject([{ suspended_at: due, suspends_at: null }]);
    expect(await departures()).toMatchObject([{ suspends_at: null, suspended_at: due, keys: 1 }]);
    expect((await entries()).slice(1)).toMatchObject([
      {
        type: 'departure.scheduled',
        subject_seq: 1,
        actor: 'scim',
        payload: { user_id: carl.id, login: carl.login, role: null, previous_role: 'admin', suspends_at: due },
      },
      { type: 'api_key.suspended', actor: 'departures', payload: { made_by: { id: carl.id, login: carl.login } } },
    ]);
  });

  it('what their keys make is suspended as well', async () => {
    const { key } = await keyOf('builder', 'admin');
    await setActive(false);
    const more = await keyOf('more', 'member', key);
    expect(await departures()).toMatchObject([{ keys: 2, service_accounts: ['builder', 'more'] }]);
    later(24);
    await work();
    expect([await reads(key), await reads(more.key)]).toEqual([401, 401]);
  });

  it('a lesser role ends only what grants more', async () => {
    const high = await keyOf('high', 'admin');
    const low = await keyOf('low', 'reader');
    await map('member');
    expect(await departures()).toMatchObject([{ role: 'member', keys: 1, service_accounts: ['high'] }]);
    expect(await keysOf('low')).toMatchObject([{ suspends_at: null }]);
    later(24);
    await work();
    expect([await reads(high.key), await reads(low.key)]).toEqual([401, 200]);
  });

  it('people who regain their role keep what they made', async () => {
    const { key } = await keyOf('builder');
    await setActive(false);
    await setActive(true);
    expect(await departures()).toEqual([]);
    later(24);
    await work();
    expect(await reads(key)).toBe(200);
    await setActive(false);
    expect(await departures()).toMatchObject([{ suspends_at: seconds() + 24 * 3600 }]);
  });

  it('people who return with a lesser role lose the rest when the delay has passed', async () => {
    const high = await keyOf('high', 'admin');
    const low = await keyOf('low', 'member');
    await setActive(false);
    await map('member');
    await setActive(true);
    later(24);
    await work();
    expect([await reads(high.key), await reads(low.key)]).toEqual([401, 200]);
  });

  it('an admin keeps a key, which counts as theirs from then on', async () => {
    const { id, key } = await keyOf('builder');
    await setActive(false);
    const answers = await Promise.all(Array.from({ length: 4 }, () => restore('builder', id)));
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 200, body: { suspends_at: null, made_by: admin.login } });
    }
    expect(await departures()).toEqual([]);
    later(24);
    await work();
    expect(await reads(key)).toBe(200);
    const types = (await entries()).slice(1).map(({ type }) => type);
    expect(types).toEqual(['departure.scheduled', 'api_key.restored']);
  });

  it('a revoked key is named no more', async () => {
    const { id } = await keyOf('builder');
    await setActive(false);
    const call = { params: { ...params(), name: 'builder', key_id: id }, key: admin.key };
    await api.call(revokeServiceAccountKey, call);
    expect(await departures()).toEqual([]);
  });

  it('is either restored or suspended when an admin and the worker race', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, key } = await keyOf(`racing-${round}`);
      await setActive(false);
      later(24);
      const [restored] = await Promise.all([restore(`racing-${round}`, id), work(), work()]);
      expect(restored).toMatchObject({ status: 200, body: { suspended_at: null, made_by: admin.login } });
      expect(await reads(key)).toBe(200);
      await setActive(true);
    }
  });

  it('races with coming back: afterwards a key works, or is suspended and listed', async () => {
    for (let round = 0; round < 5; round++) {
      const { key } = await keyOf(`returning-${round}`);
      await setActive(false);
      later(24);
      await Promise.all([setActive(true), work()]);
      await work();
      const [listed] = await keysOf(`returning-${round}`);
      expect(await reads(key)).toBe(listed?.suspended_at === null ? 200 : 401);
      expect(listed?.suspends_at).toBe(null);
    }
  });

  it('a shorter delay counts for those as well who have left', async () => {
    const { key } = await keyOf('builder');
    await setActive(false);
    await setDelay(48);
    expect(await departures()).toMatchObject([{ suspends_at: seconds() + 24 * 3600 }]);
    await setDelay(0);
    expect(await departures()).toMatchObject([{ suspends_at: seconds() }]);
    await work();
    expect(await reads(key)).toBe(401);
  });

  it('ends workload identities too, unless an admin keeps them', async () => {
    await keyOf('builder');
    const claims = { repository_id: '1296269', ref: 'refs/heads/main' };
    const body = { name: 'release', service_account: 'builder', issuer: issuer.url, claims };
    const { id: identity_id } = (await api.call(addWorkloadIdentity, { params: params(), key: carl.key, body })).body;
    const exchange = async () => {
      const token = await issuer.mint({ claims: { aud: `http://waymark.test/${org.name}` } });
      return (await api.call(exchangeToken, { params: params(), key: '', body: { token } })).status;
    };
    const listed = async () => (await api.call(listWorkloadIdentities, { params: params(), key: admin.key })).body;
    await setActive(false);
    expect(await departures()).toMatchObject([{ keys: 1, workload_identities: 1, service_accounts: ['builder'] }]);
    expect(await listed()).toMatchObject([{ suspended_at: null, suspends_at: seconds() + 24 * 3600 }]);
    expect(await exchange()).toBe(201);
    const call = { params: { ...params(), identity_id }, key: admin.key };
    expect((await api.call(restoreWorkloadIdentity, call)).body).toMatchObject({ suspends_at: null });
    later(24);
    await work();
    expect(await exchange()).toBe(201);
    expect(await departures()).toMatchObject([{ keys: 1, workload_identities: 0 }]);
  });

  it('leaves the key for SCIM alone that took its maker out', async () => {
    const theirs = await givenScim(api, { ...org, keys: { ...org.keys, admin: carl.key } });
    const { key } = await keyOf('builder');
    await theirs.send(scimDeleteUser, { id: carlId });
    expect(await departures()).toMatchObject([{ keys: 1, service_accounts: ['builder'] }]);
    later(24);
    await work();
    expect(await reads(key)).toBe(401);
    expect((await theirs.send(scimListUsers)).status).toBe(200);
  });
});

it('is worked off by the worker, of each org', () => {
  const names = tasks(
    { blobs: directoryBlobs({ root: '/nowhere' }), objects: directoryObjects({ root: '/nowhere' }) },
    NO_QUOTA,
    noLog,
  ).map(({ name }) => name);
  expect(names).toContain('suspend-after-departures');
});

describe('the mail to admins', () => {
  const send = async () => {
    smtp.received.length = 0;
    const parts = { db: api.db, mailer, kinds, log: noLog, now: () => api.clock.now };
    // Mails of earlier tests are due as well.
    while ((await sendDueMails(parts)) > 0);
    return smtp.received.filter(({ to }) => to.includes(admin.email)).map(({ mail }) => mail);
  };

  it('reports once what stops working and when', async () => {
    await setDelay(24);
    await keyOf('builder');
    await keyOf('shop');
    const due = new Date(api.clock.now.getTime() + 24 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
    await setActive(false);
    expect(await send()).toEqual([]);
    later(0.1);
    const [mail] = await send();
    expect(mail?.subject).toBe(`Keys of ${org.name} are about to be suspended`);
    expect(mail?.text).toContain(`Carl ${count}: 2 keys of builder, shop, will be suspended at ${due} UTC`);
    expect(mail?.text).toContain(`https://waymark.test/${org.name}/settings/service-accounts`);
    later(1);
    expect(await send()).toEqual([]);
  });

  it('lists keys that are already suspended, without those that an admin restored since', async () => {
    const { id } = await keyOf('builder');
    await setActive(false);
    later(0.1);
    const [mail] = await send();
    expect(mail?.subject).toBe(`Keys of ${org.name} are suspended`);
    expect(mail?.text).toContain(`Carl ${count}: 1 key of builder, suspended at`);
    await restore('builder', id);
    await setActive(true);
    const next = await keyOf('shop');
    await setActive(false);
    await restore('shop', next.id);
    later(0.1);
    expect(await send()).toEqual([]);
  });
});
