import {
  beginTrail,
  explainTrail,
  getFlow,
  getTrail,
  listFlowTrails,
  listTrailEvents,
  listTrails,
  patchTags,
  putFlow,
  searchCommitTrails,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  attest,
  commit,
  givenArtifact,
  givenFlow,
  givenTrail,
  sendForm,
  TEMPLATE,
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

const begin = (body: { name: string } & Record<string, unknown>, key?: string) =>
  api.call(beginTrail, { params: { flow_name: flow }, body, ...(key && { key }) });
const get = (trail: string) => api.call(getTrail, { params: { flow_name: flow, trail_name: trail } });

const entriesOf = async (trail: string) =>
  (await api.journal())
    .filter((entry) => entry.type.startsWith('trail.') && JSON.stringify(entry.payload).includes(`"${trail}"`))
    .map((entry) => entry.type);

describe('beginning a trail', () => {
  it('creates, then changes only what is sent, then changes nothing', async () => {
    const name = `${flow}-t`;
    const git = { sha1: commit('a'), author: 'Ada <ada@example.com>', message: 'Fix', branch: 'main', timestamp: 1 };
    expect(await begin({ name, description: 'first', git_commit_info: git, user_data: { team: 'red' } })).toMatchObject(
      {
        status: 201,
        body: `Trail '${name}' created`,
      },
    );
    expect(await begin({ name, origin_url: 'https://ci.example.com/1' })).toMatchObject({
      status: 200,
      body: `Trail '${name}' updated`,
    });
    expect(await begin({ name, description: null, user_data: { team: 'red' } })).toMatchObject({
      body: `Trail '${name}' unchanged`,
    });
    expect((await get(name)).body).toMatchObject({
      name,
      description: 'first',
      git_commit_info: git,
      user_data: { team: 'red' },
      origin_url: 'https://ci.example.com/1',
      compliance_state: 'INCOMPLETE',
      is_compliant: false,
      auto_created: false,
      created_by: 'acme-admin',
      flow: { name: flow, tags: {} },
      template: { version: 1, content: TEMPLATE },
      html_url: `http://waymark.test/acme/flows/${flow}/trails/${name}`,
      events: [
        { type: 'trail_reported', user: 'acme-admin' },
        { type: 'trail_updated', changes: ['origin_url'] },
      ],
    });
    expect(await entriesOf(name)).toEqual(['trail.begun', 'trail.updated']);
  });

  it('accepts a form with its own template, which outranks that of the flow', async () => {
    const template = 'version: 1\ntrail:\n  attestations:\n    - name: only\n      type: generic\n';
    const answer = await sendForm(
      api,
      'PUT',
      `/trails/acme/${flow}`,
      { data_json: { name: 'formed' } },
      {
        part: 'template_file',
        name: 'template.yml',
        content: template,
      },
    );
    expect(answer).toMatchObject({ status: 201 });
    expect(await trailOf(api, flow, 'formed')).toMatchObject({
      template: { content: template, trail: { attestations: [{ name: 'only', type: 'generic' }], artifacts: [] } },
    });
  });

  it('pins the template: a later one of the flow changes nothing, one sent to the trail does', async () => {
    await givenTrail(api, flow, 'pinned');
    await api.call(putFlow, { body: { name: flow, template: 'version: 1\n' } });
    expect(await trailOf(api, flow, 'pinned')).toMatchObject({ compliance_state: 'INCOMPLETE' });
    await begin({ name: 'pinned', template: 'version: 1\n' });
    expect(await trailOf(api, flow, 'pinned')).toMatchObject({
      compliance_state: 'COMPLIANT',
      events: [{}, { changes: ['template'] }],
    });
  });

  it('is found under an old name of the flow', async () => {
    await givenTrail(api, flow, 'old');
    await api.inject({
      method: 'PUT',
      url: `/api/v2/flows/acme/${flow}/rename`,
      headers: { authorization: `Bearer ${api.org.keys.admin}` },
      payload: { new_name: `${flow}-new` },
    });
    expect(await get('old')).toMatchObject({ status: 200, body: { flow: { name: `${flow}-new` } } });
  });

  it('begins once when 32 identical requests race', async () => {
    const answers = await Promise.all(Array.from({ length: 32 }, () => begin({ name: 'raced', description: 'same' })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(31).fill(200), 201]);
    expect((await entriesOf('raced')).filter((type) => type === 'trail.begun')).toHaveLength(1);
  });

  it('does not block another when both bring a new template and a changed repository', async () => {
    for (let round = 0; round < 4; round++) {
      await begin({ name: `old-${round}` });
      const body = (name: string) => ({
        name,
        template: `version: 1\n# ${round}\n`,
        repo_info: { name: 'acme/web', id: '1', url: `https://git.example.com/${round}` },
      });
      const names = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? `old-${round}` : `new-${round}-${i}`));
      const answers = await Promise.all(names.map((name) => begin(body(name))));
      expect(answers.every(({ status }) => status < 300)).toBe(true);
    }
  });

  it('counts the entries about a trail without gaps when different changes race', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, i) => begin({ name: 'counted', description: `d${i}` })));
    const { id } = await trailOf(api, flow, 'counted');
    const rows = await api.db
      .selectFrom('journal')
      .select('subject_seq')
      .where('org_id', '=', api.org.id)
      .where('subject_id', '=', id)
      .orderBy('seq')
      .execute();
    expect(rows.map((row) => row.subject_seq)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  it.each([
    [{}, { name: 'is required' }],
    [{ name: '.x' }, { name: 'must start with a letter or digit and contain only letters, digits, and . - _ ~' }],
    [{ name: 'x', user_data: 'text' }, { user_data: 'must be an object or a list' }],
    [
      { name: 'x', git_commit_info: { sha1: 'abc' } },
      { 'git_commit_info.sha1': 'must be 40 lower-case hexadecimal digits' },
    ],
    [{ name: 'x', colour: 'red' }, { colour: 'is unknown' }],
    [{ name: 'x', user_data: { a: '\ud800' } }, { 'user_data.a': 'must not contain invalid Unicode characters' }],
  ])('refuses %j and names the field', async (body, errors) => {
    expect(await begin(body as { name: string })).toMatchObject({ status: 400, body: { errors } });
    expect(await api.call(listFlowTrails, { params: { flow_name: flow } })).toMatchObject({ body: [] });
  });

  it('refuses a template with its line, and an unknown flow', async () => {
    const wrong = await begin({ name: 'x', template: 'version: 1\ntrail:\n  atestations: []\n' });
    expect(wrong).toMatchObject({ status: 400, body: { errors: { template: expect.stringContaining('line 3') } } });
    expect(await api.call(beginTrail, { params: { flow_name: 'nowhere' }, body: { name: 'x' } })).toMatchObject({
      status: 404,
      body: { message: "Flow 'nowhere' does not exist in this org" },
    });
  });

  it('requires a member', async () => {
    for (const role of ['reader', 'snapshotter'] as const)
      expect((await begin({ name: 'x' }, api.org.keys[role])).status).toBe(403);
    expect((await begin({ name: 'x' }, api.org.keys.member)).status).toBe(201);
  });
});

