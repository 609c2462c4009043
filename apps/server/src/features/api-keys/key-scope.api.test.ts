import {
  addWorkloadIdentity,
  archiveFlow,
  assertArtifact,
  attachPolicies,
  attestGeneric,
  attestOverride,
  beginTrail,
  createServiceAccountKey,
  createUserKey,
  getOwnSession,
  getServiceAccountKey,
  getTargetSecret,
  getTrail,
  type KeyScope,
  listAttestations,
  listFlows,
  listServiceAccountKeys,
  listTrails,
  listUserKeys,
  putEnvironment,
  putFlow,
  renameEnvironment,
  renameFlow,
  reportArtifact,
  reportServer,
  revokeServiceAccountKey,
  rotateServiceAccountKey,
  rotateUserKey,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { artifact, attestationIdOf, fingerprint } from '../../../test/given/evidence.ts';
import { callSigned, givenPerson, givenSession } from '../../../test/given/people.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();

let org: TestOrg;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`scopes-${++count}`);
  for (const name of ['shop', 'bank']) await asAdmin(putFlow, {}, { name });
  for (const name of ['prod', 'test']) await asAdmin(putEnvironment, {}, { name, type: 'server', description: '' });
});

const asAdmin = (contract: Parameters<typeof api.call>[0], params: Record<string, string>, body?: object) =>
  api.call(contract, {
    params: { org: org.name, ...params },
    key: org.keys.admin,
    ...(body && { body: body as never }),
  });
const about = (name = 'member', key_id = 'none') => ({ org: org.name, name, key_id });
const create = (scope: unknown, name = 'member', key = org.keys.admin) =>
  api.call(createServiceAccountKey, {
    params: about(name),
    key,
    body: { description: 'ci', scope: scope as KeyScope },
  });
const keyWith = async (scope: KeyScope, name = 'member') => (await create(scope, name)).body.key;
const begin = (key: string, flow_name: string, org_name = org.name) =>
  api.call(beginTrail, { params: { org: org_name, flow_name }, key, body: { name: 't' } });
const attest = (key: string, flow_name: string) =>
  api.call(attestGeneric, {
    params: { org: org.name, flow_name, trail_name: 't' },
    key,
    body: { attestation_name: 'tests', is_compliant: true },
  });
const report = (key: string, env_name: string) =>
  api.call(reportServer, { params: { org: org.name, env_name }, key, body: { artifacts: [] } });
const refused = (message: string) => ({ status: 403, body: { message } });
const created = async () =>
  (await api.journal(org)).filter(({ type, actor }) => type === 'api_key.created' && actor !== 'tests');

