import {
  type Artifact,
  archiveEnvironment,
  getArtifact,
  getFlow,
  getRunningCommit,
  joinEnvironment,
  listCommitArtifacts,
  listLiveArtifacts,
  renameEnvironment,
  searchSha,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { commit, fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { givenRunning, reevaluateAll } from '../../../test/given/runs.ts';
import { type Answer, startApi } from '../../../test/harness.ts';
import type { Entry } from '../../platform/journal/processor.ts';
import { flowDeployments } from './deployment.processor.ts';

const api = await startApi();
let count = 0;
let flow = '';
let prod = '';
let test = '';
beforeEach(async () => {
  count++;
  flow = `flow-${count}`;
  prod = `prod-${count}`;
  test = `test-${count}`;
  await givenFlow(api, flow, 'version: 1\n');
  for (const env of [prod, test]) await givenEnvironment(api, env);
});

function later(seconds: number): number {
  api.clock.now = new Date(api.clock.now.getTime() + seconds * 1000);
  return api.clock.now.getTime() / 1000;
}

/** Each test has its own fingerprints, as they are looked up in the whole org. */
const own = (digit: string) => `${count.toString(16)}${digit.repeat(63)}`;

async function reported(digit: string, more: object = {}): Promise<void> {
  await givenArtifact(api, flow, digit, { fingerprint: own(digit), trail_name: 'release', ...more });
}

async function artifactOf(digit: string): Promise<Artifact> {
  const params = { flow_name: flow, fingerprint: own(digit) };
  const answer = (await api.call(getArtifact, { params })) as Answer<Artifact>;
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

describe('an artifact', () => {
  it('shows where it runs, where it ran, and when, newest first', async () => {
    const committed = later(10);
    const reportedAt = later(10);
    await reported('a', { git_commit_info: { sha1: commit('a'), timestamp: committed } });
    expect(await artifactOf('a')).toMatchObject({
      running: [],
      exited: [],
      deployments: [],
      commit_lead_times: {},
      build_lead_times: {},
    });
    const inTest = later(10);
    await givenRunning(api, test, { web: own('a') });
    const inProd = later(10);
    await givenRunning(api, prod, { web: own('b') });
    await givenRunning(api, prod, { web: own('a') });
    expect(await artifactOf('a')).toMatchObject({
      running: [
        { environment_name: prod, snapshot_index: 2 },
        { environment_name: test, snapshot_index: 1 },
      ],
      exited: [],
      deployments: [1, 2],
      commit_lead_times: { [test]: 20, [prod]: 30 },
      build_lead_times: { [test]: 10, [prod]: 20 },
    });
    const outOfProd = later(10);
    await givenRunning(api, prod, { web: own('c') });
    const back = later(10);
    await givenRunning(api, prod, { web: own('a') });
    await givenRunning(api, test, {});
    const shown = await artifactOf('a');
    expect(shown).toMatchObject({
      running: [{ environment_name: prod, snapshot_index: 4 }],
      exited: [{ environment_name: test, snapshot_index: 2 }],
      deployments: [1, 2, 4],
      commit_lead_times: { [test]: 20, [prod]: 30 },
      last_modified_at: reportedAt,
    });
    expect(shown.history).toEqual([
      { event: 'app-a.tgz reported', timestamp: reportedAt },
      { event: `Started running in '${test}', snapshot 1`, timestamp: inTest },
      { event: `Started running in '${prod}', snapshot 2`, timestamp: inProd },
      { event: `Stopped running in '${prod}', snapshot 3`, timestamp: outOfProd },
      { event: `Started running in '${prod}', snapshot 4`, timestamp: back },
      { event: `Stopped running in '${test}', snapshot 2`, timestamp: back },
    ]);
    const ofCommit = await api.call(listCommitArtifacts, { params: { flow_name: flow, commit: commit('a') } });
    expect(ofCommit.body).toEqual([shown]);
  });

  it('runs as long as one of its names does', async () => {
    await reported('a');
    await givenRunning(api, prod, { web: own('a'), api: own('a') });
    await givenRunning(api, prod, { web: own('a') });
    expect(await artifactOf('a')).toMatchObject({ running: [{ snapshot_index: 1 }], exited: [] });
    await givenRunning(api, prod, {});
    expect(await artifactOf('a')).toMatchObject({ running: [], exited: [{ snapshot_index: 3 }] });
  });

  it('has times before its report, and no lead time without a commit time', async () => {
    await givenRunning(api, prod, { web: own('a') });
    later(5);
    await reported('a', { git_commit_info: { sha1: commit('a') } });
    expect(await artifactOf('a')).toMatchObject({
      running: [{ environment_name: prod, snapshot_index: 1 }],
      commit_lead_times: {},
      build_lead_times: { [prod]: -5 },
      history: [{ event: `Started running in '${prod}', snapshot 1` }, { event: 'app-a.tgz reported' }],
    });
  });

  it('does not run in archived environments, though it did, and runs under a new name', async () => {
    await reported('a');
    await givenRunning(api, prod, { web: own('a') });
    await givenRunning(api, test, { web: own('a') });
    await api.call(archiveEnvironment, { params: { env_name: prod } });
    await api.call(renameEnvironment, { params: { env_name: test }, body: { new_name: `${test}-new` } });
    const shown = await artifactOf('a');
    expect(shown).toMatchObject({
      running: [{ environment_name: `${test}-new` }],
      exited: [],
      deployments: [1],
      build_lead_times: { [`${test}-new`]: expect.any(Number) },
    });
    expect(Object.keys(shown.build_lead_times)).toHaveLength(1);
    expect(shown.history.map(({ event }) => event)).toContain(`Started running in '${prod}', snapshot 1`);
  });

  it('does not run in another org', async () => {
    await reported('a');
    const others = await api.givenOrg(`others-${count}`);
    await givenEnvironment(api, 'theirs', 'server', {}, others);
    await givenRunning(api, 'theirs', { web: own('a') }, others);
    expect(await artifactOf('a')).toMatchObject({ running: [], history: [{ event: 'app-a.tgz reported' }] });
  });
});

it('a search shows where artifacts run and ran', async () => {
  await reported('a');
  await reported('b');
  await givenRunning(api, prod, { web: own('a') });
  await givenRunning(api, prod, { web: own('b') });
  later(1);
  await givenRunning(api, test, { web: own('a'), other: own('b') });
  const found = async (digit: string) => (await api.call(searchSha, { params: { sha: own(digit) } })).body;
  expect(await found('a')).toMatchObject({ artifacts: [{ running_in: [test], exited_from: [prod] }] });
  expect(await found('b')).toMatchObject({ artifacts: [{ running_in: [test, prod], exited_from: [] }] });
});

it('the live artifacts of a repository are those that run in an environment now', async () => {
  const repo_info = { name: `acme/web-${count}`, provider: 'github' };
  for (const digit of 'abcd') await reported(digit, { repo_info });
  await reported('e');
  const live = async (key = api.org.keys.reader) =>
    (await api.call(listLiveArtifacts, { params: { repo_name: repo_info.name }, key })).body;
  await givenRunning(api, prod, { web: own('a'), x: own('c'), e: own('e') });
  await givenRunning(api, prod, { web: own('b'), web2: own('b'), x: own('c'), e: own('e') });
  await givenRunning(api, test, { web: own('b') });
  await givenEnvironment(api, `old-${count}`);
  await givenRunning(api, `old-${count}`, { web: own('b'), d: own('d') });
  await api.call(archiveEnvironment, { params: { env_name: `old-${count}` } });
  expect(await live()).toEqual([
    {
      fingerprint: own('c'),
      filename: 'app-c.tgz',
      flow_name: flow,
      git_commit: commit('c'),
      environments: [prod],
    },
    {
      fingerprint: own('b'),
      filename: 'app-b.tgz',
      flow_name: flow,
      git_commit: commit('b'),
      environments: [prod, test],
    },
  ]);
});

describe('the commit that runs in an environment', () => {
  const running = async (env_name: string) =>
    (await api.call(getRunningCommit, { params: { flow_name: flow, env_name }, key: api.org.keys.reader })).body;

  it('is the one of the artifact of the flow that started last, or none', async () => {
    await reported('a');
    await reported('b');
    await reported('c', { git_commit: null });
    expect(await running(prod)).toEqual({ commit_sha: null });
    await givenRunning(api, prod, { other: fingerprint('f') });
    expect(await running(prod)).toEqual({ commit_sha: null });
    later(1);
    await givenRunning(api, prod, { one: own('a') });
    later(1);
    await givenRunning(api, prod, { one: own('a'), two: own('b') });
    expect(await running(prod)).toEqual({ commit_sha: commit('b') });
    await givenRunning(api, prod, { one: own('a') });
    expect(await running(prod)).toEqual({ commit_sha: commit('a') });
    await givenRunning(api, prod, { three: own('c') });
    expect(await running(prod)).toEqual({ commit_sha: null });
  });

  it('is the one of any member of a logical environment', async () => {
    await reported('a');
    await givenEnvironment(api, `all-${count}`, 'logical');
    for (const physical_env_name of [prod, test]) {
      await api.call(joinEnvironment, { params: { env_name: `all-${count}` }, body: { physical_env_name } });
    }
    await givenRunning(api, test, { web: own('a') });
    expect(await running(`all-${count}`)).toEqual({ commit_sha: commit('a') });
  });
});

describe('the last deployment of a flow', () => {
  /** Processes all entries of the org, however often it is called. */
  async function process(): Promise<void> {
    const entries: Entry[] = await api.db
      .selectFrom('journal')
      .select(['org_id', 'seq', 'id', 'recorded_at', 'type', 'subject_kind', 'subject_id', 'actor_name'])
      .where('org_id', '=', api.org.id)
      .orderBy('seq')
      .execute();
    await flowDeployments.apply(api.db, entries);
  }
  const lastOf = async (name: string) =>
    ((await api.call(getFlow, { params: { flow_name: name } })).body as { last_deployment_at: number | null })
      .last_deployment_at;

  it('is the newest start of one of its artifacts, in whatever order entries arrive', async () => {
    await reported('a');
    await reported('b');
    await givenFlow(api, `${flow}-idle`);
    expect(await lastOf(flow)).toBeNull();
    later(10);
    await givenRunning(api, prod, { web: own('a') });
    const second = later(10);
    await givenRunning(api, test, { web: own('b') });
    later(10);
    await givenRunning(api, test, {});
    await process();
    expect(await lastOf(flow)).toBe(second);
    expect(await lastOf(`${flow}-idle`)).toBeNull();
    await process();
    expect(await lastOf(flow)).toBe(second);
    const third = later(10);
    await givenRunning(api, test, { web: own('b') });
    await process();
    expect(await lastOf(flow)).toBe(third);
  });

  it('is known once the artifact is known to be of the flow', async () => {
    const started = later(10);
    await givenRunning(api, prod, { web: own('a') });
    await process();
    later(10);
    await reported('a');
    await reevaluateAll(api, prod);
    await process();
    expect(await lastOf(flow)).toBe(started);
  });

  it('needs no erased entry, and ignores unrelated ones', async () => {
    await reported('a');
    await givenRunning(api, prod, { web: own('a') });
    await api.db
      .updateTable('journal')
      .set({ payload: null, nonce: null, actor_digest: Buffer.alloc(32) })
      .where('org_id', '=', api.org.id)
      .where('type', '=', 'snapshot.recorded')
      .execute();
    await process();
    expect(await lastOf(flow)).toBeNull();
    await flowDeployments.apply(api.db, []);
  });
});
