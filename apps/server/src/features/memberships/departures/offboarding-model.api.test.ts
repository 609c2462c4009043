import {
  addWorkloadIdentity,
  atLeast,
  changeMember,
  createServiceAccount,
  createServiceAccountKey,
  createUserKey,
  deleteServiceAccount,
  exchangeToken,
  leaveOrganization,
  listFlows,
  listServiceAccountKeys,
  listUserOrganizations,
  listWorkloadIdentities,
  mapScimGroup,
  putSuspensionDelay,
  type Role,
  removeMember,
  removeSso,
  restoreServiceAccountKey,
  restoreWorkloadIdentity,
  revokeServiceAccountKey,
  roles,
  rotateServiceAccountKey,
  scimCreateGroup,
  scimCreateUser,
  scimDeleteUser,
  scimPatchGroup,
  scimPatchUser,
  updateServiceAccount,
} from '@waymark/contract';
import * as fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { isFull } from '../../../../../../tools/test-size.ts';
import { callSigned, givenPerson, givenSession, type Person } from '../../../../test/given/people.ts';
import { addMembers, entraUser, givenScim, groupOf, patchOf, removeMembers } from '../../../../test/given/scim.ts';
import { givenSso } from '../../../../test/given/sso.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import {
  type ModelAccount,
  type ModelIdentity,
  type ModelKey,
  OffboardingModel,
} from '../../../../test/model/offboarding-model.ts';
import { startCiIssuer } from '../../../../test/oidc/ci-issuer.ts';
import { startProvider } from '../../../../test/oidc/start-provider.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import { setMembership } from '../membership.service.ts';
import { suspendAfterDepartures } from './departure.tasks.ts';

const api = await startApi();
const issuer = await startCiIssuer({ now: () => api.clock.now, audience: 'replaced' });
const provider = await startProvider({ redirectUris: ['http://waymark.test/sign-in/*/callback'] });
afterAll(() => Promise.all([issuer.close(), provider.stop()]));

const numRuns = isFull ? 300 : 12;
/** Members managed by admins, and members managed by the identity provider through SCIM. */
const [APP_PEOPLE, SCIM_PEOPLE] = [3, 2];
const HOURS = 3_600_000;

const role = fc.constantFrom<Role>(...roles);
/** One of the things that exist at that moment. */
const one = fc.nat(1000);
/** Hours; null for a key that does not expire. */
const life = fc.constantFrom(null, null, 1, 30);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('join' as const), person: one, role }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), by: one, person: one }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), person: one }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), by: one, person: one, role }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('provision' as const), person: one, role }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('deprovision' as const),
      person: one,
      how: fc.constantFrom('delete', 'deactivate', 'ungroup'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('account' as const), by: one, role }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('key' as const), by: one, account: one, life }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('rotate' as const), by: one, key: one }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const), by: one, key: one }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('restore' as const), by: one, key: one }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('privilege' as const), by: one, account: one, role }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), by: one, account: one }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('identity' as const), by: one, account: one }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('job' as const), identity: one }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restoreIdentity' as const), by: one, identity: one }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('ssoKey' as const), person: one }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('endSso' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(0.5, 2, 40) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delay' as const), hours: fc.constantFrom(0, 24, 24) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

let count = 0;
const happened = new Map<string, number>();

