import { randomUUID } from 'node:crypto';
import {
  type Artifact,
  explainArtifact,
  getArtifact,
  getLatestCommit,
  listArtifacts,
  listCommitArtifacts,
  listFlowArtifacts,
  reportArtifact,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  artifact,
  attest,
  commit,
  fingerprint,
  givenArtifact,
  givenFlow,
  trailOf,
} from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
let flow = '';
let count = 0;
beforeEach(async () => {
  flow = `flow-${++count}`;
  await givenFlow(api, flow);
});

const report = (body: object, headers: Record<string, string> = {}, key?: string) =>
  api.call(reportArtifact, { params: { flow_name: flow }, body: body as never, headers, ...(key && { key }) });
const get = (prefix: string, query: Record<string, string> = {}) =>
  api.call(getArtifact, { params: { flow_name: flow, fingerprint: prefix }, query });

async function countRows(): Promise<number> {
  const flowId = (
    await api.db
      .selectFrom('flow')
      .select('id')
      .where('org_id', '=', api.org.id)
      .where('name', '=', flow)
      .executeTakeFirstOrThrow()
  ).id;
  const rows = await api.db
    .selectFrom('artifact')
    .select('id')
    .where('org_id', '=', api.org.id)
    .where('flow_id', '=', flowId)
    .execute();
  return rows.length;
}

