import {
  addTrustedKey,
  approveChangeRequest,
  CHANGE_REQUEST_DAYS,
  CHANGE_REQUESTS_PENDING_MAX,
  changeMember,
  contracts,
  controlRuleOf,
  createServiceAccount,
  createServiceAccountKey,
  getChangeRequest,
  getOrganization,
  getPolicy,
  listChangeRequests,
  putChangeControl,
  putFlow,
  putPolicy,
  refuseChangeRequest,
  removeMember,
  withdrawChangeRequest,
} from '@waymark/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { givenKeys } from '../../../../../packages/evidence/src/given/envelope.ts';
import { givenAsked, givenTwoPeopleOrg, type TwoPeopleOrg } from '../../../test/given/change-control.ts';
import { givenPerson } from '../../../test/given/people.ts';
import { REQUIRES_PROVENANCE } from '../../../test/given/policies.ts';
import { noLog, startApi } from '../../../test/harness.ts';
import { hashKey } from '../../platform/http/key-text.ts';
import { expireChangeRequests } from './change-request.tasks.ts';

const api = await startApi();
let count = 0;
const given = () => givenTwoPeopleOrg(api, `pairs-${++count}`);
const params = ({ org }: TwoPeopleOrg, more: Record<string, string> = {}) => ({ org: org.name, ...more });
const COMMENTED = `${REQUIRES_PROVENANCE}# Reviewed\n`;

const ask = (pair: TwoPeopleOrg, key = pair.ada.key, policy_yaml = REQUIRES_PROVENANCE, name = 'prod') =>
  givenAsked(api, putPolicy, { params: params(pair, { name }), key, body: { policy_yaml } });
const approve = (pair: TwoPeopleOrg, id: string, key = pair.bea.key, headers = {}) =>
  api.call(approveChangeRequest, { params: params(pair, { id }), key, headers });
const refuse = (pair: TwoPeopleOrg, id: string, key = pair.bea.key, reason = 'Not now') =>
  api.call(refuseChangeRequest, { params: params(pair, { id }), key, body: { reason } });
const withdraw = (pair: TwoPeopleOrg, id: string, key = pair.ada.key) =>
  api.call(withdrawChangeRequest, { params: params(pair, { id }), key });
const read = (pair: TwoPeopleOrg, id: string, key = pair.bea.key) =>
  api.call(getChangeRequest, { params: params(pair, { id }), key });
const pending = async (pair: TwoPeopleOrg) =>
  (await api.call(listChangeRequests, { params: params(pair), key: pair.bea.key })).body;
const policyOf = (pair: TwoPeopleOrg, name = 'prod') =>
  api.call(getPolicy, { params: params(pair, { name }), key: pair.bea.key });
const entries = async ({ org }: TwoPeopleOrg) =>
  (await api.journal(org)).filter(({ type }) => /^(change_request|policy)\./.test(type));
const types = async (pair: TwoPeopleOrg) => (await entries(pair)).map(({ type }) => type);
const expire = () => expireChangeRequests(noLog, () => api.clock.now).run(api.db);
const pass = (days: number) => {
  api.clock.now = new Date(api.clock.now.getTime() + days * 24 * 3_600_000);
};