/** An org with the people of one history, and what the model knows about them. */
async function givenHistory(first: readonly Role[]) {
  const org = await api.givenOrg(`leaving-${++count}`);
  const model = new OffboardingModel();
  const people: Person[] = [];
  for (let i = 0; i < APP_PEOPLE + SCIM_PEOPLE; i++) people.push(await givenPerson(api));
  const admin = `${org.name}-admin`;
  model.roles.set(admin, 'admin');
  const personal = (login: string, text: string): ModelKey => ({
    kind: 'personal',
    id: '',
    text,
    owner: login,
    account: null,
    expiresAt: null,
    maker: login,
    isRevoked: false,
    isSuspended: false,
    replacedBy: null,
  });
  model.keys.push(personal(admin, org.keys.admin), ...people.map(({ login, key }) => personal(login, key)));

  const scim = await givenScim(api, org);
  const groups = new Map<Role, string>();
  for (const role of roles) {
    const { id } = (await scim.send(scimCreateGroup, { body: groupOf(role) })).body;
    await api.call(mapScimGroup, { params: { org: org.name, id }, key: org.keys.admin, body: { role } });
    groups.set(role, id);
  }
  const scimUsers = new Map<string, { id: string; isActive: boolean; group: Role | null }>();

  const now = () => api.clock.now.getTime() / 1000;
  const params = { org: org.name };
  const pick = <T>(all: readonly T[], place: number): T | undefined => all[place % all.length];
  /** Mostly someone who has permission: a refused operation changes nothing. */
  function keyOf(by: number, may: (key: ModelKey) => boolean): ModelKey {
    const able = by % 5 === 0 ? [] : model.keys.filter(may);
    return pick(able.length > 0 ? able : model.keys, Math.floor(by / 5)) as ModelKey;
  }
  const isAdmin = (key: ModelKey) => model.mayManage(key, now(), 'admin');
  const accountKeys = () => model.keys.filter(({ kind }) => kind === 'account');
  const accountOf = (place: number) => {
    const live = model.accounts.filter(({ isDeleted }) => !isDeleted);
    return pick(place % 10 === 0 ? model.accounts : live, place);
  };
  const appPerson = (place: number) => people[place % APP_PEOPLE] as Person;
  const scimPerson = (place: number) => people[APP_PEOPLE + (place % SCIM_PEOPLE)] as Person;

  /** Compares the answer with what the model allows. */
  function expectOutcome(what: string, status: number, isAllowed: boolean): boolean {
    const outcome = status < 300 ? 'done' : 'refused';
    expect([what, status < 500 ? outcome : status]).toEqual([what, isAllowed ? 'done' : 'refused']);
    happened.set(`${what} ${outcome}`, (happened.get(`${what} ${outcome}`) ?? 0) + 1);
    return isAllowed;
  }

  function addKey(of: Pick<ModelKey, 'kind' | 'id' | 'text' | 'owner' | 'account' | 'expiresAt' | 'maker'>): ModelKey {
    const key = { ...of, isRevoked: false, isSuspended: false, replacedBy: null };
    model.keys.push(key);
    return key;
  }

  function expectNoLater(expiresAt: number, by: ModelKey): void {
    if (by.expiresAt !== null) expect(expiresAt > 0 && expiresAt <= by.expiresAt).toBe(true);
  }

  async function setGroup(id: string, before: Role | null, after: Role | null): Promise<void> {
    if (before === after) return;
    if (after) await scim.send(scimPatchGroup, { id: groups.get(after) ?? '', body: addMembers(id) });
    if (before) await scim.send(scimPatchGroup, { id: groups.get(before) ?? '', body: removeMembers(id) });
  }

  const setActive = (id: string, value: boolean) =>
    scim.send(scimPatchUser, { id, body: patchOf({ op: 'replace', path: 'active', value }) });

  const steps: { [Kind in Step['kind']]: (step: Extract<Step, { kind: Kind }>) => Promise<void> } = {
    async join({ person, role }) {
      const joining = appPerson(person);
      if (model.roles.has(joining.login)) return;
      await setMembership(systemCtx(api.db, org.id, 'tests', noLog), joining, role, 'script');
      model.setRole(joining.login, role, now());
    },
    async remove({ by, person }) {
      const { login } = appPerson(person);
      const key = keyOf(by, isAdmin);
      const { status } = await api.call(removeMember, { params: { ...params, login }, key: key.text });
      const isAllowed = model.mayManage(key, now(), 'admin') && model.roles.has(login);
      if (expectOutcome('remove', status, isAllowed)) model.setRole(login, null, now());
    },
    async leave({ person }) {
      const { login, key } = appPerson(person);
      const { status } = await api.call(leaveOrganization, { params, key });
      if (expectOutcome('leave', status, model.roles.has(login))) model.setRole(login, null, now());
    },
    async change({ by, person, role }) {
      const { login } = appPerson(person);
      const key = keyOf(by, isAdmin);
      const call = { params: { ...params, login }, key: key.text, body: { role } };
      const { status } = await api.call(changeMember, call);
      const isAllowed = model.mayManage(key, now(), 'admin') && model.roles.has(login);
      if (expectOutcome('change', status, isAllowed)) model.setRole(login, role, now());
    },
    async provision({ person, role }) {
      const { login, email } = scimPerson(person);
      let known = scimUsers.get(login);
      if (!known) {
        const { id } = (await scim.send(scimCreateUser, { body: entraUser(email) })).body;
        known = { id, isActive: true, group: null };
      }
      await setGroup(known.id, known.group, role);
      if (!known.isActive) await setActive(known.id, true);
      scimUsers.set(login, { id: known.id, isActive: true, group: role });
      model.setRole(login, role, now(), 'provider');
    },
    async deprovision({ person, how }) {
      const { login } = scimPerson(person);
      const known = scimUsers.get(login);
      if (!known) return;
      if (how === 'delete') {
        await scim.send(scimDeleteUser, { id: known.id });
        scimUsers.delete(login);
      } else if (how === 'deactivate') {
        await setActive(known.id, false);
        scimUsers.set(login, { ...known, isActive: false });
      } else {
        await setGroup(known.id, known.group, null);
        scimUsers.set(login, { ...known, group: null });
      }
      model.setRole(login, null, now(), 'provider');
    },
    async account({ by, role: privilege }) {
      const key = keyOf(by, (key) => model.mayManage(key, now(), 'member'));
      const name = `account-${model.accounts.length}`;
      const { status } = await api.call(createServiceAccount, { params, key: key.text, body: { name, privilege } });
      const own = model.roleOf(key, now());
      const isAllowed = model.mayManage(key, now(), 'member') && own !== undefined && atLeast(own, privilege);
      if (expectOutcome('account', status, isAllowed)) {
        model.accounts.push({ name, privilege, creator: key.owner, isDeleted: false });
      }
    },
    async key({ by, account: place, life }) {
      const account = accountOf(place);
      if (!account) return;
      const key = keyOf(by, (key) => model.mayGrant(key, account, now()));
      const expires_at = life === null ? null : Math.ceil(now()) + life * 3600;
      const { status, body } = await api.call(createServiceAccountKey, {
        params: { ...params, name: account.name },
        key: key.text,
        body: { description: 'x', expires_at },
      });
      const isInTime = expires_at === null || key.expiresAt === null || expires_at <= key.expiresAt;
      if (!expectOutcome('key', status, isInTime && model.mayGrant(key, account, now()))) return;
      expectNoLater(body.expires_at, key);
      const expiresAt = body.expires_at || null;
      const { maker } = key;
      addKey({ kind: 'account', id: body.id, text: body.key, owner: account.name, account, expiresAt, maker });
    },
    async rotate({ by, key: place }) {
      const old = pick(accountKeys(), place);
      if (!old) return;
      const key = keyOf(by, (key) => model.mayGrant(key, old.account as ModelAccount, now()));
      const { status, body } = await api.call(rotateServiceAccountKey, {
        params: { ...params, name: old.owner, key_id: old.id },
        key: key.text,
        body: {},
      });
      const account = old.account as ModelAccount;
      const isGood = !old.isRevoked && (old.expiresAt === null || old.expiresAt > now());
      const isAllowed = isGood && old.replacedBy?.isRevoked !== false && model.mayGrant(key, account, now());
      if (!expectOutcome('rotate', status, isAllowed)) return;
      expectNoLater(body.expires_at, key);
      const expiresAt = body.expires_at || null;
      const { maker } = key;
      const made = {
        kind: 'account' as const,
        id: body.id,
        text: body.key,
        owner: old.owner,
        account,
        expiresAt,
        maker,
      };
      old.replacedBy = addKey(made);
      old.expiresAt = body.grace_period_expires_at;
    },
    async revoke({ by, key: place }) {
      const revoked = pick(accountKeys(), place);
      if (!revoked) return;
      const key = keyOf(by, (key) => model.mayManageAccount(key, revoked.account as ModelAccount, now()));
      const call = { params: { ...params, name: revoked.owner, key_id: revoked.id }, key: key.text };
      const { status } = await api.call(revokeServiceAccountKey, call);
      const isAllowed = !revoked.isRevoked && model.mayManageAccount(key, revoked.account as ModelAccount, now());
      if (expectOutcome('revoke', status, isAllowed)) revoked.isRevoked = true;
    },
    async restore({ by, key: place }) {
      const suspended = accountKeys().filter((key) => key.isSuspended || model.isAboutToEnd(key));
      const restored = pick(suspended.length > 0 ? suspended : accountKeys(), place);
      if (!restored) return;
      const key = keyOf(by, (key) => model.mayGrantForever(key, now()));
      const call = { params: { ...params, name: restored.owner, key_id: restored.id }, key: key.text };
      const { status } = await api.call(restoreServiceAccountKey, call);
      const isThere = !restored.isRevoked && !restored.account?.isDeleted;
      if (!expectOutcome('restore', status, isThere && model.mayGrantForever(key, now()))) return;
      if (restored.isSuspended || model.isAboutToEnd(restored)) {
        Object.assign(restored, { isSuspended: false, maker: key.maker });
      }
    },
    async privilege({ by, account: place, role: privilege }) {
      const account = accountOf(place);
      if (!account) return;
      const key = keyOf(by, (key) => model.mayManageAccount(key, account, now()));
      const call = { params: { ...params, name: account.name }, key: key.text, body: { privilege } };
      const { status } = await api.call(updateServiceAccount, call);
      const own = model.roleOf(key, now());
      const isAllowed = model.mayManageAccount(key, account, now()) && own !== undefined && atLeast(own, privilege);
      if (expectOutcome('privilege', status, isAllowed)) model.setPrivilege(account, privilege, now());
    },
    async delete({ by, account: place }) {
      const account = accountOf(place);
      if (!account) return;
      const key = keyOf(by, (key) => model.mayManageAccount(key, account, now()));
      const { status } = await api.call(deleteServiceAccount, {
        params: { ...params, name: account.name },
        key: key.text,
      });
      if (!expectOutcome('delete', status, model.mayManageAccount(key, account, now()))) return;
      account.isDeleted = true;
      for (const other of model.keys) if (other.account === account) other.isRevoked = true;
    },
    async identity({ by, account: place }) {
      const account = accountOf(place);
      if (!account) return;
      const key = keyOf(by, (key) => model.mayGrantForever(key, now()));
      const ref = `refs/heads/${model.identities.length}`;
      const claims = { repository_id: '1296269', ref };
      const body = { name: ref.replaceAll('/', '-'), service_account: account.name, issuer: issuer.url, claims };
      const { status, body: added } = await api.call(addWorkloadIdentity, { params, key: key.text, body });
      if (!expectOutcome('identity', status, !account.isDeleted && model.mayGrantForever(key, now()))) return;
      model.identities.push({ id: added.id, ref, account, maker: key.maker, isSuspended: false });
    },
    async job({ identity: place }) {
      const identity = pick(model.identities, place);
      if (!identity) return;
      const { ref, account, maker } = identity;
      const token = await issuer.mint({ claims: { aud: `http://waymark.test/${org.name}`, ref } });
      const { status, body } = await api.call(exchangeToken, { params, key: '', body: { token } });
      if (!expectOutcome('job', status, !identity.isSuspended && !account.isDeleted)) return;
      const expiresAt = now() + 900;
      addKey({ kind: 'job', id: '', text: body.key, owner: account.name, account, expiresAt, maker });
    },
    async restoreIdentity({ by, identity: place }) {
      const suspended = model.identities.filter((rule) => rule.isSuspended || model.isAboutToEnd(rule));
      const identity = pick(suspended, place);
      if (!identity) return;
      const key = keyOf(by, (key) => model.mayGrantForever(key, now()));
      const call = { params: { ...params, identity_id: identity.id }, key: key.text };
      const { status } = await api.call(restoreWorkloadIdentity, call);
      if (!expectOutcome('restoreIdentity', status, model.mayGrantForever(key, now()))) return;
      Object.assign(identity, { isSuspended: false, maker: key.maker });
    },
    async ssoKey({ person }) {
      const { login, ...user } = people[person % people.length] as Person;
      const signed = await givenSession(api, { login, ...user }, org.id);
      const { status, body } = await callSigned(api, createUserKey, signed, { body: { description: 'x' } });
      if (!expectOutcome('ssoKey', status, model.roles.has(login))) return;
      addKey({ kind: 'sso', id: '', text: body.key, owner: login, account: null, expiresAt: null, maker: login });
    },
    async endSso() {
      await givenSso(api, org, provider);
      expect((await api.call(removeSso, { params, key: org.keys.admin })).status).toBe(200);
      for (const key of model.keys) if (key.kind === 'sso') key.isRevoked = true;
    },
    async wait({ hours }) {
      api.clock.now = new Date(api.clock.now.getTime() + hours * HOURS);
      await suspendAfterDepartures(noLog, () => api.clock.now).run(api.db);
      model.settle(now());
    },
    async delay({ hours }) {
      const answer = await api.call(putSuspensionDelay, { params, key: org.keys.admin, body: { hours } });
      expect(answer.status).toBe(200);
      model.setDelay(hours * 3600);
    },
  };

  /** What a request by each key gets. */
  async function expectSame(): Promise<void> {
    const got = await Promise.all(
      model.keys.map(async ({ text }) => (await api.call(listFlows, { params, key: text })).status === 200),
    );
    const shown = (works: (key: ModelKey, place: number) => boolean) =>
      model.keys.map((key, i) => `${key.kind} key ${i} of ${key.owner} by ${key.maker}: ${works(key, i)}`);
    expect(shown((_, i) => got[i] === true)).toEqual(shown((key) => model.roleOf(key, now()) !== undefined));
    expect(model.excess(now())).toEqual([]);
  }

  /** What each key may do, and what admins see of it. */
  async function expectSameAtTheEnd(): Promise<void> {
    for (const key of model.keys) {
      const { status, body } = await api.call(listUserOrganizations, { key: key.text });
      const got = status === 200 ? body.find(({ name }) => name === org.name)?.role : undefined;
      expect([key.kind, key.owner, got]).toEqual([key.kind, key.owner, model.roleOf(key, now())]);
    }
    for (const account of model.accounts.filter(({ isDeleted }) => !isDeleted)) {
      const listed = await api.call(listServiceAccountKeys, {
        params: { ...params, name: account.name },
        key: org.keys.admin,
      });
      const known = accountKeys().filter((key) => key.account === account && !key.isRevoked);
      expect(listed.body.map(({ id, made_by }) => [id, made_by]).sort()).toEqual(
        known.map(({ id, maker }) => [id, maker]).sort(),
      );
    }
    const listed = (await api.call(listWorkloadIdentities, { params, key: org.keys.admin })).body;
    const stateOf = ({ id, isSuspended }: ModelIdentity) => [id, isSuspended];
    expect(listed.map(({ id, suspended_at }) => [id, suspended_at !== null]).sort()).toEqual(
      model.identities.map(stateOf).sort(),
    );
  }

  for (const [person, role] of first.entries()) {
    await (person < APP_PEOPLE
      ? steps.join({ kind: 'join', person, role })
      : steps.provision({ kind: 'provision', person, role }));
  }
  return {
    take: (step: Step) => (steps[step.kind] as (step: Step) => Promise<void>)(step),
    expectSame,
    expectSameAtTheEnd,
  };
}

it('nothing works that a person made who is gone or may do less, unless an admin restored it', async () => {
  const first = fc.array(role, { minLength: APP_PEOPLE + SCIM_PEOPLE, maxLength: APP_PEOPLE + SCIM_PEOPLE });
  const histories = fc.array(step, { minLength: 20, maxLength: 40 });
  const property = fc.asyncProperty(first, histories, async (first, history) => {
    const { take, expectSame, expectSameAtTheEnd } = await givenHistory(first);
    for (const step of history) {
      await take(step);
      await expectSame();
    }
    await expectSameAtTheEnd();
  });
  await fc.assert(property, { numRuns, endOnFailure: !isFull });
  const counts = [...happened].sort().map(([what, times]) => `${what} ${times}`);
  console.log(`offboarding: ${numRuns} histories as expected; ${counts.join(', ')}`);
}, 3_600_000);