describe('reporting an artifact', () => {
  it('stores everything that was sent, and begins the trail with the template of the flow', async () => {
    const sent = artifact('a', {
      trail_name: 'release-1',
      template_reference_name: 'backend',
      git_commit_info: { sha1: commit('a'), branch: 'main', author: 'Ada', message: 'm', timestamp: 5, url: 'u' },
      repo_info: { name: 'acme/web', id: '7', url: 'https://git.example.com/acme/web', provider: 'github' },
      repo_url: 'https://git.example.com/acme/web',
      external_urls: { build: { href: 'https://ci.example.com/1' } },
      annotations: { by: 'ada' },
      user_data: [1, 2],
      is_compliant: true,
      description: 'ours',
    });
    expect(await report(sent)).toMatchObject({
      status: 201,
      body: "Artifact 'app-a.tgz' reported in trail 'release-1'",
    });
    const { fingerprint: _, ...shown } = sent;
    expect((await get('aaaaa')).body).toMatchObject({
      ...shown,
      fingerprint: fingerprint('a'),
      flow_name: flow,
      state: 'INCOMPLETE',
      state_info: expect.stringContaining('unit-tests'),
      history: [{ event: 'backend reported' }],
      running: [],
      exited: [],
      evidence: { 'unit-tests': { status: 'MISSING' }, scan: { status: 'MISSING' } },
    });
    expect(await trailOf(api, flow, 'release-1')).toMatchObject({
      repo_ids: [expect.any(String)],
      compliance_status: { artifacts_statuses: { backend: { status: 'INCOMPLETE', unexpected: false } } },
    });
    const entries = await api.journal();
    expect(entries.at(-1)).toMatchObject({
      type: 'artifact.reported',
      payload: {
        flow,
        trail: 'release-1',
        fingerprint: fingerprint('a'),
        template_name: 'backend',
        commit: commit('a'),
      },
    });
  });

  it('names the trail after the commit, or the fingerprint, when no trail is named', async () => {
    await givenArtifact(api, flow, 'b');
    await givenArtifact(api, flow, 'c', { git_commit: null });
    expect((await get(fingerprint('b'))).body).toMatchObject({ trail_name: commit('b') });
    expect((await get(fingerprint('c'))).body).toMatchObject({ trail_name: fingerprint('c'), git_commit: 'unknown' });
  });

  it('records every report, and one per evidence id, even when 32 race', async () => {
    await Promise.all(Array.from({ length: 32 }, () => report(artifact('d', { trail_name: 't' }))));
    expect(await countRows()).toBe(32);
    const headers = { 'waymark-evidence-id': randomUUID() };
    const body = artifact('e', { trail_name: 't' });
    const answers = await Promise.all(Array.from({ length: 32 }, () => report(body, headers)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${String(body)}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(await countRows()).toBe(33);
    expect(await report(artifact('f', { trail_name: 't' }), headers)).toMatchObject({
      status: 400,
      body: { errors: { 'header.waymark-evidence-id': 'was already used for another report' } },
    });
  });

  it('is recorded after the start of its trail, also when somebody else starts it meanwhile', async () => {
    const headers = () => ({ 'waymark-evidence-id': randomUUID() });
    for (let round = 0; round < 5; round++) {
      const trail = `t-${round}`;
      await Promise.all(Array.from({ length: 4 }, () => report(artifact('a', { trail_name: trail }), headers())));
      const types = (await api.journal())
        .filter(({ payload }) =>
          [(payload as { trail?: string; name?: string }).trail, (payload as { name?: string }).name].includes(trail),
        )
        .map(({ type }) => type);
      expect(types[0]).toBe('trail.begun');
    }
  });

  it('gives a repeat the same reply, even if the flow is archived by now', async () => {
    const headers = { 'waymark-evidence-id': randomUUID() };
    const first = await report(artifact('a'), headers);
    await api.inject({
      method: 'PUT',
      url: `/api/v2/flows/acme/${flow}/archive`,
      headers: { authorization: `Bearer ${api.org.keys.admin}` },
    });
    expect(await report(artifact('a'), headers)).toMatchObject({ status: 201, body: first.body });
  });

  it('gives a retry with the same Idempotency-Key the same reply', async () => {
    const headers = { 'idempotency-key': `key-${flow}` };
    const first = await report(artifact('a', { trail_name: 't' }), headers);
    expect(await report(artifact('a', { trail_name: 't' }), headers)).toMatchObject({ status: 201, body: first.body });
    expect(await countRows()).toBe(1);
  });

  it('shows both the claimed time and the time of receipt', async () => {
    await report(artifact('a', { trail_name: 't' }), { 'waymark-claimed-at': '1793000000.5' });
    expect((await get('aaaaa')).body).toMatchObject({ claimed_at: 1793000000.5 });
  });

  it.each([
    [{ fingerprint: 'A'.repeat(64) }, { fingerprint: 'must be 64 lower-case hexadecimal digits' }],
    [{ filename: '' }, { filename: 'must not be empty' }],
    [{ git_commit: 'abc' }, { git_commit: 'must be 40 lower-case hexadecimal digits' }],
    [{ build_url: undefined }, { build_url: 'is required' }],
    [{ commit_url: undefined }, { commit_url: 'is required' }],
    [{ trail_name: 'a'.repeat(256) }, { trail_name: 'must be at most 255 characters long' }],
    [{ template_reference_name: 'a.b' }, { template_reference_name: 'must contain only letters, digits, and - _' }],
    [{ colour: 'red' }, { colour: 'is unknown' }],
  ])('refuses %j and names the field', async (wrong, errors) => {
    expect(await report({ ...artifact('a'), ...wrong })).toMatchObject({ status: 400, body: { errors } });
    expect(await countRows()).toBe(0);
  });

  it('refuses an invalid evidence id, an unknown flow, and missing permissions', async () => {
    expect(await report(artifact('a'), { 'waymark-evidence-id': 'x' })).toMatchObject({
      status: 400,
      body: { errors: { 'header.waymark-evidence-id': 'must be a UUID' } },
    });
    expect(await api.call(reportArtifact, { params: { flow_name: 'nowhere' }, body: artifact('a') })).toMatchObject({
      status: 404,
    });
    for (const role of ['reader', 'snapshotter'] as const)
      expect((await report(artifact('a'), {}, api.org.keys[role])).status).toBe(403);
    expect((await report(artifact('a'), {}, api.org.keys.member)).status).toBe(201);
  });
});

describe('finding artifacts', () => {
  it('by a prefix: no match is a 404, and several are listed', async () => {
    await report({ ...artifact('a'), fingerprint: `abcde${'0'.repeat(59)}` });
    await report({ ...artifact('b'), fingerprint: `abcde${'1'.repeat(59)}` });
    expect(await get('abcde0')).toMatchObject({ status: 200 });
    expect(await get('abcde')).toMatchObject({
      status: 400,
      body: { errors: { fingerprint: `matches abcde${'0'.repeat(59)}, abcde${'1'.repeat(59)}` } },
    });
    expect(await get('abcdf')).toMatchObject({ status: 404 });
    expect(await get('abcd')).toMatchObject({ status: 400 });
    expect(await get('ABCDE')).toMatchObject({ status: 400 });
  });

  it('shows the newest report, or the one in a trail', async () => {
    await givenArtifact(api, flow, 'a', { trail_name: 't1', description: 'one' });
    await givenArtifact(api, flow, 'a', { trail_name: 't2', description: 'two' });
    expect((await get('aaaaa')).body).toMatchObject({ trail_name: 't2', description: 'two' });
    expect((await get('aaaaa', { trail: 't1' })).body).toMatchObject({ trail_name: 't1', description: 'one' });
    expect(await get('aaaaa', { trail: 't3' })).toMatchObject({ status: 404 });
  });

  it('by commit, with the commit before it on a branch', async () => {
    const on = (branch: string, sha: string) => ({ git_commit_info: { sha1: sha, branch }, trail_name: 't' });
    await givenArtifact(api, flow, '1', on('main', commit('1')));
    await givenArtifact(api, flow, '2', on('side', commit('2')));
    await givenArtifact(api, flow, '3', on('main', commit('3')));
    const found = await api.call(listCommitArtifacts, { params: { flow_name: flow, commit: '33333' } });
    expect(found.body as Artifact[]).toMatchObject([{ fingerprint: fingerprint('3') }]);
    expect(await api.call(listCommitArtifacts, { params: { flow_name: flow, commit: '99999' } })).toMatchObject({
      status: 404,
    });
    const before = async (digit: string, query: Record<string, string>) =>
      (await api.call(getLatestCommit, { params: { flow_name: flow, fingerprint: fingerprint(digit) }, query })).body;
    expect(await before('3', { branch: 'main' })).toEqual({ latest_commit: commit('1') });
    expect(await before('3', {})).toEqual({ latest_commit: commit('2') });
    expect(await before('1', {})).toEqual({ latest_commit: null });
    expect(await before('9', { branch: 'side' })).toEqual({ latest_commit: commit('2') });
  });

  it('finds the commit before an artifact by the first digits of its fingerprint', async () => {
    const twins = [`3${'0'.repeat(63)}`, `3${'0'.repeat(62)}1`];
    await givenArtifact(api, flow, '1', { git_commit: commit('1') });
    await givenArtifact(api, flow, '2', { git_commit: commit('2') });
    const before = (prefix: string) => api.call(getLatestCommit, { params: { flow_name: flow, fingerprint: prefix } });
    expect(await before('22222')).toMatchObject({ status: 200, body: { latest_commit: commit('1') } });
    expect(await before('99999')).toMatchObject({
      status: 404,
      body: { message: `Artifact '${flow}@99999' does not exist in this org` },
    });
    for (const twin of twins) await givenArtifact(api, flow, '3', { fingerprint: twin });
    expect(await before('30000')).toMatchObject({
      status: 400,
      body: { errors: { fingerprint: `matches ${twins.join(', ')}` } },
    });
    expect(await before(twins[1] ?? '')).toMatchObject({ status: 200 });
    expect(await before('3333')).toMatchObject({
      status: 400,
      body: { errors: { fingerprint: 'must be 5 to 64 lower-case hexadecimal digits' } },
    });
  });

  it('lists those of the org, a flow or a repository, newest first', async () => {
    const repo_info = { name: `acme/${flow}`, id: flow, url: 'https://git.example.com' };
    await givenArtifact(api, flow, '1', { repo_info });
    await givenArtifact(api, flow, '2');
    const list = async (query: Record<string, string>) =>
      ((await api.call(listArtifacts, { query })).body as { filename: string }[]).map(({ filename }) => filename);
    expect(await list({ flow_name: flow })).toEqual(['app-2.tgz', 'app-1.tgz']);
    expect(await list({ repo_name: `acme/${flow}` })).toEqual(['app-1.tgz']);
    expect(await list({ per_page: '1' })).toEqual(['app-2.tgz']);
    expect(await list({ per_page: '1', page: '2' })).toEqual(['app-1.tgz']);
    expect(await api.call(listArtifacts, { query: { flow_name: 'nowhere' } })).toMatchObject({ status: 404 });
    expect(await api.call(listArtifacts, { query: { repo_name: 'nowhere' } })).toMatchObject({ status: 404 });
    const old = await api.call(listFlowArtifacts, { params: { flow_name: flow } });
    expect(old).toMatchObject({ status: 200, headers: { deprecation: expect.stringMatching(/^@\d+$/) } });
    expect((old.body as object[]).length).toBe(2);
  });
});

it('the explanation of an artifact names what is missing, and what failed', async () => {
  await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend' });
  const explain = async () =>
    (await api.call(explainArtifact, { params: { flow_name: flow, fingerprint: 'aaaaa' } })).body;
  expect(await explain()).toMatchObject({ kind: 'artifact', status: 'INCOMPLETE' });
  await attest(api, flow, 't', {
    attestation_name: 'extra',
    is_compliant: false,
    artifact_fingerprint: fingerprint('a'),
  });
  expect(await explain()).toMatchObject({ status: 'NON-COMPLIANT', because: expect.stringContaining('extra') });
});