describe('the scope of a key', () => {
  it('is answered, shown and recorded', async () => {
    const { status, body } = await create({ kind: 'evidence', flows: ['shop', 'bank', 'shop'] });
    const scope = { kind: 'evidence', flows: ['shop', 'bank'] };
    expect([status, body.scope]).toEqual([201, scope]);
    expect(
      (await api.call(getServiceAccountKey, { params: about('member', body.id), key: org.keys.admin })).body.scope,
    ).toEqual(scope);
    expect((await api.call(getOwnSession, { key: body.key })).body.scope).toEqual(scope);
    expect(await created()).toMatchObject([{ payload: { scope: { kind: 'evidence', names: ['shop', 'bank'] } } }]);
  });

  it.each([
    [{ kind: 'write' }, { 'scope.kind': 'must be one of evidence, snapshot, read' }],
    [{}, { 'scope.kind': 'must be one of evidence, snapshot, read' }],
    ['read', { scope: 'must be an object' }],
    [{ kind: 'evidence', environments: ['prod'] }, { 'scope.environments': 'is unknown' }],
    [{ kind: 'snapshot', flows: ['shop'] }, { 'scope.flows': 'is unknown' }],
    [{ kind: 'read', flows: ['shop'] }, { 'scope.flows': 'is unknown' }],
    [{ kind: 'evidence', flows: [] }, { 'scope.flows': 'must have at least 1 item' }],
    [{ kind: 'evidence', flows: ['a b'] }, { 'scope.flows.0': expect.stringContaining('must start with') }],
    [
      { kind: 'snapshot', environments: Array.from({ length: 51 }, (_, i) => `e-${i}`) },
      { 'scope.environments': 'must have at most 50 items' },
    ],
  ])('is refused as %j', async (scope, errors) => {
    expect(await create(scope)).toMatchObject({ status: 400, body: { errors } });
    expect(await created()).toEqual([]);
  });

  it('survives a rotation, by whomever', async () => {
    const scope: KeyScope = { kind: 'snapshot', environments: ['prod'] };
    const { id } = (await create(scope, 'snapshotter')).body;
    const call = { params: about('snapshotter', id), key: org.keys.admin, body: {} };
    const { status, body } = await api.call(rotateServiceAccountKey, call);
    expect([status, body.scope]).toEqual([201, scope]);
    expect((await report(body.key, 'prod')).status).toBe(200);
    expect((await report(body.key, 'test')).status).toBe(403);
    expect((await created()).map(({ payload }) => (payload as { scope: unknown }).scope)).toEqual([
      { kind: 'snapshot', names: ['prod'] },
      { kind: 'snapshot', names: ['prod'] },
    ]);
  });

  it('is the same after a retry, and for all that race for a key', async () => {
    const call = {
      params: about(),
      key: org.keys.admin,
      headers: { 'idempotency-key': 'first' },
      body: { description: 'ci', scope: { kind: 'read' } as const },
    };
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ kind: 'read' })));
    expect(answers.map(({ status, body }) => [status, body.scope])).toEqual(
      Array.from({ length: 8 }, () => [201, { kind: 'read' }]),
    );
    const { id } = (await api.call(createServiceAccountKey, call)).body;
    expect(await api.call(createServiceAccountKey, call)).toMatchObject({
      status: 400,
      body: { errors: { 'Idempotency-Key': expect.stringContaining(id) } },
    });
    expect(await api.call(createServiceAccountKey, { ...call, body: { description: 'ci' } })).toMatchObject({
      status: 400,
      body: { errors: { 'Idempotency-Key': 'was already used for another request' } },
    });
  });

  it('never adds to the role', async () => {
    const key = await keyWith({ kind: 'evidence' }, 'reader');
    expect(await begin(key, 'shop')).toMatchObject(refused('This requires the member role; yours is reader'));
    expect(
      (await api.call(getTrail, { params: { org: org.name, flow_name: 'shop', trail_name: 't' }, key })).status,
    ).toBe(404);
  });

  it('opens no other org, also where that has a flow of the same name', async () => {
    const other = await api.givenOrg(`other-${count}`);
    await api.call(putFlow, { params: { org: other.name }, key: other.keys.admin, body: { name: 'shop' } });
    const key = await keyWith({ kind: 'evidence', flows: ['shop'] });
    expect(await begin(key, 'shop', other.name)).toMatchObject(
      refused('There is no such org, or you are not a member of it'),
    );
  });

  it.each([{ kind: 'evidence' }, { kind: 'snapshot' }, { kind: 'read' }] as const)(
    'makes, rotates and revokes no key, and no workload identity: %j',
    async (scope) => {
      const owner = await givenPerson(api, { org, role: 'admin' });
      const signed = await givenSession(api, owner);
      const made = await callSigned(api, createUserKey, signed, { body: { description: 'x', scope } });
      const { key, id } = made.body;
      const no = refused(`This requires a key without a scope; yours has the scope ${scope.kind}`);
      const { id: ofAccount } = (await create(null)).body;
      const identity = { name: 'x', service_account: 'member', issuer: 'https://ci.example.org', claims: { sub: 'x' } };
      const answers = [
        await create(scope, 'reader', key),
        await api.call(rotateServiceAccountKey, { params: about('member', ofAccount), key, body: {} }),
        await api.call(revokeServiceAccountKey, { params: about('member', ofAccount), key }),
        await api.call(rotateUserKey, { params: { key_id: id }, key, body: {} }),
        await api.call(addWorkloadIdentity, { params: { org: org.name }, key, body: identity }),
      ];
      for (const answer of answers) expect(answer).toMatchObject(no);
    },
  );

  it('stays with a personal key when its owner rotates it', async () => {
    const owner = await givenPerson(api, { org, role: 'member' });
    const signed = await givenSession(api, owner);
    const scope: KeyScope = { kind: 'evidence', flows: ['shop'] };
    const { body } = await callSigned(api, createUserKey, signed, { body: { description: 'x', scope } });
    expect(body.scope).toEqual(scope);
    const rotated = await callSigned(api, rotateUserKey, signed, { params: { key_id: body.id }, body: {} });
    expect(rotated).toMatchObject({ status: 201, body: { scope } });
    expect((await begin(rotated.body.key, 'shop')).status).toBe(201);
    expect((await begin(rotated.body.key, 'bank')).status).toBe(403);
  });
});

