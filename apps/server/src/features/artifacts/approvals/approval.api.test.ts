import { hash, randomUUID } from 'node:crypto';
import {
  type Approval,
  archiveFlow,
  getApproval,
  getArtifact,
  getRunningCommit,
  listApprovals,
  listTrailEvents,
  type Reply,
  recordApproval,
  renameFlow,
} from '@waymark/contract';
import canonicalize from 'canonicalize';
import { beforeEach, describe, expect, it } from 'vitest';
import { commit, fingerprint, givenArtifact, givenFlow, trailOf } from '../../../../test/given/evidence.ts';
import { type Answer, startApi } from '../../../../test/harness.ts';

const api = await startApi();
let flow = '';
let count = 0;
beforeEach(async () => {
  flow = `flow-${++count}`;
  await givenFlow(api, flow);
  await givenArtifact(api, flow, 'a', { trail_name: 'release-1', template_reference_name: 'backend' });
});

const YES = {
  state: 'APPROVED',
  comment: 'fine',
  approved_by: 'ada',
  approval_url: 'https://ci.example.com/9',
} as const;
const NO = { state: 'UNAPPROVED', approved_by: 'bob' } as const;
const body = (more: object = {}) => ({
  artifact_fingerprint: fingerprint('a'),
  src_commit_list: [commit('a'), commit('b')],
  approvals: [YES],
  ...more,
});
const approve = (sent: object = body(), more: { headers?: Record<string, string>; key?: string; flow?: string } = {}) =>
  api.call(recordApproval, { ...more, params: { flow_name: more.flow ?? flow }, body: sent as never });
const read = (number: string) =>
  api.call(getApproval, { params: { flow_name: flow, number } }) as Promise<Answer<Approval>>;
const list = async (query: Record<string, string> = {}) =>
  (await api.call(listApprovals, { params: { flow_name: flow }, query })) as Answer<Reply<typeof listApprovals>>;
const numbers = async () => (await list({ per_page: '100' })).body.map((approval) => approval.approval_number);
const entries = async () =>
  (await api.journal()).filter(
    (entry) => entry.type === 'approval.recorded' && (entry.payload as { flow: string }).flow === flow,
  );
const artifactOf = async () =>
  (await api.call(getArtifact, { params: { flow_name: flow, fingerprint: fingerprint('a') } })).body;