describe('asking for a change', () => {
  it('answers 202 with what would change, and changes nothing', async () => {
    const pair = await given();
    const request = await ask(pair);
    const now = api.clock.now.getTime() / 1000;
    expect(request).toEqual({
      id: expect.any(String),
      state: 'pending',
      operation: 'putPolicy',
      summary: 'Create a policy, or a new version of one',
      kind: 'policies',
      subject: { kind: 'policy', name: 'prod' },
      asked_by: pair.ada.login,
      asked_through: null,
      asked_at: now,
      expires_at: now + CHANGE_REQUEST_DAYS * 24 * 3600,
      ended_at: null,
      ended_by: null,
      reason: null,
      can_approve: false,
      can_withdraw: true,
      before: null,
      after: { name: 'prod', description: '', version: 1, policy_yaml: REQUIRES_PROVENANCE },
      is_outdated: false,
    });
    expect((await policyOf(pair)).status).toBe(404);
    const { before: _, after: __, is_outdated: ___, ...listed } = request;
    expect(await pending(pair)).toEqual([{ ...listed, can_approve: true, can_withdraw: false }]);
    expect((await read(pair, request.id)).body).toEqual({ ...request, can_approve: true, can_withdraw: false });
    expect(await entries(pair)).toEqual([
      {
        type: 'change_request.created',
        subject_seq: 1,
        actor: pair.ada.login,
        payload: {
          operation: 'putPolicy',
          subject: { kind: 'policy', name: 'prod' },
          asked_by: pair.ada.login,
          request_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
          expires_at: Math.floor(request.expires_at),
        },
      },
    ]);
  });

  it('again answers what waits already, also in a race', async () => {
    const pair = await given();
    const asked = await Promise.all(Array.from({ length: 8 }, () => ask(pair)));
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
    expect(await types(pair)).toEqual(['change_request.created']);
  });

  it('with an Idempotency-Key answers a retry alike', async () => {
    const pair = await given();
    const call = {
      params: params(pair),
      key: pair.ada.key,
      body: { name: 'builder', public_key: givenKeys.ed25519().pem },
      headers: { 'idempotency-key': 'once' },
    };
    expect(await givenAsked(api, addTrustedKey, call)).toEqual(await givenAsked(api, addTrustedKey, call));
    expect(await pending(pair)).toHaveLength(1);
  });

  it('is refused at once for what could not be done, and needs the role for it', async () => {
    const pair = await given();
    const bad = await api.call(putPolicy, {
      params: params(pair, { name: 'prod' }),
      key: pair.ada.key,
      body: { policy_yaml: 'nonsense: true' },
    });
    expect(bad.status).toBe(400);
    const reader = await givenPerson(api, { org: pair.org, role: 'reader' });
    const body = { policy_yaml: REQUIRES_PROVENANCE };
    const refused = await api.call(putPolicy, { params: params(pair, { name: 'prod' }), key: reader.key, body });
    expect(refused).toMatchObject({ status: 403, body: { message: 'This requires the member role; yours is reader' } });
    expect(await entries(pair)).toEqual([]);
  });

  it('does not hold up what changes nothing, what is only tried, and what it does not cover', async () => {
    const pair = await given();
    await approve(pair, (await ask(pair)).id);
    const call = { params: params(pair, { name: 'prod' }), key: pair.ada.key };
    expect((await api.call(putPolicy, { ...call, body: { policy_yaml: REQUIRES_PROVENANCE } })).status).toBe(200);
    const tried = await api.call(putPolicy, { ...call, query: { dry_run: 'true' }, body: { policy_yaml: COMMENTED } });
    expect(tried.status).toBe(200);
    expect((await api.call(putFlow, { ...call, params: params(pair), body: { name: 'shop' } })).status).toBe(201);
    expect(await pending(pair)).toEqual([]);
  });

  it('is open to members, whose requests admins approve', async () => {
    const pair = await given();
    const member = await givenPerson(api, { org: pair.org, role: 'member' });
    const { id } = await ask(pair, member.key);
    expect(await approve(pair, id)).toMatchObject({ status: 200, body: { state: 'approved', asked_by: member.login } });
    expect((await policyOf(pair)).body).toMatchObject({ created_by: member.login });
  });

  it('is refused to a key that nobody made', async () => {
    const pair = await given();
    const body = { policy_yaml: REQUIRES_PROVENANCE };
    const answer = await api.call(putPolicy, {
      params: params(pair, { name: 'prod' }),
      key: pair.org.keys.member,
      body,
    });
    expect(answer).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('nobody is known to have created your key') as unknown },
    });
  });

  it(`is refused when ${CHANGE_REQUESTS_PENDING_MAX} changes wait`, async () => {
    const pair = await given();
    for (let i = 0; i < CHANGE_REQUESTS_PENDING_MAX; i++) await ask(pair, pair.ada.key, REQUIRES_PROVENANCE, `p-${i}`);
    const call = { params: params(pair, { name: 'last' }), key: pair.ada.key };
    const tooMany = await api.call(putPolicy, { ...call, body: { policy_yaml: REQUIRES_PROVENANCE } });
    expect(tooMany).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('pending change requests') },
    });
    const [first] = await pending(pair);
    await withdraw(pair, first?.id ?? '');
    expect((await ask(pair, pair.ada.key, REQUIRES_PROVENANCE, 'last')).state).toBe('pending');
  });
});