describe('listing trails', () => {
  it('has pages, newest first, with the verdict', async () => {
    for (const name of ['t1', 't2', 't3']) await givenTrail(api, flow, name);
    await begin({ name: 't2', template: 'version: 1\n' });
    const page = await api.call(listTrails, { query: { flow, per_page: '2' } });
    expect(page.body).toMatchObject({
      data: [
        { name: 't3', flow_name: flow, compliance_state: 'INCOMPLETE' },
        { name: 't2', compliance_state: 'COMPLIANT' },
      ],
      pagination: { total: 3, page: 1, per_page: 2, page_count: 2 },
    });
    const rest = await api.call(listTrails, { query: { flow, per_page: '2', page: '2' } });
    expect(rest.body).toMatchObject({ data: [{ name: 't1' }] });
    const plain = await api.call(listFlowTrails, { params: { flow_name: flow } });
    expect((plain.body as { name: string }[]).map(({ name }) => name)).toEqual(['t3', 't2', 't1']);
    const paged = await api.call(listFlowTrails, { params: { flow_name: flow }, query: { page: '3', per_page: '1' } });
    expect(paged.body).toMatchObject({ data: [{ name: 't1' }], pagination: { page_count: 3 } });
  });

  it('filters by artifact, commit and tag of the flow', async () => {
    await givenArtifact(api, flow, '1', { trail_name: 'with-one' });
    await givenTrail(api, flow, 'without');
    const names = async (query: Record<string, string>) =>
      ((await api.call(listTrails, { query: { flow, ...query } })).body as { data: { name: string }[] }).data.map(
        ({ name }) => name,
      );
    expect(await names({ fingerprint: '1'.repeat(64) })).toEqual(['with-one']);
    expect(await names({ fingerprint: '2'.repeat(64) })).toEqual([]);
    expect(await names({ fingerprint: '11111' })).toEqual(['with-one']);
    expect(await names({ fingerprint: '22222' })).toEqual([]);
    await givenArtifact(api, flow, '1', { fingerprint: '1'.repeat(63).padEnd(64, '2'), trail_name: 'with-another' });
    const fits = `${'1'.repeat(64)}, ${'1'.repeat(63)}2`;
    expect(await api.call(listTrails, { query: { flow, fingerprint: '11111' } })).toMatchObject({
      status: 400,
      body: {
        message: `'11111' matches more than one fingerprint in flow '${flow}': ${fits}`,
        errors: { 'query.fingerprint': `matches ${fits}` },
      },
    });
    expect(await names({ fingerprint: '1'.repeat(64) })).toEqual(['with-one']);
    expect(await names({ commit: '1'.repeat(40) })).toEqual(['with-another', 'with-one']);
    await api.call(patchTags, { params: { type: 'flow', id: flow }, body: { set_tags: { risk: 'high' } } });
    expect(await names({ flow_tag: 'risk=high' })).toEqual(['with-another', 'without', 'with-one']);
    expect(await names({ flow_tag: 'risk=low' })).toEqual([]);
    expect(await api.call(listTrails, { query: { flow: 'nowhere' } })).toMatchObject({ status: 404 });
  });
});

