import { hash } from 'node:crypto';
import {
  archiveEnvironment,
  type Contract,
  type EnvironmentType,
  getEnvironment,
  getSnapshot,
  renameEnvironment,
  reportAzureApps,
  reportCloudRun,
  reportCloudxApps,
  reportDocker,
  reportEcs,
  reportK8s,
  reportLambda,
  reportS3,
  reportServer,
  roles,
  type Snapshot,
} from '@waymark/contract';
import { expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../test/given/environments.ts';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
let count = 0;

async function given(type: EnvironmentType = 'server'): Promise<string> {
  const name = `env-${++count}`;
  await givenEnvironment(api, name, type);
  return name;
}

const digest = (n: number): string => n.toString(16).padStart(64, '0');
const entry = (name: string, of: number, started = 1) => ({
  digests: { [name]: digest(of) },
  creationTimestamp: started,
});

function report(env: string, artifacts: object[], key?: string): Promise<Answer<unknown>> {
  return send(reportServer, env, { artifacts }, key);
}

function send(contract: Contract, env: string, body: unknown, key?: string): Promise<Answer<unknown>> {
  return api.call(contract, { params: { env_name: env }, body, ...(key !== undefined && { key }) });
}

/** Sends the exact bytes, as a reporter that repeats itself does. */
function sendBytes(env: string, payload: string): Promise<Answer<unknown>> {
  return api.inject({
    method: 'PUT',
    url: `/api/v2/environments/acme/${env}/report/server`,
    headers: { authorization: `Bearer ${api.org.keys.snapshotter}`, 'content-type': 'application/json; charset=utf-8' },
    payload,
  });
}

async function snapshotOf(env: string, expression: string): Promise<Snapshot> {
  const answer = await api.call(getSnapshot, { params: { env_name: env, snapshot_expression: expression } });
  if (answer.status !== 200) throw new Error(`there is no such snapshot: ${JSON.stringify(answer.body)}`);
  return answer.body as Snapshot;
}

const entriesOf = async (env: string) =>
  (await api.journal()).filter(({ payload }) => (payload as { environment?: string }).environment === env);

it('makes a snapshot when something started or exited, and lists both', async () => {
  const env = await given();
  expect(await report(env, [entry('web', 1), entry('db', 2)])).toMatchObject({
    status: 200,
    body: `Snapshot 1 of '${env}' created: 2 started, 0 exited`,
    headers: { 'waymark-snapshot': '1; created' },
  });
  expect(await report(env, [entry('db', 2), entry('web', 1)])).toMatchObject({
    status: 200,
    body: `Nothing changed in '${env}'; its latest snapshot is 1`,
    headers: { 'waymark-snapshot': '1; unchanged' },
  });
  expect(await report(env, [entry('db', 2, 7), entry('web', 1, 8)])).toMatchObject({
    body: `Nothing changed in '${env}'; its latest snapshot is 1`,
  });
  expect(await report(env, [entry('db', 2), entry('db', 2, 5), entry('web', 1, 9)])).toMatchObject({
    body: `Only instances changed in '${env}'; its latest snapshot is 1`,
    headers: { 'waymark-snapshot': '1; unchanged' },
  });
  expect(await report(env, [entry('db', 3)])).toMatchObject({ headers: { 'waymark-snapshot': '2; created' } });
  expect(await report(env, [])).toMatchObject({ headers: { 'waymark-snapshot': '3; created' } });
  const entries = await entriesOf(env);
  expect(entries.map(({ type, subject_seq }) => [type, subject_seq])).toEqual([
    ['snapshot.recorded', 2],
    ['environment.scaled', 3],
    ['snapshot.recorded', 4],
    ['snapshot.recorded', 5],
  ]);
  expect(entries[1]?.payload).toEqual({
    environment: env,
    index: 1,
    part: 1,
    parts: 1,
    changes: [{ name: 'db', fingerprint: digest(2), was: 1, now: 2 }],
  });
  expect(entries[2]?.payload).toEqual({
    environment: env,
    index: 2,
    trigger: 'report',
    compliance: { was: 'unknown', now: 'unknown' },
    policies: [],
    part: 1,
    parts: 1,
    started: [{ name: 'db', fingerprint: digest(3), instances: 1, compliance: 'unknown' }],
    exited: [
      { name: 'db', fingerprint: digest(2), instances: 2 },
      { name: 'web', fingerprint: digest(1), instances: 1 },
    ],
    resized: [],
    provenance_changed: [],
    judged: [],
    counts: { artifacts: 1, compliant: 0, non_compliant: 0, events: 5 },
    policy_set_id: null,
    verdicts_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

it('makes the first snapshot of an environment in which nothing runs', async () => {
  const env = await given();
  expect(await report(env, [])).toMatchObject({ headers: { 'waymark-snapshot': '1; created' } });
  expect(await report(env, [])).toMatchObject({ headers: { 'waymark-snapshot': '1; unchanged' } });
});

it('updates start times with a snapshot that is made for another reason', async () => {
  const env = await given();
  await report(env, [entry('web', 1, 10)]);
  await report(env, [entry('web', 1, 20)]);
  expect((await snapshotOf(env, '-1')).artifacts[0]?.creationTimestamp).toEqual([10]);
  await report(env, [entry('web', 1, 30), entry('db', 2)]);
  expect((await snapshotOf(env, '-1')).artifacts.map((artifact) => artifact.creationTimestamp)).toEqual([[1], [30]]);
  expect((await snapshotOf(env, '1')).artifacts[0]?.creationTimestamp).toEqual([10]);
});

it('records a long difference in several consecutive entries', async () => {
  const env = await given();
  const artifacts = Array.from({ length: 3_000 }, (_, i) => entry(`${'long-name-'.repeat(10)}${i}`, i));
  expect((await report(env, artifacts)).status).toBe(200);
  const entries = await entriesOf(env);
  const payloads = entries.map(({ payload }) => payload as { part: number; parts: number; started: object[] });
  expect(payloads.length).toBeGreaterThan(1);
  expect(payloads.map(({ part, parts }) => [part, parts])).toEqual(payloads.map((_, i) => [i + 1, payloads.length]));
  expect(entries.map(({ subject_seq }) => subject_seq)).toEqual(payloads.map((_, i) => i + 2));
  expect(payloads.flatMap(({ started }) => started)).toHaveLength(3_000);
});

it('continues under a new name, and under the old one', async () => {
  const env = await given();
  await report(env, []);
  await api.call(renameEnvironment, { params: { env_name: env }, body: { new_name: `${env}-new` } });
  expect(await report(env, [entry('a', 1)])).toMatchObject({
    body: `Snapshot 2 of '${env}-new' created: 1 started, 0 exited`,
  });
});

it('accepts both names for web and function apps', async () => {
  const env = await given('azure-apps');
  const app = { app_name: 'a', app_kind: 'app', digests_source: 'acr', digests: { a: '' }, creationTimestamp: 0 };
  expect(await send(reportAzureApps, env, { artifacts: [app] })).toMatchObject({
    headers: { 'waymark-snapshot': '1; created' },
  });
  expect(await send(reportCloudxApps, env, { type: 'cloudx-apps', artifacts: [app] })).toMatchObject({
    headers: { 'waymark-snapshot': '1; unchanged' },
  });
});

it('refuses a report that does not match the type of the environment', async () => {
  const env = await given('K8S');
  expect(await report(env, [])).toMatchObject({
    status: 400,
    body: { errors: { env_name: `names '${env}', which is of type K8S and takes no server reports` } },
  });
  const logical = await given('logical');
  expect(await report(logical, [])).toMatchObject({
    status: 400,
    body: { errors: { env_name: expect.stringContaining('is logical and takes no reports') } },
  });
  expect(await report('nowhere', [])).toMatchObject({
    status: 404,
    body: { message: "Environment 'nowhere' does not exist in this org" },
  });
  expect(await report(await given(), [{ digests: { a: 'short' }, creationTimestamp: 1 }])).toMatchObject({
    status: 400,
    body: { errors: { 'artifacts.0.digests.a': 'must be 64 hexadecimal digits' } },
  });
});

it('treats digests in upper and lower case as equal', async () => {
  const env = await given();
  const of = (digits: string) => ({ digests: { app: digits.repeat(32) }, creationTimestamp: 1 });
  expect(await report(env, [of('AB')])).toMatchObject({ status: 200 });
  const { body } = await api.call(getSnapshot, { params: { env_name: env, snapshot_expression: '-1' } });
  expect(body).toMatchObject({ artifacts: [{ fingerprint: 'ab'.repeat(32) }] });
  const same = await report(env, [of('ab')]);
  expect([same.status, (await environmentOf(api, env)).latest_snapshot_index]).toEqual([200, 1]);
  await report(env, [of('ab'), of('aB')]);
  const both = await api.call(getSnapshot, { params: { env_name: env, snapshot_expression: '-1' } });
  expect(both.body).toMatchObject({ artifacts: [{ fingerprint: 'ab'.repeat(32), creationTimestamp: [1, 1] }] });
});

it('requires the snapshotter role or higher, in the same org', async () => {
  const env = await given();
  for (const role of roles) {
    const expected = role === 'reader' ? 403 : 200;
    expect((await report(env, [entry(role, 1)], api.org.keys[role])).status).toBe(expected);
  }
  expect((await report(env, [], '')).status).toBe(401);
  const others = await api.givenOrg(`others-${env}`);
  expect((await report(env, [], others.keys.admin)).status).toBe(403);
});

it('does not parse known bytes, but checks access each time', async () => {
  const env = await given();
  const bytes = JSON.stringify({ artifacts: [entry('web', 1)] });
  await sendBytes(env, bytes);
  // As if nonsense had been parsed before with the same result: it is not parsed again.
  const nonsense = 'no JSON at all';
  await api.db
    .updateTable('environment_heartbeat')
    .set({ known_bytes: hash('sha256', nonsense, 'buffer') })
    .where('org_id', '=', api.org.id)
    .where('environment_id', '=', await idOf(env))
    .execute();
  const asRole = (key: string) =>
    api.inject({
      method: 'PUT',
      url: `/api/v2/environments/acme/${env}/report/server`,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      payload: nonsense,
    });
  expect(await sendBytes(env, nonsense)).toMatchObject({
    status: 200,
    headers: { 'waymark-snapshot': '1; unchanged' },
  });
  const others = await api.givenOrg(`strangers-${env}`);
  expect((await asRole(api.org.keys.reader)).status).toBe(403);
  expect((await asRole(others.keys.admin)).status).toBe(403);
  expect((await asRole('wmk_nobody')).status).toBe(401);
  // Another version of the reader parses it itself.
  await api.db
    .updateTable('environment_heartbeat')
    .set({ known_by: 'another version' })
    .where('org_id', '=', api.org.id)
    .where('environment_id', '=', await idOf(env))
    .execute();
  expect((await sendBytes(env, nonsense)).status).toBe(400);
});

it('does not recognize known bytes for an archived environment, or for a new one of the same name', async () => {
  const env = await given();
  const bytes = JSON.stringify({ artifacts: [entry('web', 1)] });
  await sendBytes(env, bytes);
  expect(await sendBytes(env, bytes)).toMatchObject({ headers: { 'waymark-snapshot': '1; unchanged' } });
  await api.call(archiveEnvironment, { params: { env_name: env } });
  expect((await sendBytes(env, bytes)).status).toBe(404);
  await givenEnvironment(api, env, 'server');
  expect(await sendBytes(env, bytes)).toMatchObject({ headers: { 'waymark-snapshot': '1; created' } });
});

it('records again an artifact that ran before', async () => {
  const env = await given();
  const [one, two] = [entry('web', 1), entry('web', 2)].map((item) => JSON.stringify({ artifacts: [item] }));
  const outcomes: unknown[] = [];
  for (const bytes of [one, one, two, two, one, two]) {
    outcomes.push((await sendBytes(env, bytes ?? '')).headers['waymark-snapshot']);
  }
  expect(outcomes).toEqual(['1; created', '1; unchanged', '2; created', '2; unchanged', '3; created', '4; created']);
});

it('stores the time of the last report, not more often than needed', async () => {
  const env = await given();
  const start = api.clock.now.getTime();
  const bytes = JSON.stringify({ artifacts: [entry('web', 1)] });
  const reportedAfter = async (ms: number) => {
    api.clock.now = new Date(start + ms);
    await sendBytes(env, bytes);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const { body } = await api.call(getEnvironment, { params: { env_name: env } });
    return Math.round(((body as { last_reported_at: number }).last_reported_at - start / 1000) * 1000);
  };
  expect(await reportedAfter(0)).toBe(0);
  expect(await reportedAfter(4_000)).toBe(0);
  expect(await reportedAfter(30_000)).toBe(30_000);
});

it('numbers the snapshots of racing reporters without gaps, each of one report', async () => {
  const env = await given();
  const contents = [[entry('a', 1)], [entry('a', 2), entry('b', 3)], [], [entry('a', 1), entry('b', 3), entry('c', 4)]];
  const reporter = async (seed: number) => {
    const answers: Answer<unknown>[] = [];
    for (let i = 0; i < 25; i++) answers.push(await report(env, contents[(seed * 7 + i * 3 + i * seed) % 4] ?? []));
    return answers;
  };
  const answers = (await Promise.all(Array.from({ length: 8 }, (_, seed) => reporter(seed)))).flat();
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
  const created = answers
    .map((answer) => /^(\d+); created$/.exec(String(answer.headers['waymark-snapshot']))?.[1])
    .filter((index) => index !== undefined)
    .map(Number);
  expect(created.sort((a, b) => a - b)).toEqual(created.map((_, i) => i + 1));
  const sent = contents.map((items) => JSON.stringify(items.map((item) => Object.entries(item.digests)[0])));
  let before = '';
  for (const index of created) {
    const { artifacts } = await snapshotOf(env, String(index));
    const running = artifacts.filter(({ annotation }) => annotation.now > 0);
    const shown = JSON.stringify(running.map(({ name, fingerprint }) => [name, fingerprint]));
    expect(sent).toContain(shown);
    expect(shown).not.toBe(before);
    before = shown;
  }
  const entries = await entriesOf(env);
  expect(entries.map(({ subject_seq }) => subject_seq)).toEqual(entries.map((_, i) => i + 2));
});

it.each([
  [
    reportEcs,
    'ECS',
    { taskArn: 'arn:task/1', cluster_name: 'main', service_name: null, digests: { app: '' }, creationTimestamp: 3 },
    { container_task_context: { task_arn: 'arn:task/1', cluster_name: 'main', service_name: null } },
  ],
  [
    reportCloudRun,
    'cloud-run',
    { kind: 'service', serviceName: 's', revisionName: 's-1', digests: { app: '' }, creationTimestamp: 3 },
    { serverless_run_context: { kind: 'service', service_name: 's', revision_name: 's-1', job_name: null } },
  ],
  [
    reportCloudxApps,
    'cloudx-apps',
    { app_name: 'shop', app_kind: 'app,linux', digests_source: 'logs', digests: { app: '' }, creationTimestamp: 3 },
    { app_context: { app_name: 'shop', app_kind: 'app,linux', digests_source: 'logs' } },
  ],
  [reportS3, 'S3', { digests: { app: digest(1) }, creationTimestamp: 3 }, { fingerprint: digest(1), pods: null }],
  [reportLambda, 'lambda', { digests: { app: digest(1) }, creationTimestamp: 3 }, { fingerprint: digest(1) }],
  [reportDocker, 'docker', { digests: { app: digest(1) }, creationTimestamp: 3 }, { fingerprint: digest(1) }],
] as const)('%# shows what its type alone has', async (contract, type, item, shown) => {
  const env = await given(type);
  expect((await send(contract, env, { type, artifacts: [item] })).status).toBe(200);
  expect(await send(contract, env, { artifacts: [item] })).toMatchObject({
    headers: { 'waymark-snapshot': '1; unchanged' },
  });
  expect((await snapshotOf(env, '-1')).artifacts).toMatchObject([{ name: 'app', creationTimestamp: [3], ...shown }]);
});

it('shows pods by names that are unique across namespaces', async () => {
  const env = await given('K8S');
  const pod = (name: string, namespace = 'default') => ({
    podName: name,
    namespace,
    digests: { 'registry/app:1': digest(1) },
    creationTimestamp: 5,
    owners: null,
  });
  const answer = await send(reportK8s, env, { artifacts: [pod('a'), pod('b'), pod('a'), pod('a', 'other')] });
  expect(answer).toMatchObject({ status: 200, headers: { 'waymark-snapshot': '1; created' } });
  const [artifact] = (await snapshotOf(env, '-1')).artifacts;
  expect(artifact).toMatchObject({ annotation: { was: 0, now: 3 }, creationTimestamp: [5, 5, 5] });
  expect(Object.keys(artifact?.pods ?? {})).toEqual(['a', 'b', 'other/a']);
  expect((await send(reportDocker, env, { artifacts: [] })).status).toBe(400);
});

async function idOf(env: string): Promise<string> {
  const { body } = await api.call(getEnvironment, { params: { env_name: env } });
  return (body as { id: string }).id;
}
