import {
  assertArtifact,
  attestDecision,
  attestPullRequest,
  beginTrail,
  type Contract,
  createControl,
  diffSnapshots,
  explainSnapshot,
  getApproval,
  getControlCoverage,
  getDeploymentFrequency,
  getSnapshot,
  getTimeline,
  getTrail,
  listActivity,
  listAttestations,
  listAttestationTypes,
  listCommitArtifacts,
  listControlDecisions,
  listControls,
  listControlVersions,
  listDeployments,
  listEnvironmentEvents,
  listPolicies,
  listRepos,
  listSnapshotArtifacts,
  listTrails,
  postAttestationType,
  recordApproval,
  type Snapshot,
  type Trail,
  updateControl,
} from '@waymark/contract';
import { type RawBuilder, sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../given/environments.ts';
import { attest, commit, fingerprint, givenArtifact, givenFlow, givenTrail } from '../given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../given/policies.ts';
import { givenRunning } from '../given/runs.ts';
import { type Answer, startApi } from '../harness.ts';

const logged: { table?: string; id?: string }[] = [];
const api = await startApi({
  log: pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
});
beforeEach(() => void logged.splice(0));

const ANY = 'version: 1\n';

async function ask<Body = unknown>(
  contract: Contract,
  params: Record<string, string> = {},
  query: Record<string, string> = {},
): Promise<Body> {
  const { status, body } = (await api.call(contract, { params, query })) as Answer<Body>;
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const restores: (() => Promise<unknown>)[] = [];
const restore = async () => {
  for (const one of restores.splice(0)) await one();
};
afterEach(restore);

/** Damages one row until the end of the test, and returns its name in the log. */
async function damage(table: string, column: string, row: RawBuilder<unknown>, key = sql`id::text`): Promise<string> {
  const [its, content] = [sql.table(table), sql.ref(column)];
  const { rows } = await sql<{ id: string; was: string }>`
    select ${key} as id, ${content} as was from ${its} where org_id = ${api.org.id} and ${row}`.execute(api.db);
  expect(rows).toHaveLength(1);
  await sql`update ${its} set ${content} = '{' where org_id = ${api.org.id} and ${row}`.execute(api.db);
  const { id = '', was } = rows[0] ?? {};
  restores.push(() =>
    sql`update ${its} set ${content} = ${was} where org_id = ${api.org.id} and ${content} = '{'`.execute(api.db),
  );
  return id;
}

interface Shown {
  readonly unreadable?: true;
}

interface Kind {
  readonly table: string;
  readonly column: string;
  readonly row: RawBuilder<unknown>;
  /** Its name in the log. */
  readonly key?: RawBuilder<unknown>;
  /** Makes two things, `good` and `damaged`. */
  given(): Promise<unknown>;
  /** What is shown of both, by these names. */
  list(): Promise<Readonly<Record<string, unknown>>>;
}

const named = (items: readonly object[], name = 'name') =>
  Object.fromEntries(items.map((item) => [(item as Record<string, string>)[name], item]));

const attestBoth = async (flow: string) => {
  await givenFlow(api, flow, ANY);
  for (const name of ['good', 'damaged']) {
    await attest(api, flow, 't', { attestation_name: name, is_compliant: true, description: name });
  }
};

const beginBoth = async (flow: string) => {
  await givenFlow(api, flow, ANY);
  for (const name of ['good', 'damaged']) {
    const repo_info = { name: `${flow}/${name}`, id: `${flow}-${name}`, provider: 'github' };
    const body = { name, user_data: { a: 1 }, git_commit_info: { sha1: commit('a') }, repo_info };
    await api.call(beginTrail, { params: { flow_name: flow }, body: body as never });
  }
};

const trails = async (flow: string) => named((await ask<{ data: object[] }>(listTrails, {}, { flow })).data);

const KINDS: Readonly<Record<string, Kind>> = {
  'an attestation': {
    ...{ table: 'attestation', column: 'content', row: sql`name = 'damaged' and ${inFlow('content')}` },
    given: () => attestBoth('content'),
    list: async () =>
      named((await ask<{ data: object[] }>(listAttestations, {}, { flow: 'content' })).data, 'attestation_name'),
  },
  'the verdict of an attestation': {
    ...{ table: 'attestation', column: 'verdict', row: sql`name = 'damaged' and ${inFlow('verdict')}` },
    given: () => attestBoth('verdict'),
    list: async () =>
      named((await ask<{ data: object[] }>(listAttestations, {}, { flow: 'verdict' })).data, 'attestation_name'),
  },
  'a control decision': {
    ...{ table: 'attestation', column: 'verdict', row: sql`name = 'damaged' and control = 'DECIDED'` },
    async given() {
      await givenFlow(api, 'decided', ANY);
      await api.call(createControl, { body: { identifier: 'DECIDED', name: 'Decided' } });
      for (const attestation_name of ['good', 'damaged']) {
        const body = { attestation_name, control: 'DECIDED', attestation_data: { is_compliant: true } };
        await api.call(attestDecision, { params: { flow_name: 'decided', trail_name: 't' }, body });
      }
    },
    list: async () =>
      named(
        (await ask<{ decisions: object[] }>(listControlDecisions, { identifier: 'DECIDED' })).decisions,
        'attestation_name',
      ),
  },
  'the commit of a trail': {
    ...{ table: 'trail', column: 'git_commit_info', row: sql`name = 'damaged' and ${inFlow('commits')}` },
    given: () => beginBoth('commits'),
    list: () => trails('commits'),
  },
  'the data of a trail': {
    ...{ table: 'trail', column: 'user_data', row: sql`name = 'damaged' and ${inFlow('data')}` },
    given: () => beginBoth('data'),
    list: () => trails('data'),
  },
  'a repository': {
    ...{ table: 'repository', column: 'additional_info', row: sql`name = 'repos/damaged'` },
    given: () => beginBoth('repos'),
    async list() {
      const { repos } = await ask<{ repos: { name: string }[] }>(listRepos, {}, { search: 'repos/' });
      return named(repos.map((repo) => ({ ...repo, name: repo.name.slice('repos/'.length) })));
    },
  },
  'an artifact': {
    ...{ table: 'artifact', column: 'content', row: sql`filename = 'damaged' and ${inFlow('built')}` },
    async given() {
      await givenFlow(api, 'built', ANY);
      await givenArtifact(api, 'built', '1', { filename: 'good', trail_name: 't', git_commit: commit('7') });
      await givenArtifact(api, 'built', '2', { filename: 'damaged', trail_name: 't', git_commit: commit('7') });
    },
    list: async () =>
      named(await ask<object[]>(listCommitArtifacts, { flow_name: 'built', commit: commit('7') }), 'filename'),
  },
  'an event of a policy': {
    ...{
      table: 'policy_event',
      column: 'data',
      row: sql`type = 'policy_version_created' and data like '%2%' and policy_id in (
        select id from policy where org_id = ${api.org.id} and name = 'damaged')`,
      key: sql`policy_id || '/' || no`,
    },
    async given() {
      for (const name of ['good', 'damaged']) {
        await givenPolicy(api, name, attestationPolicy('{ name: a, type: generic }'));
        await givenPolicy(api, name, attestationPolicy('{ name: b, type: generic }'));
      }
    },
    async list() {
      const found = await ask<{ name: string; events: object[] }[]>(listPolicies);
      return named(found.map(({ name, events }) => ({ name, ...events.at(-1) })));
    },
  },
  'a control': {
    ...{ table: 'control', column: 'links', row: sql`identifier = 'damaged'` },
    async given() {
      for (const identifier of ['good', 'damaged']) {
        const body = { identifier, name: identifier, links: { wiki: 'https://wiki.example.com' } };
        await api.call(createControl, { body });
      }
    },
    list: async () => named((await ask<{ controls: object[] }>(listControls)).controls, 'identifier'),
  },
  'a version of a control': {
    ...{
      table: 'control_version',
      column: 'links',
      row: sql`version = 2 and control_id in (
        select id from control where org_id = ${api.org.id} and identifier = 'versions')`,
      key: sql`control_id || '/' || version`,
    },
    async given() {
      await api.call(createControl, { body: { identifier: 'versions', name: 'good' } });
      await api.call(updateControl, { params: { identifier: 'versions' }, body: { name: 'damaged' } });
    },
    list: async () =>
      named((await ask<{ versions: object[] }>(listControlVersions, { identifier: 'versions' })).versions),
  },
  'an approval': {
    ...{
      table: 'approval',
      column: 'content',
      row: sql`number = 2 and ${inFlow('approved')}`,
      key: sql`'approved/' || number`,
    },
    async given() {
      await givenFlow(api, 'approved', ANY);
      await givenArtifact(api, 'approved', '3', { trail_name: 't' });
      const body = { artifact_fingerprint: fingerprint('3'), src_commit_list: [commit('a')], approvals: [] };
      for (let i = 0; i < 2; i++) await api.call(recordApproval, { params: { flow_name: 'approved' }, body });
    },
    list: async () => ({
      good: await ask(getApproval, { flow_name: 'approved', number: '1' }),
      damaged: await ask(getApproval, { flow_name: 'approved', number: '2' }),
    }),
  },
  'a version of an attestation type': {
    ...{
      table: 'custom_attestation_type_version',
      column: 'schema',
      row: sql`type_id in (
        select id from custom_attestation_type where org_id = ${api.org.id} and name = 'damaged')`,
      key: sql`type_id || '/' || version`,
    },
    async given() {
      for (const name of ['good', 'damaged']) {
        await api.call(postAttestationType, { body: { name, type_schema: { type: 'object' } } });
      }
    },
    async list() {
      const found = await ask<{ name: string; versions: object[] }[]>(listAttestationTypes);
      return named(found.map(({ name, versions }) => ({ name, ...versions[0] })));
    },
  },
  'an entry of the journal': {
    ...{ table: 'journal', column: 'payload', row: sql`type = 'flow.created' and payload like '%"told-damaged"%'` },
    async given() {
      await givenFlow(api, 'told-damaged', ANY);
      await givenFlow(api, 'told-good', ANY);
    },
    async list() {
      const { data } = await ask<{ data: object[] }>(listActivity, {}, { type: 'flow.created', per_page: '2' });
      return { good: data[0], damaged: data[1] };
    },
  },
  'a mark of a timeline': {
    ...{
      table: 'journal',
      column: 'payload',
      row: sql`type = 'policy.attached' and payload like '%"marked-damaged"%'`,
    },
    async given() {
      await givenEnvironment(api, 'marked');
      for (const name of ['marked-damaged', 'marked-good']) {
        await givenPolicy(api, name);
        await givenAttached(api, 'marked', [name]);
      }
    },
    async list() {
      const { marks } = await ask<{ marks: { kind: string }[] }>(getTimeline, { env_name: 'marked' });
      const [damaged, good] = marks.filter(({ kind }) => kind === 'policy');
      return { good, damaged };
    },
  },
};

function inFlow(name: string): RawBuilder<unknown> {
  return sql`flow_id in (select id from flow where org_id = ${api.org.id} and name = ${name})`;
}

describe('a damaged row is marked in its list, named in the log, and hides no other', () => {
  it.each(Object.keys(KINDS))('%s', async (name) => {
    const kind = KINDS[name] as Kind;
    await kind.given();
    const id = await damage(kind.table, kind.column, kind.row, kind.key);

    const { good, damaged } = (await kind.list()) as Record<string, Shown>;

    expect(damaged).toMatchObject({ unreadable: true });
    expect(good).toBeDefined();
    expect(good).not.toHaveProperty('unreadable');
    expect(logged).toContainEqual(expect.objectContaining({ table: kind.table, id }));
    await restore();
    expect((await kind.list())['damaged']).not.toHaveProperty('unreadable');
  });
});

const RUNS: Readonly<
  Record<string, readonly [table: string, column: string, row: (env: string) => RawBuilder<unknown>]>
> = {
  'a policy decision': ['decision', 'shown', decisionOf],
  'the reasons of a policy decision': ['decision', 'reasons', decisionOf],
  'what flows said': ['evidence_state', 'statuses_by_flow', evidenceOf],
  'the report of an artifact': ['artifact', 'content', (env) => sql`filename = ${`${env}-damaged`}`],
};

function decisionOf(env: string): RawBuilder<unknown> {
  return sql`id in (select unnest(decision_ids) from running_verdict ${ofDamaged(env)})`;
}

function evidenceOf(env: string): RawBuilder<unknown> {
  return sql`id in (select evidence_id from running_verdict ${ofDamaged(env)})`;
}

function ofDamaged(env: string): RawBuilder<unknown> {
  return sql`join running using (org_id, environment_id, no) join environment on environment.id = environment_id
    where running_verdict.org_id = ${api.org.id} and running.name = 'damaged' and environment.name = ${env}`;
}

/** Two compliant artifacts run in an environment. */
async function givenCompliant(env: string, digits: readonly [string, string]): Promise<void> {
  await givenFlow(api, env, ANY);
  await givenEnvironment(api, env);
  await api.call(createControl, { body: { identifier: env, name: env } });
  await givenPolicy(api, env, attestationPolicy(`{ name: tests, type: generic, for_control: ${env} }`));
  await givenAttached(api, env, [env]);
  for (const [i, name] of ['good', 'damaged'].entries()) {
    const digit = digits[i] ?? '';
    const git_commit_info = { sha1: commit('a'), timestamp: 1_600_000_000 };
    await givenArtifact(api, env, digit, { filename: `${env}-${name}`, trail_name: name, git_commit_info });
    const body = { attestation_name: 'tests', is_compliant: true, artifact_fingerprint: fingerprint(digit) };
    await attest(api, env, name, body);
  }
  await givenRunning(api, env, { good: digits[0], damaged: digits[1] });
  expect(await environmentOf(api, env)).toMatchObject({ compliance: 'compliant' });
}

const snapshotOf = (env_name: string) => api.call(getSnapshot, { params: { env_name, snapshot_expression: '@{now}' } });

describe('a snapshot with a damaged row', () => {
  const digits = [
    ['0', '1'],
    ['2', '3'],
    ['4', '5'],
    ['6', '7'],
  ] as const;

  it.each(Object.keys(RUNS))('shows all others: %s', async (name) => {
    const at = Object.keys(RUNS).indexOf(name);
    const env = `snapshot-${at}`;
    const [table, column, row] = RUNS[name] as (typeof RUNS)[string];
    await givenCompliant(env, digits[at] ?? ['0', '1']);
    const id = await damage(table, column, row(env));
    const isDecision = table === 'decision';

    const { status, headers, body } = (await snapshotOf(env)) as Answer<Snapshot>;
    const page = await ask<{ snapshot: Snapshot; artifacts: object[] }>(listSnapshotArtifacts, {
      env_name: env,
      snapshot_expression: '@{now}',
    });

    expect(status).toBe(200);
    for (const artifacts of [body.artifacts, page.artifacts]) {
      const shown = named(artifacts);
      expect(shown['good']).toMatchObject({ compliance: 'compliant' });
      expect(shown['good']).not.toHaveProperty('unreadable');
      expect(shown['damaged']).toMatchObject({
        unreadable: true,
        compliant: !isDecision,
        compliance: isDecision ? 'unknown' : 'compliant',
      });
    }
    for (const head of [body, page.snapshot]) expect(head.compliant).toBe(!isDecision);
    expect(logged).toContainEqual(expect.objectContaining({ table, id }));
    // Without a tag: a restored row must become visible.
    expect(headers).not.toHaveProperty('etag');
    await ask(listDeployments);
    await ask(getDeploymentFrequency, { env_name: env });
    await ask(listEnvironmentEvents, { env_name: env });
    await restore();
    expect(await snapshotOf(env)).toMatchObject({ headers: { etag: expect.any(String) }, body: { compliant: true } });
  });

  it('shows instances that can be read', async () => {
    await givenCompliant('instances', ['8', '9']);
    const running = sql`(environment_id, no) in (select environment_id, no from running where org_id = ${api.org.id}
      and name = 'damaged' and environment_id in (
        select id from environment where org_id = ${api.org.id} and name = 'instances'))`;
    const id = await damage('running_instances', 'detail', running, sql`environment_id || '/' || no`);

    const shown = named(((await snapshotOf('instances')) as Answer<Snapshot>).body.artifacts);

    expect(shown['damaged']).toMatchObject({ unreadable: true, creationTimestamp: [] });
    expect(shown['good']).toMatchObject({ creationTimestamp: [1] });
    expect(logged).toContainEqual(expect.objectContaining({ table: 'running_instances', id }));
    await ask(diffSnapshots, {}, { snappish1: 'instances#1', snappish2: 'instances' });
    // The next report replaces the damaged row.
    await givenRunning(api, 'instances', { good: '8', damaged: '9', third: '8' });
    expect(named(((await snapshotOf('instances')) as Answer<Snapshot>).body.artifacts)['damaged']).not.toHaveProperty(
      'unreadable',
    );
  });

  it('is not compliant when it cannot be read by which policies', async () => {
    await givenCompliant('policies', ['a', 'b']);
    const set = sql`id in (select policy_set_id from snapshot
      join environment on environment.org_id = snapshot.org_id and environment.id = environment_id
      where snapshot.org_id = ${api.org.id} and environment.name = 'policies')`;
    const id = await damage('policy_set', 'content', set);

    expect(await snapshotOf('policies')).toMatchObject({
      status: 200,
      body: { unreadable: true, compliance: 'unknown', compliant: false, applied_policies: [], artifacts: [{}, {}] },
    });
    expect(logged).toContainEqual(expect.objectContaining({ table: 'policy_set', id }));
    expect(
      await api.call(explainSnapshot, { params: { env_name: 'policies', snapshot_expression: '@{now}' } }),
    ).toMatchObject({ status: 503, body: { message: expect.stringContaining(`Row ${id} of table policy_set`) } });
  });
});

describe('a damaged verdict is not compliant', () => {
  beforeAll(async () => {
    await givenCompliant('judged', ['c', 'd']);
  });

  const asserted = (digit: string, query: Record<string, string>) =>
    ask<{ compliant: boolean; because: string }>(assertArtifact, { fingerprint: fingerprint(digit) }, query);
  const QUERIES = [{ flow_name: 'judged' }, { environment_name: 'judged' }, { policy_name: 'judged' }];

  it('of an attestation: neither is its trail, nor what is asserted of its artifact', async () => {
    const trail = () => ask<Trail>(getTrail, { flow_name: 'judged', trail_name: 'damaged' });
    expect(await trail()).toMatchObject({ compliance_state: 'COMPLIANT' });
    const row = sql`fingerprint = ${fingerprint('d')} and ${inFlow('judged')}`;
    const id = await damage('attestation', 'verdict', row);

    expect(await trail()).toMatchObject({ compliance_state: 'NON-COMPLIANT', is_compliant: false });
    expect(logged).toContainEqual(expect.objectContaining({ table: 'attestation', id }));
    const { data } = await ask<{ data: object[] }>(listAttestations, {}, { flow: 'judged' });
    expect(data.filter((shown) => 'unreadable' in shown)).toMatchObject([{ is_compliant: false, outcome: 'failed' }]);
    for (const query of QUERIES) {
      expect(await asserted('d', query)).toMatchObject({
        compliant: false,
        because: expect.stringContaining('The stored attestation cannot be read'),
      });
      expect(await asserted('c', query)).toMatchObject({ compliant: true });
    }
    await givenRunning(api, 'judged', { good: 'c', damaged: 'd', third: 'd' });
    expect(await environmentOf(api, 'judged')).toMatchObject({ compliance: 'non-compliant' });
  });

  it('of pull requests: they are none', async () => {
    await givenFlow(api, 'reviewed', ANY);
    await givenPolicy(api, 'reviewed', attestationPolicy('{ name: review, type: pull_request }'));
    await givenArtifact(api, 'reviewed', 'a', { fingerprint: 'ab'.repeat(32), trail_name: 't' });
    const url = 'https://git.example.com/1';
    const pull_requests = [{ url, merge_commit: commit('a'), state: 'MERGED', approvers: ['ada'] }];
    const body = {
      attestation_name: 'review',
      artifact_fingerprint: 'ab'.repeat(32),
      git_provider: 'github',
      pull_requests,
    };
    const params = { flow_name: 'reviewed', trail_name: 't' };
    expect(await api.call(attestPullRequest, { params, body: body as never })).toMatchObject({ status: 201 });
    const asked = () => ask(assertArtifact, { fingerprint: 'ab'.repeat(32) }, { policy_name: 'reviewed' });
    expect(await asked()).toMatchObject({ compliant: true });
    await damage('attestation', 'content', inFlow('reviewed'));
    expect(await asked()).toMatchObject({ compliant: false });
  });

  it('of an attestation with a long verdict', async () => {
    await givenTrail(api, 'judged', 'long');
    await attest(api, 'judged', 'long', { attestation_name: 'tests', is_compliant: true });
    await sql`update attestation set verdict = ${`{"reasons":[],"read":"${'x'.repeat(10_000)}"`}
      where org_id = ${api.org.id} and trail_id in (
        select id from trail where org_id = ${api.org.id} and name = 'long')`.execute(api.db);
    expect(await ask(getTrail, { flow_name: 'judged', trail_name: 'long' })).toMatchObject({ is_compliant: false });
  });

  it('of a policy: its control does not pass', async () => {
    await givenCompliant('covered', ['e', 'f']);
    const coverage = () =>
      ask<{ environments: object[] }>(getControlCoverage, { identifier: 'covered' }, { covered: 'true' });
    expect((await coverage()).environments).toMatchObject([{ name: 'covered', passing: true }]);
    await damage('decision', 'shown', decisionOf('covered'));
    expect((await coverage()).environments).toMatchObject([{ name: 'covered', passing: false, failing_artifacts: 1 }]);
  });
});