describe('filtering the trails of a flow', () => {
  const listed = (query: Record<string, string>) =>
    api.call(listFlowTrails, { params: { flow_name: flow }, query: { page: '1', ...query } });
  const names = async (query: Record<string, string>) => {
    const { status, body } = await listed(query);
    if (status !== 200) throw new Error(JSON.stringify(body));
    const { data, pagination } = body as { data: { name: string }[]; pagination: { total: number } };
    expect(pagination.total).toBe(data.length);
    return data.map(({ name }) => name);
  };
  const DAY_MS = 86_400_000;
  const start = Date.UTC(2026, 4, 1);

  beforeEach(async () => {
    const before = api.clock.now;
    // The first 200 characters of these branches are the same.
    const branches = ['main', `${'x'.repeat(200)}-a`, `${'x'.repeat(200)}-b`];
    for (const [i, branch] of branches.entries()) {
      api.clock.now = new Date(start + i * DAY_MS);
      const git = { sha1: `abcdef${i}`.padEnd(40, '0'), author: 'Ada', message: 'Fix', branch, timestamp: 1 };
      await begin({ name: `t${i}`, git_commit_info: git });
    }
    api.clock.now = new Date(start + 3 * DAY_MS);
    await begin({ name: 'bare' });
    api.clock.now = before;
  });

  it('finds a commit from its first six digits on', async () => {
    expect(await names({ commit: 'abcdef' })).toEqual(['t2', 't1', 't0']);
    expect(await names({ commit: 'abcdef1' })).toEqual(['t1']);
    expect(await names({ commit: 'abcdef1'.padEnd(40, '0') })).toEqual(['t1']);
    expect(await names({ commit: 'abcde0' })).toEqual([]);
    await givenArtifact(api, flow, '7', { trail_name: 'bare' });
    expect(await names({ commit: '777777' })).toEqual(['bare']);
    expect(await names({ fingerprint: '7'.repeat(64) })).toEqual(['bare']);
    expect(await names({ fingerprint: '8'.repeat(64) })).toEqual([]);
  });

  it('finds a branch by its whole name, however long', async () => {
    expect(await names({ branch: 'main' })).toEqual(['t0']);
    expect(await names({ branch: 'mai' })).toEqual([]);
    expect(await names({ branch: `${'x'.repeat(200)}-b` })).toEqual(['t2']);
    expect(await names({ branch: 'x'.repeat(200) })).toEqual([]);
    const longest = '\u{1f332}'.repeat(500);
    const git = { sha1: commit('9'), author: 'Ada', message: 'Fix', branch: longest, timestamp: 1 };
    expect(await begin({ name: 'longest', git_commit_info: git })).toMatchObject({ status: 201 });
    expect(await names({ branch: longest })).toEqual(['longest']);
  });

  it('finds a period with both ends, and combines filters', async () => {
    const at = (day: number) => String(start / 1000 + day * 86_400);
    expect(await names({ from: at(1), to: at(2) })).toEqual(['t2', 't1']);
    expect(await names({ from: at(3) })).toEqual(['bare']);
    expect(await names({ from: '', to: at(0) })).toEqual(['t0']);
    expect(await names({ from: at(1), commit: 'abcdef', branch: `${'x'.repeat(200)}-a` })).toEqual(['t1']);
  });

  it.each([
    ['commit', 'abcde', 'must be 6 to 40 lower-case hexadecimal digits'],
    ['commit', 'ABCDEF', 'must be 6 to 40 lower-case hexadecimal digits'],
    ['branch', 'x'.repeat(1025), 'must be at most 1024 characters long'],
    ['from', 'yesterday', 'must be seconds since 1970'],
  ])('refuses an invalid %s', async (field, value, reason) => {
    expect(await listed({ [field]: value })).toMatchObject({
      status: 400,
      body: { errors: { [`query.${field}`]: reason } },
    });
  });
});