describe('a key for evidence', () => {
  it('reports into every flow, and reads it back', async () => {
    const key = await keyWith({ kind: 'evidence' });
    expect((await begin(key, 'shop')).status).toBe(201);
    const reported = await api.call(reportArtifact, {
      params: { org: org.name, flow_name: 'bank' },
      key,
      body: artifact('a', { trail_name: 't' }),
    });
    expect(reported.status).toBe(201);
    const id = attestationIdOf(await attest(key, 'shop'));
    expect(
      (await api.call(listAttestations, { params: { org: org.name }, key, query: { attestation_id: id } })).body,
    ).toMatchObject({ data: [{ flow_name: 'shop' }] });
    const asserted = await api.call(assertArtifact, { params: { org: org.name, fingerprint: fingerprint('a') }, key });
    expect(asserted.status).toBe(200);
  });

  it('does not change what evidence is measured by', async () => {
    const key = await keyWith({ kind: 'evidence' });
    const no = refused('This requires a key without a scope; yours has the scope evidence');
    const params = { org: org.name, flow_name: 'shop', env_name: 'prod', trail_name: 't' };
    const answers = [
      await api.call(putFlow, { params, key, body: { name: 'shop', template: 'version: 1' } }),
      await api.call(attachPolicies, { params, key, body: { policy_names: ['x'] } as never }),
      await api.call(attestOverride, { params, key, body: { attestation_name: 'tests' } as never }),
      await api.call(archiveFlow, { params, key }),
    ];
    for (const answer of answers) expect(answer).toMatchObject(no);
    expect(await api.call(listFlows, { params, key })).toMatchObject(
      refused('This requires a key with the scope read, or without one; yours has the scope evidence'),
    );
    expect(await report(key, 'prod')).toMatchObject(
      refused('This requires a key with the scope snapshot, or without one; yours has the scope evidence'),
    );
  });
});

describe('a key for evidence in named flows', () => {
  let key: string;
  beforeEach(async () => {
    key = await keyWith({ kind: 'evidence', flows: ['shop', 'later'] });
  });
  const outside = (flow: string) =>
    refused(
      `This requires a key whose scope includes the flow '${flow}'; yours has the scope evidence for the flow 'shop', 'later'`,
    );

  it('reports into those flows alone, by JSON and by form', async () => {
    expect((await begin(key, 'shop')).status).toBe(201);
    expect(await begin(key, 'bank')).toMatchObject(outside('bank'));
    expect(await begin(key, 'Shop')).toMatchObject(outside('Shop'));
    const form = new FormData();
    form.set('data_json', JSON.stringify({ attestation_name: 'tests', is_compliant: true }));
    const sent = new Response(form);
    const payload = Buffer.from(await sent.arrayBuffer());
    const headers = { authorization: `Bearer ${key}`, 'content-type': sent.headers.get('content-type') ?? '' };
    const send = (flow: string) =>
      api.inject({ method: 'POST', url: `/api/v2/attestations/${org.name}/${flow}/trail/t/generic`, headers, payload });
    expect((await send('shop')).status).toBe(201);
    expect((await send('%73hop')).status).toBe(201);
    expect(await send('bank')).toMatchObject(outside('bank'));
  });

  it('begins a named flow that is not there yet, as other keys do', async () => {
    expect((await attest(key, 'later')).status).toBe(201);
    expect(await attest(key, 'never')).toMatchObject(outside('never'));
  });

  it('reads a list when the query names those flows alone', async () => {
    const list = (query: Record<string, string | string[]>) =>
      api.call(listAttestations, { params: { org: org.name }, key, query: query as never });
    const id = attestationIdOf(await attest(key, 'shop'));
    const ofBank = attestationIdOf(await attest(org.keys.admin, 'bank'));
    expect((await list({ flow: 'shop', attestation_id: id })).body).toMatchObject({ data: [{ flow_name: 'shop' }] });
    expect((await list({ flow: 'shop', attestation_id: ofBank })).body).toMatchObject({ data: [] });
    expect((await list({ flow: ['shop', 'later'] })).status).not.toBe(403);
    expect(await list({ flow: ['shop', 'bank'] })).toMatchObject(outside('bank'));
    const unnamed =
      "This requires the flow in the query parameter 'flow'; your key has the scope evidence for the flow 'shop', 'later'";
    expect(await list({ attestation_id: id })).toMatchObject(refused(unnamed));
    expect(await list({ flow: '' })).toMatchObject(refused(unnamed));
    expect((await api.call(listTrails, { params: { org: org.name }, key, query: { flow: 'shop' } })).status).toBe(200);
  });

  it('asks for verdicts on what is in those flows', async () => {
    const body = artifact('a', { trail_name: 't' });
    await api.call(reportArtifact, { params: { org: org.name, flow_name: 'shop' }, key, body });
    const ask = (query: Record<string, string>) =>
      api.call(assertArtifact, { params: { org: org.name, fingerprint: fingerprint('a') }, key, query });
    expect((await ask({ flow_name: 'shop' })).status).toBe(200);
    expect((await ask({ flow_name: 'shop', environment_name: 'prod' })).status).toBe(200);
    expect(await ask({ flow_name: 'bank' })).toMatchObject(outside('bank'));
    expect((await ask({ environment_name: 'prod' })).status).toBe(403);
  });

  it('reaches a renamed flow by the name in its scope, until another flow takes it', async () => {
    await asAdmin(renameFlow, { flow_name: 'shop' }, { new_name: 'store' });
    expect((await begin(key, 'shop')).status).toBe(201);
    expect(await begin(key, 'store')).toMatchObject(outside('store'));
    const trail = { org: org.name, flow_name: 'store', trail_name: 't' };
    expect((await api.call(getTrail, { params: trail, key: org.keys.admin })).status).toBe(200);
  });

  it('finds an archived flow no more than other keys do', async () => {
    await asAdmin(archiveFlow, { flow_name: 'shop' });
    expect((await begin(key, 'shop')).status).toBe((await begin(org.keys.admin, 'shop')).status);
  });
});