describe('an approval', () => {
  it('is recorded as sent, on the trail of the newest report of the artifact', async () => {
    await givenArtifact(api, flow, 'a', { trail_name: 'release-2' });
    const sent = body({
      description: 'ship it',
      environment: 'production',
      oldest_commit: commit('b'),
      user_data: { ticket: 7 },
    });
    const answer = await approve(sent, { headers: { 'waymark-claimed-at': '1760000000.5' } });
    expect(answer).toMatchObject({ status: 201, body: `Approval 1 of flow '${flow}' recorded` });
    const at = api.clock.now.getTime() / 1000;
    const shown = {
      approval_number: 1,
      flow_name: flow,
      trail_name: 'release-2',
      artifact_fingerprint: fingerprint('a'),
      artifact_name: 'app-a.tgz',
      state: 'APPROVED',
      reviewer: 'ada',
      description: 'ship it',
      environment: 'production',
      created_at: at,
      created_by: 'acme-admin',
      claimed_at: 1760000000.5,
      last_modified_at: at,
    };
    expect((await read('1')).body).toEqual({
      ...shown,
      src_commit_list: [commit('a'), commit('b')],
      oldest_commit: commit('b'),
      approvals: [YES],
      user_data: { ticket: 7 },
    });
    expect((await list()).body).toEqual([shown]);
    expect(await entries()).toEqual([
      {
        type: 'approval.recorded',
        subject_seq: 1,
        actor: 'acme-admin',
        payload: {
          flow,
          trail: 'release-2',
          number: 1,
          fingerprint: fingerprint('a'),
          state: 'APPROVED',
          reviewer: 'ada',
          environment: 'production',
          content_sha256: hash('sha256', canonicalize(sent) ?? ''),
          claimed_at: 1760000000.5,
        },
      },
    ]);
  });

  it('is a request without reviews, and a null counts as absent', async () => {
    const request = { environment: null, oldest_commit: null, description: null, user_data: null };
    for (const approvals of [null, [], undefined]) {
      expect((await approve(body({ ...request, approvals }))).status).toBe(201);
    }
    for (const number of ['1', '2', '3']) {
      expect((await read(number)).body).toMatchObject({
        state: 'PENDING',
        reviewer: '',
        description: '',
        environment: null,
        oldest_commit: null,
        approvals: [],
        user_data: {},
        claimed_at: null,
      });
    }
    const [first] = await entries();
    expect(Object.keys(first?.payload as object)).toEqual([
      'content_sha256',
      'fingerprint',
      'flow',
      'number',
      'state',
      'trail',
    ]);
  });

  it('gets the same reply when repeated after the flow was archived, and cannot be dated in the future', async () => {
    const headers = { 'waymark-evidence-id': randomUUID() };
    const first = await approve(body(), { headers });
    expect(await approve(body(), { headers: { 'waymark-claimed-at': '9999999999' } })).toMatchObject({
      status: 400,
      body: { errors: { 'header.waymark-claimed-at': 'is in the future' } },
    });
    await api.call(archiveFlow, { params: { flow_name: flow } });
    expect(await approve(body(), { headers })).toMatchObject({ status: 201, body: first.body });
  });

  it('is UNAPPROVED when one of several reviewers rejects', async () => {
    await approve(body({ approvals: [YES, NO] }));
    expect((await read('1')).body).toMatchObject({ state: 'UNAPPROVED', reviewer: 'ada, bob', approvals: [YES, NO] });
  });

  it('appears in the events of the trail and the history of the artifact, and changes no verdict', async () => {
    const before = await trailOf(api, flow, 'release-1');
    const artifactBefore = await artifactOf();
    await approve();
    await approve(body({ approvals: [] }));
    await approve(body({ approvals: [NO] }));
    const timestamp = api.clock.now.getTime() / 1000;
    const event = (state: string, approval_number: number, reviewer: string) => ({
      type: 'artifact_approval_reported',
      timestamp,
      user: 'acme-admin',
      claimed_at: null,
      late: false,
      git_commit_info: null,
      state,
      approval_number,
      reviewer,
      artifact_fingerprint: fingerprint('a'),
    });
    const approvals = [event('APPROVED', 1, 'ada'), event('PENDING', 2, ''), event('UNAPPROVED', 3, 'bob')];
    const after = await trailOf(api, flow, 'release-1');
    expect(after.events).toEqual([...before.events, ...approvals]);
    expect(after.compliance_status).toEqual(before.compliance_status);
    const params = { flow_name: flow, trail_name: 'release-1' };
    const page = await api.call(listTrailEvents, { params, query: { per_page: '2' } });
    expect(page.body.data).toEqual([approvals[2], approvals[1]]);
    const artifact = await artifactOf();
    expect(artifact.approvals).toEqual([1, 2, 3]);
    expect(artifact.state).toBe(artifactBefore.state);
    expect(artifact.history.map(({ event }) => event)).toEqual([
      'backend reported',
      'Approval 1 reported: approved by ada',
      'Approval 2 reported: pending',
      'Approval 3 reported: unapproved by bob',
    ]);
  });

  it('belongs to its artifact alone', async () => {
    await givenArtifact(api, flow, 'c', { trail_name: 'release-1' });
    await approve(body({ artifact_fingerprint: fingerprint('c') }));
    await approve();
    expect((await artifactOf()).approvals).toEqual([2]);
    expect((await artifactOf()).history.map(({ event }) => event)).toEqual([
      'backend reported',
      'Approval 2 reported: approved by ada',
    ]);
  });

  it('is found under an old name of the flow', async () => {
    const old = flow;
    await api.call(renameFlow, { params: { flow_name: old }, body: { new_name: `${old}-new` } });
    expect((await approve(body(), { flow: old })).body).toBe(`Approval 1 of flow '${old}-new' recorded`);
    expect((await read('1')).body.flow_name).toBe(`${old}-new`);
  });

  it('is marked as deprecated in every reply, including refusals', async () => {
    const params = { flow_name: flow };
    const answers = await Promise.all([
      approve(),
      approve({}),
      list(),
      read('1'),
      api.call(getRunningCommit, { params: { ...params, env_name: 'prod' } }),
    ]);
    for (const answer of answers) expect(answer.headers['deprecation']).toMatch(/^@\d+$/);
  });
});