describe('the explanation of a trail', () => {
  it('shows what is required, what was found and what to do', async () => {
    await givenTrail(api, flow, 'why');
    const answer = await api.call(explainTrail, { params: { flow_name: flow, trail_name: 'why' } });
    expect(answer).toMatchObject({
      status: 200,
      body: { kind: 'trail', status: 'INCOMPLETE', fix: expect.any(String) },
    });
    const missing = JSON.stringify(answer.body);
    for (const name of ['ticket', 'backend', 'unit-tests', 'scan']) expect(missing).toContain(name);
    expect(await api.call(explainTrail, { params: { flow_name: flow, trail_name: 'no' } })).toMatchObject({
      status: 404,
    });
  });
});

describe('the events of a trail', () => {
  it('are paged by a cursor, newest first', async () => {
    await givenArtifact(api, flow, '3', { trail_name: 'busy', template_reference_name: 'backend' });
    for (const name of ['a', 'b', 'c']) await attest(api, flow, 'busy', { attestation_name: name, is_compliant: true });
    const params = { flow_name: flow, trail_name: 'busy' };
    const first = await api.call(listTrailEvents, { params, query: { per_page: '3' } });
    const page = first.body as { data: object[]; pagination: { next: string } };
    expect(page.data).toMatchObject([
      { type: 'trail_attestation_reported', template_reference_name: 'c', is_compliant: true },
      { template_reference_name: 'b' },
      { template_reference_name: 'a' },
    ]);
    const second = await api.call(listTrailEvents, { params, query: { per_page: '3', after: page.pagination.next } });
    expect(second.body).toMatchObject({
      data: [
        { type: 'artifact_creation_reported', artifact_name: 'app-3.tgz', git_commit: commit('3') },
        { type: 'trail_reported' },
      ],
      pagination: { next: null },
    });
    expect(await api.call(listTrailEvents, { params, query: { after: '?' } })).toMatchObject({ status: 400 });
  });
});