describe('a key for snapshots', () => {
  it('reports every environment, creates none, and reports no evidence', async () => {
    const key = await keyWith({ kind: 'snapshot' }, 'member');
    expect([(await report(key, 'prod')).status, (await report(key, 'test')).status]).toEqual([200, 200]);
    const no = 'a key without a scope; yours has the scope snapshot';
    const body = { name: 'new', type: 'server', description: '' } as never;
    expect(await api.call(putEnvironment, { params: { org: org.name }, key, body })).toMatchObject(
      refused(`This requires ${no}`),
    );
    expect((await begin(key, 'shop')).status).toBe(403);
  });

  it('reports the named environments alone, by the name in its scope', async () => {
    const key = await keyWith({ kind: 'snapshot', environments: ['prod'] }, 'snapshotter');
    const outside = (env: string) =>
      refused(
        `This requires a key whose scope includes the environment '${env}'; yours has the scope snapshot for the environment 'prod'`,
      );
    expect((await report(key, 'prod')).status).toBe(200);
    expect(await report(key, 'test')).toMatchObject(outside('test'));
    expect(await report(key, 'never-was')).toMatchObject(outside('never-was'));
    await asAdmin(renameEnvironment, { env_name: 'prod' }, { new_name: 'live' });
    expect((await report(key, 'prod')).status).toBe(200);
    expect(await report(key, 'live')).toMatchObject(outside('live'));
  });
});

describe('a key for reading', () => {
  it('reads what its role may read, changes nothing, and sees no secret', async () => {
    const member = await keyWith({ kind: 'read' });
    const params = { org: org.name };
    expect((await api.call(listFlows, { params, key: member })).status).toBe(200);
    expect((await begin(member, 'shop')).status).toBe(403);
    const target_id = '0190c0de-0000-7000-8000-000000000005';
    expect(await api.call(getTargetSecret, { params: { ...params, target_id }, key: member })).toMatchObject(
      refused('This requires a key without a scope; yours has the scope read'),
    );
    const owner = await givenPerson(api, { org, role: 'admin' });
    const signed = await givenSession(api, owner);
    const made = await callSigned(api, createUserKey, signed, { body: { description: 'x', scope: { kind: 'read' } } });
    expect((await api.call(listServiceAccountKeys, { params: about(), key: made.body.key })).status).toBe(200);
    expect((await api.call(listUserKeys, { key: made.body.key })).status).toBe(200);
  });
});