describe('the numbers', () => {
  it('count per flow, and skip none for a refusal', async () => {
    await approve();
    expect((await approve(body({ artifact_fingerprint: fingerprint('f') }))).status).toBe(404);
    await approve();
    expect(await numbers()).toEqual([2, 1]);
    const other = `${flow}-other`;
    await givenFlow(api, other);
    await givenArtifact(api, other, 'a');
    expect((await approve(body(), { flow: other })).body).toBe(`Approval 1 of flow '${other}' recorded`);
  });

  it('have no gaps when approvals race', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => approve(body({ description: `approval of racer ${i}` }))),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(16).fill(201));
    const expected = Array.from({ length: 16 }, (_, i) => 16 - i);
    expect(await numbers()).toEqual(expected);
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(16);
    expect((await entries()).map((entry) => (entry.payload as { number: number }).number)).toEqual(expected.reverse());
  });

  it('lead from page to page, newest first', async () => {
    for (let i = 0; i < 16; i++) await approve();
    expect((await list()).body).toHaveLength(15);
    const page = await list({ page: '2', per_page: '7' });
    expect(page.body.map((approval) => approval.approval_number)).toEqual([9, 8, 7, 6, 5, 4, 3]);
    expect((await list({ page: '4', per_page: '7' })).body).toEqual([]);
    expect((await list({ per_page: '101' })).status).toBe(400);
  });
});

describe('a repeat', () => {
  const id = () => crypto.randomUUID();

  it('under the same evidence id gets the first reply and is recorded once', async () => {
    const headers = { 'waymark-evidence-id': id() };
    const first = await approve(body(), { headers });
    await approve(body({ description: 'another' }));
    const repeat = await approve(body(), {
      headers: { 'waymark-evidence-id': headers['waymark-evidence-id'].toUpperCase() },
    });
    expect([repeat.status, repeat.body]).toEqual([first.status, first.body]);
    expect(await numbers()).toEqual([2, 1]);
    expect((await entries())[0]?.payload).toMatchObject({ evidence_id: headers['waymark-evidence-id'] });
    expect(await approve(body({ description: 'changed' }), { headers })).toMatchObject({
      status: 400,
      body: { errors: { 'header.waymark-evidence-id': 'was already used for another report' } },
    });
    expect(await numbers()).toEqual([2, 1]);
  });

  it('under the same evidence id is recorded once even in a race', async () => {
    const headers = { 'waymark-evidence-id': id() };
    const answers = await Promise.all(Array.from({ length: 16 }, () => approve(body(), { headers })));
    expect(answers.map((answer) => [answer.status, answer.body])).toEqual(
      Array(16).fill([201, `Approval 1 of flow '${flow}' recorded`]),
    );
    expect(await numbers()).toEqual([1]);
    expect(await entries()).toHaveLength(1);
  });

  it('with the same Idempotency-Key is recorded once', async () => {
    const headers = { 'idempotency-key': id() };
    const first = await approve(body(), { headers });
    const repeat = await approve(body(), { headers });
    expect([repeat.status, repeat.body]).toEqual([201, first.body]);
    expect(await approve(body({ description: 'changed' }), { headers })).toMatchObject({
      status: 400,
      body: { errors: { 'Idempotency-Key': 'was already used for another request' } },
    });
    const racing = { 'idempotency-key': id() };
    const answers = await Promise.all(Array.from({ length: 16 }, () => approve(body(), { headers: racing })));
    expect(answers.map((answer) => answer.status).filter((status) => status !== 201 && status !== 503)).toEqual([]);
    expect(answers.some((answer) => answer.status === 201)).toBe(true);
    expect(await numbers()).toEqual([2, 1]);
  });

  it('without either is another approval', async () => {
    await approve();
    await approve();
    expect(await numbers()).toEqual([2, 1]);
  });
});