describe('the search for a commit', () => {
  const branchOf = async (sha: string, trail: string) => {
    const { body } = await api.call(searchCommitTrails, { params: { sha } });
    return body.trails.find(({ trail_name }) => trail_name === trail)?.branch;
  };
  const shaOf = (digit: string) => `${String(count).padStart(39, '0')}${digit}`;

  it('uses the branch of an attestation where no artifact has it', async () => {
    const [sha, other] = [shaOf('a'), shaOf('b')];
    const evidence = (git_commit_info: object) =>
      attest(api, flow, 'by-attestation', { attestation_name: 'a', is_compliant: true, git_commit_info });
    await evidence({ sha1: sha, branch: 'main' });
    await evidence({ sha1: other, branch: 'other' });
    await evidence({ sha1: sha });
    await evidence({ sha1: sha, branch: '' });
    expect(await branchOf(sha, 'by-attestation')).toBe('main');
    await givenArtifact(api, flow, '4', {
      trail_name: 'by-attestation',
      git_commit: sha,
      git_commit_info: { sha1: sha, branch: 'release' },
    });
    expect(await branchOf(sha, 'by-attestation')).toBe('release');
  });

  it('keeps the branch of an artifact that is reported again without one', async () => {
    const sha = shaOf('c');
    const report = (more: object) => givenArtifact(api, flow, '5', { trail_name: 't-again', git_commit: sha, ...more });
    await report({ git_commit_info: { sha1: sha, branch: 'main' } });
    await report({});
    await report({ git_commit_info: { sha1: sha, branch: '' } });
    expect(await branchOf(sha, 't-again')).toBe('main');
    await report({ git_commit_info: { sha1: sha, branch: 'release' } });
    expect(await branchOf(sha, 't-again')).toBe('release');
  });

  it("takes the trail's own branch only for the trail's own commit", async () => {
    const [own, other] = [shaOf('d'), shaOf('e')];
    await begin({ name: 'own-branch', git_commit_info: { sha1: own, branch: 'main' } });
    await attest(api, flow, 'own-branch', {
      attestation_name: 'a',
      is_compliant: true,
      git_commit_info: { sha1: other },
    });
    expect(await branchOf(own, 'own-branch')).toBe('main');
    expect(await branchOf(other, 'own-branch')).toBe('');
  });

  it('finds the trails of all flows that report the commit, newest first', async () => {
    const sha = `${String(count).padStart(39, '0')}f`;
    await begin({ name: 'by-trail', git_commit_info: { sha1: sha, branch: 'main' } });
    await givenArtifact(api, flow, '4', { trail_name: 'by-artifact', git_commit: sha });
    await attest(api, flow, 'by-attestation', {
      attestation_name: 'a',
      is_compliant: true,
      git_commit_info: { sha1: sha },
    });
    const answer = await api.call(searchCommitTrails, { params: { sha }, query: { per_page: '2' } });
    expect(answer.body).toMatchObject({
      page: 1,
      per_page: 2,
      total_pages: 2,
      total_count: 3,
      trails: [
        { flow_name: flow, trail_name: 'by-attestation', branch: '' },
        { trail_name: 'by-artifact', url: `http://waymark.test/acme/flows/${flow}/trails/by-artifact` },
      ],
      _links: { self: {}, next: { href: expect.stringContaining('page=2') } },
    });
    const last = await api.call(searchCommitTrails, { params: { sha }, query: { per_page: '2', page: '2' } });
    expect(last.body).toMatchObject({ trails: [{ trail_name: 'by-trail', branch: 'main' }] });
    expect(await api.call(searchCommitTrails, { params: { sha: 'f'.repeat(40) } })).toMatchObject({
      status: 200,
      body: { total_count: 0, trails: [] },
    });
    expect(await api.call(searchCommitTrails, { params: { sha: 'f' } })).toMatchObject({ status: 400 });
    expect(await api.call(searchCommitTrails, { params: { sha }, query: { per_page: '51' } })).toMatchObject({
      status: 400,
    });
  });
});

it('a flow shows what evidence created it', async () => {
  await attest(api, `${flow}-auto`, 'first', { attestation_name: 'a', is_compliant: true });
  expect(await trailOf(api, `${flow}-auto`, 'first')).toMatchObject({
    auto_created: true,
    compliance_state: 'COMPLIANT',
  });
  expect(await api.call(getFlow, { params: { flow_name: `${flow}-auto` } })).toMatchObject({
    body: { auto_created: true, template: 'version: 1\n' },
  });
});
