import {
  addWorkloadIdentity,
  getWorkloadIdentity,
  listWorkloadIdentities,
  removeWorkloadIdentity,
  WORKLOAD_IDENTITIES_MAX,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { startApi, type TestOrg } from '../../../../test/harness.ts';

const api = await startApi();
const ISSUER = 'https://token.actions.githubusercontent.com';

let org: TestOrg;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`jobs-${++count}`);
});

const as = (role: 'admin' | 'member' | 'snapshotter' | 'reader' = 'admin') => ({
  params: { org: org.name },
  key: org.keys[role],
});
const wanted = (more: object = {}) => ({
  name: 'release',
  service_account: 'member',
  issuer: ISSUER,
  claims: { repository_id: '1296269', ref: 'refs/heads/main' },
  ...more,
});
const add = (more: object = {}) => api.call(addWorkloadIdentity, { ...as(), body: wanted(more) });
const about = (id: string, key = org.keys.admin) => ({ params: { org: org.name, identity_id: id }, key });
const entries = async () => (await api.journal(org)).filter(({ type }) => type.startsWith('workload_identity.'));

describe('adding a workload identity', () => {
  it('answers it, lists it, and records it', async () => {
    const { status, body } = await add();
    expect(status).toBe(201);
    expect(body).toEqual({
      ...wanted(),
      scope: null,
      id: body.id,
      active: true,
      created_at: api.clock.now.getTime() / 1000,
      created_by: `${org.name}-admin`,
      suspended_at: null,
      suspends_at: null,
    });
    expect((await api.call(listWorkloadIdentities, as())).body).toEqual([body]);
    expect((await api.call(getWorkloadIdentity, about(body.id))).body).toEqual(body);
    expect(await entries()).toEqual([
      { type: 'workload_identity.added', subject_seq: 1, actor: `${org.name}-admin`, payload: wanted({ scope: null }) },
    ]);
  });

  it('keeps the scope that its keys get, and records it', async () => {
    const { status, body } = await add({ scope: { kind: 'snapshot', environments: ['prod', 'prod'] } });
    expect([status, body.scope]).toEqual([201, { kind: 'snapshot', environments: ['prod'] }]);
    expect((await api.call(getWorkloadIdentity, about(body.id))).body).toEqual(body);
    expect(await entries()).toMatchObject([{ payload: { scope: { kind: 'snapshot', names: ['prod'] } } }]);
  });

  it.each([
    [{ scope: { kind: 'write' } }, { 'scope.kind': 'must be one of evidence, snapshot, read' }],
    [{ scope: { kind: 'evidence', environments: ['prod'] } }, { 'scope.environments': 'is unknown' }],
    [{ name: 'a b' }, { name: 'must start with a letter or digit and contain only letters, digits, and . - _ ~' }],
    [{ service_account: 'nobody' }, { service_account: "is not a service account of this org: 'nobody'" }],
    [{ issuer: 'ftp://x' }, { issuer: 'must be an https URL' }],
    [{ issuer: 'http://ci.example.org' }, { issuer: 'must be an https URL' }],
    [{ issuer: 'https://user@ci.example.org' }, { issuer: 'contains a user name or password' }],
    [{ issuer: 'https://0x7f.1/' }, { issuer: 'has a host that is not a plain domain name or address' }],
    [{ issuer: 'https://ci.example.org/?x' }, { issuer: 'must not have a query or a fragment' }],
    [{ issuer: 'https://ci.example.org/#' }, { issuer: 'must not have a query or a fragment' }],
    [
      { claims: { repository: 'acme/web' } },
      { claims: expect.stringMatching(/^must contain repository_id or .* get access$/) },
    ],
    [
      { claims: { repository_id: '1', ref: '*' } },
      { 'claims.ref': 'can contain one *, at its end and after other characters' },
    ],
    [{ claims: { repositoryUuid: 'web' } }, { 'claims.repositoryUuid': 'must be the UUID, not the name' }],
    [
      { issuer: 'https://oidc.circleci.com/org/1', claims: { sub: 'x' } },
      { claims: expect.stringMatching(/^must contain oidc.circleci.com\/project-id or oidc.circleci.com\/org-id: /) },
    ],
    [{ claims: { 'a b': '1' } }, { 'claims.a b': expect.stringMatching(/^is not a valid name/) }],
    [{ claims: { repository_id: 1 } }, { 'claims.repository_id': 'must be text' }],
    [{ claims: { repository_id: 'a\u0000' } }, expect.anything()],
    [
      { claims: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`c${i}`, 'x'])) },
      { claims: 'must have at most 20 keys' },
    ],
    [{ role: 'admin' }, { role: 'is unknown' }],
  ])('refuses %j and names the field', async (more, errors) => {
    expect(await add(more)).toMatchObject({ status: 400, body: { errors } });
    expect(await entries()).toEqual([]);
  });

  it('refuses a name that is taken, and the same under another name', async () => {
    await add();
    expect(await add({ claims: { repository_id: '2' } })).toMatchObject({
      status: 400,
      body: { errors: { name: "is taken: workload identity 'release' already exists" } },
    });
    expect(await add({ name: 'again' })).toMatchObject({
      status: 400,
      body: { errors: { claims: "are already required by the workload identity 'release'" } },
    });
    expect((await add({ name: 'reading', service_account: 'reader' })).status).toBe(201);
  });

  it('adds once when identical requests race', async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => add()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 15 }, () => 400)]);
    expect(await entries()).toHaveLength(1);
  });

  it('answers a retry with the same idempotency key alike', async () => {
    const call = { ...as(), headers: { 'idempotency-key': 'first' }, body: wanted() };
    const first = await api.call(addWorkloadIdentity, call);
    expect(await api.call(addWorkloadIdentity, call)).toMatchObject({ status: 201, body: first.body });
    expect(await entries()).toHaveLength(1);
  });

  it(`stops at ${WORKLOAD_IDENTITIES_MAX}, also when requests race for the last place`, async () => {
    const numbered = (i: number) => add({ name: `n-${i}`, claims: { repository_id: String(i) } });
    for (let i = 0; i < WORKLOAD_IDENTITIES_MAX - 1; i++) expect((await numbered(i)).status).toBe(201);
    const answers = await Promise.all([numbered(1000), numbered(1001)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({
      message: 'This org already has 100 workload identities, which is the maximum: delete one first',
      errors: null,
    });
  });

  it.each(['member', 'snapshotter', 'reader'] as const)('is not for the role %s, nor is reading', async (role) => {
    const { body } = await add();
    const refused = { status: 403, body: { message: `This requires the admin role; yours is ${role}` } };
    expect(await api.call(addWorkloadIdentity, { ...as(role), body: wanted({ name: 'x' }) })).toMatchObject(refused);
    expect(await api.call(listWorkloadIdentities, as(role))).toMatchObject(refused);
    expect(await api.call(getWorkloadIdentity, about(body.id, org.keys[role]))).toMatchObject(refused);
    expect(await api.call(removeWorkloadIdentity, about(body.id, org.keys[role]))).toMatchObject(refused);
  });
});