describe('what is refused', () => {
  it.each<[string, object, Record<string, string>]>([
    [
      'a fingerprint that is none',
      { artifact_fingerprint: 'A'.repeat(64) },
      { artifact_fingerprint: 'must be 64 lower-case hexadecimal digits' },
    ],
    [
      'a commit that is none',
      { src_commit_list: [commit('a'), 'abc'] },
      { 'src_commit_list.1': 'must be 40 lower-case hexadecimal digits' },
    ],
    [
      'an oldest commit that is none',
      { oldest_commit: '' },
      { oldest_commit: 'must be 40 lower-case hexadecimal digits' },
    ],
    [
      'another state',
      { approvals: [{ state: 'PENDING' }] },
      { 'approvals.0.state': 'must be one of APPROVED, UNAPPROVED' },
    ],
    ['a member nobody knows', { verdict: true }, { verdict: expect.any(String) }],
    [
      'an environment that no name fits',
      { environment: '-prod' },
      { environment: 'must start with a letter or digit and contain only letters, digits, and . - _' },
    ],
    ['a missing list of commits', { src_commit_list: undefined }, { src_commit_list: expect.any(String) }],
  ])('%s', async (_, more, errors) => {
    expect(await approve(body(more))).toMatchObject({ status: 400, body: { errors } });
    expect(await numbers()).toEqual([]);
    expect(await entries()).toEqual([]);
  });

  it('an invalid evidence id or claimed time', async () => {
    expect(await approve(body(), { headers: { 'waymark-evidence-id': '7' } })).toMatchObject({
      status: 400,
      body: { errors: { 'header.waymark-evidence-id': 'must be a UUID' } },
    });
    expect(await approve(body(), { headers: { 'waymark-claimed-at': 'noon' } })).toMatchObject({
      status: 400,
      body: { errors: { 'header.waymark-claimed-at': expect.any(String) } },
    });
  });

  it('an artifact that was not reported into the flow, and an unknown flow', async () => {
    const elsewhere = `${flow}-elsewhere`;
    await givenFlow(api, elsewhere);
    expect(await approve(body(), { flow: elsewhere })).toMatchObject({
      status: 404,
      body: { message: `Artifact '${elsewhere}@${fingerprint('a')}' does not exist in this org` },
    });
    const missing = { message: "Flow 'nobody' does not exist in this org" };
    expect(await approve(body(), { flow: 'nobody' })).toMatchObject({ status: 404, body: missing });
    const params = { flow_name: 'nobody' };
    expect(await api.call(listApprovals, { params })).toMatchObject({ status: 404, body: missing });
    expect(await api.call(getApproval, { params: { ...params, number: '1' } })).toMatchObject({
      status: 404,
      body: missing,
    });
    expect(await api.call(getRunningCommit, { params: { ...params, env_name: 'prod' } })).toMatchObject({
      status: 404,
      body: missing,
    });
  });

  it('an unknown or invalid number', async () => {
    await approve();
    expect(await read('2')).toMatchObject({
      status: 404,
      body: { message: `Approval '${flow}#2' does not exist in this org` },
    });
    for (const number of ['0', '-1', 'one', '1.5', '2147483648']) {
      expect(await read(number)).toMatchObject({ status: 400, body: { errors: { number: expect.any(String) } } });
    }
  });

  it('the commit that runs in an unknown environment', async () => {
    const running = (env_name: string) => api.call(getRunningCommit, { params: { flow_name: flow, env_name } });
    expect(await running('production')).toMatchObject({
      status: 404,
      body: { message: "Environment 'production' does not exist in this org" },
    });
    expect(await running('-')).toMatchObject({ status: 400, body: { errors: { env_name: expect.any(String) } } });
  });

  it('approving what belongs to another org, and reading its approvals', async () => {
    await approve();
    const others = await api.givenOrg(`others-${count}`);
    const asked = { key: others.keys.admin };
    const params = { org: others.name, flow_name: flow };
    expect((await api.call(recordApproval, { ...asked, params, body: body() })).status).toBe(404);
    expect((await api.call(listApprovals, { ...asked, params })).status).toBe(404);
    expect((await api.call(getApproval, { ...asked, params: { ...params, number: '1' } })).status).toBe(404);
    expect(await approve(body(), asked)).toMatchObject({ status: 403 });
    expect(await numbers()).toEqual([1]);
  });

  it('approving with a role that may only read or report environments', async () => {
    for (const role of ['reader', 'snapshotter'] as const) {
      expect(await approve(body(), { key: api.org.keys[role] })).toMatchObject({
        status: 403,
        body: { message: `This requires the member role; yours is ${role}` },
      });
    }
    expect(await numbers()).toEqual([]);
    expect((await approve(body(), { key: api.org.keys.member })).status).toBe(201);
    const asReader = await api.call(listApprovals, { params: { flow_name: flow }, key: api.org.keys.reader });
    expect(asReader.body).toMatchObject([{ approval_number: 1, created_by: 'member' }]);
  });
});