describe('approving a change', () => {
  it('makes it in the name of the asker, with both in the journal', async () => {
    const pair = await given();
    const request = await ask(pair);
    const approved = await approve(pair, request.id);
    expect(approved).toMatchObject({
      status: 200,
      body: { state: 'approved', ended_by: pair.bea.login, after: request.after, can_approve: false },
    });
    expect((await policyOf(pair)).body).toMatchObject({ created_by: pair.ada.login, versions: [{ version: 1 }] });
    expect((await entries(pair)).map(({ type, actor }) => [type, actor])).toEqual([
      ['change_request.created', pair.ada.login],
      ['change_request.approved', pair.bea.login],
      ['policy.created', pair.ada.login],
      ['policy.versioned', pair.ada.login],
    ]);
    expect(await pending(pair)).toEqual([]);
    const stored = await api.db
      .selectFrom('change_request')
      .select('input')
      .where('org_id', '=', pair.org.id)
      .execute();
    expect(stored).toEqual([{ input: '' }]);
    const listed = await api.call(listChangeRequests, {
      params: params(pair),
      query: { state: 'approved' },
      key: pair.ada.key,
    });
    expect(listed.body).toMatchObject([{ id: request.id, ended_by: pair.bea.login }]);
  });

  it('is done once, whoever approves it at the same time and again', async () => {
    const pair = await given();
    const third = await givenPerson(api, { org: pair.org, role: 'admin' });
    const { id } = await ask(pair);
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => approve(pair, id)),
      ...Array.from({ length: 4 }, () => approve(pair, id, third.key)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 409, 409, 409, 409]);
    expect((await types(pair)).filter((type) => type === 'policy.versioned')).toHaveLength(1);
    expect((await types(pair)).filter((type) => type === 'change_request.approved')).toHaveLength(1);
  });

  it('with an Idempotency-Key answers a retry alike', async () => {
    const pair = await given();
    const { id } = await ask(pair);
    const first = await approve(pair, id, pair.bea.key, { 'idempotency-key': 'a' });
    expect(first.status).toBe(200);
    expect((await approve(pair, id, pair.bea.key, { 'idempotency-key': 'a' })).body).toEqual(first.body);
  });

  it('excludes refusing it', async () => {
    const pair = await given();
    const { id } = await ask(pair);
    const third = await givenPerson(api, { org: pair.org, role: 'admin' });
    const answers = await Promise.all([approve(pair, id), refuse(pair, id, third.key)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { state } = (await read(pair, id)).body;
    expect((await policyOf(pair)).status).toBe(state === 'approved' ? 200 : 404);
  });

  it('is not for the asker, by no key or service account of theirs', async () => {
    const pair = await given();
    const request = await ask(pair);
    const YOURS = {
      status: 403,
      body: { message: 'You requested this change: another admin must approve or refuse it. You can withdraw it' },
    };
    expect(await approve(pair, request.id, pair.ada.key)).toMatchObject(YOURS);
    expect(await refuse(pair, request.id, pair.ada.key)).toMatchObject(YOURS);
    const robot = await givenRobot(pair, pair.ada.key, 'admin');
    expect(await approve(pair, request.id, robot)).toMatchObject({ status: 403 });
    const other = await ask(pair, robot, COMMENTED, 'staging');
    expect(other).toMatchObject({ asked_by: pair.ada.login, asked_through: 'robot-admin' });
    expect(await approve(pair, other.id, pair.ada.key)).toMatchObject(YOURS);
    expect(await approve(pair, other.id)).toMatchObject({ status: 200 });
    expect((await policyOf(pair, 'staging')).body).toMatchObject({ created_by: 'robot-admin' });
    await sql`update api_key set workload = '{}' where hash = ${hashKey(robot)}`.execute(api.db);
    const byJob = await ask(pair, robot, REQUIRES_PROVENANCE, 'staging');
    expect(byJob).toMatchObject({ asked_by: pair.ada.login, before: { version: 1 }, after: { version: 2 } });
    expect(await approve(pair, byJob.id, pair.ada.key)).toMatchObject(YOURS);
    expect(await approve(pair, byJob.id, robot)).toMatchObject({ status: 403 });
  });

  it('is for people who are admins of the org', async () => {
    const pair = await given();
    const { id } = await ask(pair);
    const member = await givenPerson(api, { org: pair.org, role: 'member' });
    expect(await approve(pair, id, member.key)).toMatchObject({
      status: 403,
      body: { message: 'This requires the admin role; yours is member' },
    });
    expect(await approve(pair, id, await givenRobot(pair, pair.bea.key, 'admin'))).toMatchObject({
      status: 403,
      body: { message: 'Only people can approve or refuse changes, not service accounts' },
    });
    const elsewhere = await given();
    expect((await approve(pair, id, elsewhere.bea.key)).status).toBe(403);
    expect((await approve(elsewhere, id)).status).toBe(404);
    expect((await read(elsewhere, id)).status).toBe(404);
    expect(await types(pair)).toEqual(['change_request.created']);
  });

  it('is refused when the subject has changed since', async () => {
    const pair = await given();
    const first = await ask(pair);
    const second = await ask(pair, pair.ada.key, COMMENTED);
    await approve(pair, first.id);
    expect((await read(pair, second.id)).body).toMatchObject({ state: 'pending', is_outdated: true });
    expect(await approve(pair, second.id)).toMatchObject({
      status: 409,
      body: { message: "'prod' has changed since this change was requested. Request it again" },
    });
    expect((await policyOf(pair)).body.versions).toHaveLength(1);
    expect((await read(pair, second.id)).body.state).toBe('pending');
  });

  it('lets only one of several changes of a subject through when they are approved together', async () => {
    const pair = await given();
    const asked = await Promise.all(
      Array.from({ length: 4 }, (_, i) => ask(pair, pair.ada.key, `${REQUIRES_PROVENANCE}# ${i}\n`)),
    );
    const answers = await Promise.all(asked.map(({ id }) => approve(pair, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await policyOf(pair)).body.versions).toHaveLength(1);
  });

  it('is refused when the asker left or has a lesser role, and the request expires', async () => {
    const pair = await given();
    const [leaver, demoted] = [
      await givenPerson(api, { org: pair.org, role: 'member' }),
      await givenPerson(api, { org: pair.org, role: 'member' }),
    ];
    const left = await ask(pair, leaver.key);
    const lesser = await ask(pair, demoted.key);
    const remaining = await ask(pair);
    await api.call(removeMember, { params: params(pair, { login: leaver.login }), key: pair.bea.key });
    await api.call(changeMember, {
      params: params(pair, { login: demoted.login }),
      key: pair.bea.key,
      body: { role: 'reader' },
    });
    for (const [{ id }, { login }] of [
      [left, leaver],
      [lesser, demoted],
    ] as const) {
      expect(await approve(pair, id)).toMatchObject({
        status: 409,
        body: { message: `'${login}' can no longer make this change, so it cannot be approved` },
      });
    }
    await expire();
    for (const { id } of [left, lesser]) {
      expect((await read(pair, id)).body).toMatchObject({
        state: 'expired',
        ended_by: null,
        reason: 'The requester left the org, or lost the role for this change',
      });
    }
    expect((await pending(pair)).map(({ id }) => id)).toEqual([remaining.id]);
    const ended = (await entries(pair)).filter(({ type }) => type === 'change_request.expired');
    expect(ended.map(({ actor, payload }) => [actor, (payload as { because: string }).because])).toEqual([
      ['expiry', 'asker'],
      ['expiry', 'asker'],
    ]);
  });

  it('is refused to an approver who has lost the role', async () => {
    const pair = await given();
    const { id } = await ask(pair);
    await api.call(changeMember, {
      params: params(pair, { login: pair.bea.login }),
      key: pair.ada.key,
      body: { role: 'member' },
    });
    expect((await approve(pair, id)).status).toBe(403);
    expect(await types(pair)).toEqual(['change_request.created']);
  });
});

describe('a change that waits', () => {
  it('is refused with a reason, by another admin, once', async () => {
    const pair = await given();
    const { id } = await ask(pair);
    expect(await refuse(pair, id, pair.bea.key, '   ')).toMatchObject({ status: 400 });
    const answers = await Promise.all(Array.from({ length: 4 }, () => refuse(pair, id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await read(pair, id)).body).toMatchObject({
      state: 'refused',
      reason: 'Not now',
      ended_by: pair.bea.login,
    });
    expect(await approve(pair, id)).toMatchObject({
      status: 409,
      body: { message: `This change request was already refused by '${pair.bea.login}'` },
    });
    expect(await types(pair)).toEqual(['change_request.created', 'change_request.refused']);
    expect((await ask(pair)).id).not.toBe(id);
  });

  it('is withdrawn by the asker alone, once', async () => {
    const pair = await given();
    const { id } = await ask(pair);
    expect(await withdraw(pair, id, pair.bea.key)).toMatchObject({
      status: 403,
      body: { message: `Only '${pair.ada.login}', who requested this change, can withdraw it` },
    });
    const reader = await givenPerson(api, { org: pair.org, role: 'reader' });
    expect((await withdraw(pair, id, reader.key)).status).toBe(403);
    const answers = await Promise.all(Array.from({ length: 4 }, () => withdraw(pair, id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await approve(pair, id)).status).toBe(409);
    expect((await refuse(pair, id)).status).toBe(409);
    expect(await types(pair)).toEqual(['change_request.created', 'change_request.withdrawn']);
    const none = '01a1dcbd-b399-7861-b63d-0f0927550600';
    for (const missing of [approve(pair, none), refuse(pair, none), withdraw(pair, none), read(pair, none)]) {
      expect(await missing).toMatchObject({
        status: 404,
        body: { message: `Change request '${none}' does not exist in this org` },
      });
    }
  });

  it('expires after a week, whether the worker was there or not', async () => {
    const pair = await given();
    const { id } = await ask(pair);
    pass(CHANGE_REQUEST_DAYS);
    expect(await pending(pair)).toEqual([]);
    expect((await read(pair, id)).body).toMatchObject({ state: 'expired', can_approve: false });
    expect(await approve(pair, id)).toMatchObject({
      status: 409,
      body: { message: 'This change request has expired. Request the change again' },
    });
    const again = await ask(pair);
    expect(again.id).not.toBe(id);
    await expire();
    await expire();
    expect(await types(pair)).toEqual(['change_request.created', 'change_request.expired', 'change_request.created']);
    expect(await approve(pair, again.id)).toMatchObject({ status: 200 });
  });
});

describe('change control itself', () => {
  it('needs two people who are admins', async () => {
    const org = await api.givenOrg(`pairs-${++count}`);
    const turn = () =>
      api.call(putChangeControl, { params: { org: org.name }, key: org.keys.admin, body: { mode: 'two_people' } });
    expect(await turn()).toMatchObject({
      status: 409,
      body: { message: 'Nobody could approve a change: make a second person admin of the org first' },
    });
    await givenPerson(api, { org, role: 'admin' });
    expect((await turn()).status).toBe(200);
  });

  it('is turned off by two people as well', async () => {
    const pair = await given();
    const call = { params: params(pair), key: pair.ada.key };
    const mode = async () => (await api.call(getOrganization, call)).body.change_control;
    const request = await givenAsked(api, putChangeControl, { ...call, body: { mode: 'off' } });
    expect(request).toMatchObject({
      kind: 'change_control',
      before: { change_control: 'two_people' },
      after: { change_control: 'off' },
    });
    expect(await mode()).toBe('two_people');
    const waiting = await ask(pair);
    expect((await approve(pair, request.id)).status).toBe(200);
    expect(await mode()).toBe('off');
    expect((await approve(pair, waiting.id)).status).toBe(200);
  });

  it('locks nobody out when one of two admins leaves: the other makes a new admin', async () => {
    const pair = await given();
    const last = await givenPerson(api, { org: pair.org, role: 'admin' });
    for (const { login } of [pair.bea, { login: `${pair.org.name}-admin` }, pair.ada]) {
      await api.call(removeMember, { params: params(pair, { login }), key: last.key });
    }
    const { id } = await ask(pair, last.key);
    const member = await givenPerson(api, { org: pair.org, role: 'member' });
    await api.call(changeMember, {
      params: params(pair, { login: member.login }),
      key: last.key,
      body: { role: 'admin' },
    });
    expect((await approve(pair, id, member.key)).status).toBe(200);
  });

  it('knows how to carry out every operation that it covers', () => {
    const covered = contracts.filter((contract) => controlRuleOf(contract)).map(({ id }) => id);
    expect([...api.app.changeControl.operations.keys()].sort()).toEqual(covered.sort());
  });
});

async function givenRobot(pair: TwoPeopleOrg, key: string, privilege: 'admin' | 'member'): Promise<string> {
  const name = `robot-${privilege}`;
  await api.call(createServiceAccount, { params: params(pair), key, body: { name, privilege } as never });
  const made = await api.call(createServiceAccountKey, {
    params: params(pair, { name }),
    key,
    body: { description: 'test' } as never,
  });
  return (made.body as unknown as { key: string }).key;
}