describe('removing a workload identity', () => {
  it('ends it, keeps the row, and frees the name', async () => {
    const { body: identity } = await add();
    expect(await api.call(removeWorkloadIdentity, about(identity.id))).toMatchObject({
      status: 200,
      body: "Workload identity 'release' deleted, and its keys revoked",
    });
    const missing = {
      status: 404,
      body: { message: `Workload identity '${identity.id}' does not exist in this org` },
    };
    expect(await api.call(removeWorkloadIdentity, about(identity.id))).toMatchObject(missing);
    expect(await api.call(getWorkloadIdentity, about(identity.id))).toMatchObject(missing);
    expect((await api.call(listWorkloadIdentities, as())).body).toEqual([]);
    expect((await entries()).map(({ type, subject_seq, payload }) => [type, subject_seq, payload])).toEqual([
      ['workload_identity.added', 1, wanted({ scope: null })],
      ['workload_identity.removed', 2, { name: 'release', service_account: 'member', issuer: ISSUER, keys_revoked: 0 }],
    ]);
    expect((await add()).status).toBe(201);
  });

  it('removes once when identical requests race', async () => {
    const { body: identity } = await add();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.call(removeWorkloadIdentity, about(identity.id))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
    expect(await entries()).toHaveLength(2);
  });

  it('neither changes nor reads another org', async () => {
    const { body: identity } = await add();
    const mine = { params: { org: api.org.name, identity_id: identity.id } };
    expect(await api.call(removeWorkloadIdentity, mine)).toMatchObject({ status: 404 });
    expect(await api.call(getWorkloadIdentity, mine)).toMatchObject({ status: 404 });
    expect(await api.call(removeWorkloadIdentity, about(identity.id, api.org.keys.admin))).toMatchObject({
      status: 403,
    });
    expect((await api.call(getWorkloadIdentity, about(identity.id))).status).toBe(200);
  });

  it('refuses what is no id', async () => {
    expect(await api.call(removeWorkloadIdentity, about('release'))).toMatchObject({
      status: 400,
      body: { errors: { identity_id: 'must be the id of a workload identity' } },
    });
  });
});
