import {
  archiveEnvironment,
  type EnvironmentType,
  getSnapshot,
  listSnapshots,
  renameEnvironment,
  renameFlow,
  roles,
  Snapshot,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { commit, fingerprint, givenArtifact, givenFlow, givenTrail } from '../../../../test/given/evidence.ts';
import { startApi } from '../../../../test/harness.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import { reevaluate } from '../../runtime-verdicts/reevaluation/reevaluate.service.ts';

const api = await startApi();

let env = '';
let count = 0;

const START = Date.parse('2026-10-01T12:00:00Z');
const HOUR = 3_600_000;
const seconds = (hours: number) => (START + hours * HOUR) / 1000;

function at(hours: number): void {
  api.clock.now = new Date(START + hours * HOUR);
}

beforeEach(async () => {
  at(0);
  env = `prod-${++count}`;
});

async function report(artifacts: object[], kind = 'server', name = env): Promise<void> {
  const answer = await api.inject({
    method: 'PUT',
    url: `/api/v2/environments/acme/${name}/report/${kind}`,
    headers: { authorization: `Bearer ${api.org.keys.snapshotter}` },
    payload: { artifacts },
  });
  if (answer.status !== 200) throw new Error(`the report was not taken: ${JSON.stringify(answer.body)}`);
}

const runs = (name: string, digit: string, creationTimestamp = 1000) => ({
  digests: { [name]: digit && fingerprint(digit) },
  creationTimestamp,
});

function get(expression: string, name = env) {
  return api.call(getSnapshot, { params: { env_name: name, snapshot_expression: expression } });
}

/** Parses strictly by the contract, so that nothing else is in it. */
async function snapshot(expression: string, name = env): Promise<Snapshot> {
  const { status, body } = await get(expression, name);
  expect(status).toBe(200);
  expect(Snapshot.parse(body)).toEqual(body);
  return body;
}

const annotations = (found: Snapshot) =>
  found.artifacts.map(({ name, annotation: { type, was, now } }) => `${name} ${type} ${was} ${now}`);

/** Three snapshots, at 0, 2 and 4 hours. */
async function givenHistory(): Promise<void> {
  await givenEnvironment(api, env);
  await report([runs('api', '1')]);
  at(2);
  await report([runs('api', '2')]);
  at(4);
  await report([runs('api', '3')]);
}

describe('a snapshot expression', () => {
  it.each([
    ['1', 1],
    ['#2', 2],
    ['3', 3],
    ['-1', 3],
    ['-3', 1],
    ['~0', 3],
    ['~2', 1],
    ['@{now}', 3],
    ['@{NOW}', 3],
    ['@{2026-10-01T12:00:00}', 1],
    ['@{2026-10-01T13:59:59}', 1],
    ['@{2026-10-01T14:00:00}', 2],
    ['@{2027-01-01T00:00:00Z}', 3],
    ['@{1.hours.ago}', 3],
    ['@{2.hours.ago}', 2],
    ['@{5.hours.ago}', 1],
  ])('%s finds number %i of three', async (expression, index) => {
    await givenHistory();
    at(5);
    expect((await snapshot(expression)).index).toBe(index);
  });

  it('follows the clock', async () => {
    await givenHistory();
    at(24 * 40);
    expect((await snapshot('@{5.weeks.ago}')).index).toBe(3);
    expect((await get('@{2.months.ago}')).status).toBe(404);
    at(24 * 31 + 3);
    expect((await snapshot('@{1.month.ago}')).index).toBe(2);
    expect((await snapshot('@{31.days.ago}')).index).toBe(2);
  });

  it('that is out of range names the expression and the number of snapshots', async () => {
    await givenHistory();
    const missing = async (expression: string) => {
      const { status, body } = await get(expression);
      return [status, (body as unknown as { message: string }).message];
    };
    expect(await missing('12')).toEqual([404, `Snapshot 12 of '${env}' does not exist: it has 3 snapshots`]);
    expect(await missing('~3')).toEqual([404, `Snapshot expression '~3' is number 0, and '${env}' has 3 snapshots`]);
    expect(await missing('-5')).toEqual([404, `Snapshot expression '-5' is number -1, and '${env}' has 3 snapshots`]);
    expect(await missing('2147483647')).toEqual([
      404,
      `Snapshot 2147483647 of '${env}' does not exist: it has 3 snapshots`,
    ]);
    expect(await missing('@{2026-10-01T11:59:59}')).toEqual([
      404,
      `There was no snapshot of '${env}' at 2026-10-01T11:59:59Z: the first was created at 2026-10-01T12:00:00Z`,
    ]);
  });

  it('of an environment that has no snapshots says so', async () => {
    await givenEnvironment(api, env);
    for (const expression of ['-1', '1', '@{now}']) {
      expect(await get(expression)).toMatchObject({
        status: 404,
        body: { message: `Environment '${env}' has no snapshots yet` },
      });
    }
  });

  it.each([
    '0',
    '#0',
    '~-1',
    'latest',
    '@{soon}',
    '@{3.years.ago}',
    '@{2026-02-30T00:00:00}',
    '@',
    '1 ',
    '99999999999',
  ])("that is malformed is refused by its name: '%s'", async (expression) => {
    await givenEnvironment(api, env);
    const { status, body } = await get(expression);
    expect(status).toBe(400);
    expect(body).toMatchObject({ errors: { snapshot_expression: expect.stringContaining('N, #N,') } });
  });

  it('of a logical environment is refused with its members', async () => {
    await givenEnvironment(api, `${env}-a`);
    await givenEnvironment(api, `${env}-b`);
    await givenEnvironment(api, env, 'logical', { included_environments: [`${env}-b`, `${env}-a`] });
    const errors = {
      env_name: `is a logical environment and has no snapshots of its own; use those of its members: ${env}-b, ${env}-a`,
    };
    expect(await get('-1')).toMatchObject({ status: 400, body: { errors } });
    expect(await api.call(listSnapshots, { params: { env_name: env } })).toMatchObject({
      status: 400,
      body: { errors },
    });
  });

  it('of an unknown environment is a 404, of another org a 403', async () => {
    expect(await get('-1')).toMatchObject({
      status: 404,
      body: { message: `Environment '${env}' does not exist in this org` },
    });
    await givenHistory();
    const other = await api.givenOrg(`other-${count}`);
    const asked = { params: { env_name: env, snapshot_expression: '-1' }, key: other.keys.admin };
    expect((await api.call(getSnapshot, asked)).status).toBe(403);
    await api.call(archiveEnvironment, { params: { env_name: env } });
    expect((await get('-1')).status).toBe(404);
  });

  it('is accepted from every role', async () => {
    await givenHistory();
    for (const role of roles) {
      const asked = { params: { env_name: env, snapshot_expression: '-1' }, key: api.org.keys[role] };
      expect([role, (await api.call(getSnapshot, asked)).status]).toEqual([role, 200]);
    }
  });

  it('finds the snapshots of an environment under its old name', async () => {
    await givenHistory();
    expect((await snapshot('-1')).html_url).toBe(`http://waymark.test/acme/environments/${env}/snapshots/3`);
    await api.call(renameEnvironment, { params: { env_name: env }, body: { new_name: `${env}-new` } });
    expect((await snapshot('-1')).html_url).toBe(`http://waymark.test/acme/environments/${env}-new/snapshots/3`);
  });
});

describe('a snapshot', () => {
  it('shows when it held and what ran, without provenance', async () => {
    await givenHistory();
    expect(await snapshot('1')).toEqual({
      index: 1,
      is_latest: false,
      timestamp: seconds(0),
      next_snapshot_timestamp: seconds(2),
      type: 'server',
      trigger: 'report',
      compliant: false,
      compliance: 'unknown',
      artifact_compliance_count: { true: 0, false: 0, null: 1 },
      applied_policies: [],
      html_url: `http://waymark.test/acme/environments/${env}/snapshots/1`,
      artifacts: [
        {
          name: 'api',
          fingerprint: fingerprint('1'),
          creationTimestamp: [1000],
          annotation: { type: 'started-unknown', was: 0, now: 1 },
          compliant: false,
          compliance: 'unknown',
          flow_name: '',
          git_commit: '',
          commit_url: '',
          html_url: '',
          flow_html_url: '',
          flows: [],
          deployments: [1],
          deployment_diff: null,
          commit_lead_time: null,
          policy_decisions: [],
          allow_listing: null,
          reasons_for_incompliance: [],
          pods: null,
          container_task_context: null,
          serverless_run_context: null,
          app_context: null,
        },
      ],
    });
    expect(await snapshot('-1')).toMatchObject({ index: 3, is_latest: true, next_snapshot_timestamp: null });
  });

  it('shows what started, stayed and exited, and exits only once', async () => {
    await givenEnvironment(api, env);
    await report([runs('api', '1'), runs('web', '2')]);
    await report([runs('api', '1'), runs('web', '3')]);
    await report([runs('api', '1')]);
    await report([runs('api', '1'), runs('web', '2')]);
    expect(annotations(await snapshot('1'))).toEqual(['api started-unknown 0 1', 'web started-unknown 0 1']);
    expect(annotations(await snapshot('2'))).toEqual([
      'api unchanged 1 1',
      'web exited 1 0',
      'web started-unknown 0 1',
    ]);
    expect(annotations(await snapshot('3'))).toEqual(['api unchanged 1 1', 'web exited 1 0']);
    const rolledBack = await snapshot('4');
    expect(annotations(rolledBack)).toEqual(['api unchanged 1 1', 'web started-unknown 0 1']);
    expect(rolledBack.artifacts[1]?.deployments).toEqual([1, 4]);
    expect((await snapshot('3')).artifact_compliance_count).toEqual({ true: 0, false: 0, null: 1 });
  });

  it('shows the instance counts of its time', async () => {
    await givenEnvironment(api, env);
    const instances = (...times: number[]) => times.map((time) => runs('api', '1', time));
    await report(instances(10));
    await report(instances(10, 20));
    expect(annotations(await snapshot('1'))).toEqual(['api started-unknown 0 2']);
    await report([...instances(10, 20, 30), runs('web', '2')]);
    expect(annotations(await snapshot('2'))).toEqual(['api unchanged 2 3', 'web started-unknown 0 1']);
    await report([...instances(10), runs('web', '2')]);
    expect(annotations(await snapshot('-1'))).toEqual(['api unchanged 2 1', 'web started-unknown 0 1']);
    await report([...instances(10)]);
    expect(annotations(await snapshot('1'))).toEqual(['api started-unknown 0 2']);
    expect(annotations(await snapshot('2'))).toEqual(['api unchanged 2 1', 'web started-unknown 0 1']);
    const last = await snapshot('3');
    expect(annotations(last)).toEqual(['api unchanged 1 1', 'web exited 1 0']);
    expect(last.artifacts.map((artifact) => artifact.creationTimestamp)).toEqual([[10], [1000]]);
  });

  it('does not change as the history grows', async () => {
    await givenEnvironment(api, env);
    const made: Snapshot[] = [];
    const digits = '123456789abcdef';
    for (let i = 0; i < 40; i++) {
      // Some runs are long, some short; every third report changes instances as well.
      const long = runs('long', digits[Math.floor(i / 16)] ?? '1');
      const short = runs('short', digits[i % 2] ?? '1');
      const many = Array.from({ length: 1 + (i % 3) }, (_, n) => runs('many', 'f', n + 1));
      await report([long, short, ...many, ...(i % 5 === 0 ? [runs('now-and-then', 'e')] : [])]);
      made.push(await snapshot('-1'));
    }
    for (const [i, then] of made.entries()) {
      const now = await snapshot(String(i + 1));
      expect({ ...now, is_latest: true, next_snapshot_timestamp: null }).toEqual(then);
    }
  });

  it('is consistent while others are being made', async () => {
    await givenEnvironment(api, env);
    await report([runs('api', '1'), runs('web', '2')]);
    await report([runs('api', '1'), runs('web', '3')]);
    const { artifacts } = await snapshot('1');
    const makeMore = async () => {
      for (let i = 0; i < 15; i++) await report([runs('api', i % 2 ? '4' : '5'), runs('web', '3')]);
    };
    let isDone = false;
    const done = makeMore().finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const [first, latest] = await Promise.all([snapshot('1'), snapshot('-1')]);
      expect(first.artifacts).toEqual(artifacts);
      expect(latest.artifacts.filter(({ annotation }) => annotation.now > 0)).toHaveLength(2);
    }
    await done;
  });

  it('is the same for concurrent requests', async () => {
    await givenHistory();
    const found = await Promise.all(Array.from({ length: 8 }, () => snapshot('-1')));
    for (const one of found) expect(one).toEqual(found[0]);
    expect(annotations(await snapshot('-1'))).toEqual(['api exited 1 0', 'api started-unknown 0 1']);
  });

  it('shows unidentified artifacts under their names', async () => {
    await givenEnvironment(api, env, 'K8S');
    const pod = (podName: string, name: string, digest: string) => ({ podName, ...runs(name, digest) });
    await report([pod('p1', 'sidecar', ''), pod('p2', 'other', '')], 'K8S');
    await report([pod('p1', 'sidecar', ''), pod('p3', 'third', '')], 'K8S');
    const { artifacts } = await snapshot('-1');
    expect(artifacts.map(({ name, fingerprint, annotation }) => [name, fingerprint, annotation.type])).toEqual([
      ['other', '', 'exited'],
      ['sidecar', '', 'unchanged'],
      ['third', '', 'started-unknown'],
    ]);
    expect(artifacts.map(({ pods }) => pods)).toEqual([
      null,
      { p1: { namespace: '', creationTimestamp: 1000, owners: [] } },
      { p3: { namespace: '', creationTimestamp: 1000, owners: [] } },
    ]);
  });

  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'u', controller: true };
  it.each<[EnvironmentType, object[], object]>([
    [
      'K8S',
      [
        { podName: 'p', namespace: 'a', owners: [owner] },
        { podName: 'p', namespace: 'b "quoted"' },
      ],
      {
        pods: {
          p: { namespace: 'a', creationTimestamp: 5, owners: [owner] },
          'b "quoted"/p': { namespace: 'b "quoted"', creationTimestamp: 5, owners: [] },
        },
      },
    ],
    [
      'ECS',
      [{ taskArn: 'arn:1', cluster_name: 'c' }],
      { container_task_context: { task_arn: 'arn:1', cluster_name: 'c', service_name: null } },
    ],
    [
      'cloud-run',
      [{ kind: 'service', serviceName: 's', revisionName: 'r' }],
      { serverless_run_context: { kind: 'service', service_name: 's', revision_name: 'r', job_name: null } },
    ],
    [
      'cloudx-apps',
      [{ app_name: 'shop', app_kind: 'web', digests_source: 'acr' }],
      { app_context: { app_name: 'shop', app_kind: 'web', digests_source: 'acr' } },
    ],
    ['S3', [{}], {}],
    ['lambda', [{}], {}],
    ['docker', [{}], {}],
  ])('of type %s shows instances', async (type, entries, expected) => {
    await givenEnvironment(api, env, type);
    await report(
      entries.map((entry) => ({ ...entry, digests: { 'reg/"app"': fingerprint('a') }, creationTimestamp: 5 })),
      type,
    );
    const { artifacts, type: shownType } = await snapshot('-1');
    expect(shownType).toBe(type);
    const contexts = { pods: null, container_task_context: null, serverless_run_context: null, app_context: null };
    expect(artifacts).toMatchObject([
      { name: 'reg/"app"', creationTimestamp: entries.map(() => 5), ...contexts, ...expected },
    ]);
  });
});

describe('provenance in a snapshot', () => {
  let flow = '';

  beforeEach(async () => {
    flow = `flow-${count}`;
    await givenFlow(api, flow);
    await givenTrail(api, flow, 'release');
    await givenEnvironment(api, env);
  });

  const page = (digit: string) => `https://github.com/acme/shop/commit/${commit(digit)}`;
  const info = (digit: string, hours: number) => ({
    sha1: commit(digit),
    message: 'Ünïcode "quoted"',
    author: 'Ada',
    branch: 'main',
    timestamp: seconds(hours),
  });
  const built = (digit: string, hours: number) =>
    givenArtifact(api, flow, digit, {
      trail_name: 'release',
      template_reference_name: 'backend',
      commit_url: page(digit),
      git_commit_info: info(digit, hours),
    });

  it('shows the flow, the commit, the lead time and what was replaced', async () => {
    await built('1', -3);
    await built('2', 1);
    await report([runs('api:1', '1')]);
    at(2);
    await report([runs('api:2', '2')]);
    const first = (await snapshot('1')).artifacts[0];
    expect(first).toMatchObject({ flow_name: flow, commit_lead_time: 3 * 3600, deployment_diff: null });
    const found = (await snapshot('2')).artifacts.find(({ name }) => name === 'api:2');
    const flowUrl = `http://waymark.test/acme/flows/${flow}`;
    const expected = {
      flow_name: flow,
      git_commit: commit('2'),
      commit_url: page('2'),
      html_url: expect.stringMatching(
        `^${flowUrl}/artifacts/${fingerprint('2')}\\?artifact_id=[0-9a-f-]{36}$`,
      ) as string,
      flow_html_url: flowUrl,
      commit_lead_time: 3600,
      deployment_diff: {
        diff_url: `https://github.com/acme/shop/compare/${commit('1')}...${commit('2')}`,
        previous_git_commit: commit('1'),
        previous_git_commit_url: page('1'),
        previous_fingerprint: fingerprint('1'),
        previous_artifact_name: 'api:1',
        previous_artifact_compliance_state: 'unknown',
        previous_running: false,
        previous_trail_name: 'release',
        previous_template_reference_name: 'backend',
      },
    };
    expect(found).toMatchObject(expected);
    expect(found?.flows).toEqual([
      {
        ...expected,
        trail_name: 'release',
        template_reference_name: 'backend',
        git_commit_info: { ...info('2', 1), url: '' },
        artifact_compliance_in_flow: false,
        compliance: 'unknown',
        flow_reasons_for_non_compliance: [],
        reported_as: null,
      },
    ]);
  });

  it('shows whether the replaced artifact still ran', async () => {
    await built('3', 0);
    await built('4', 0);
    await report([runs('old', '3')]);
    await report([runs('old', '3'), runs('new', '4')]);
    await report([runs('new', '4')]);
    await report([runs('new', '4'), runs('more', '5')]);
    const stillRuns = async (index: string) =>
      (await snapshot(index)).artifacts.find(({ name }) => name === 'new')?.deployment_diff?.previous_running;
    expect(await stillRuns('2')).toBe(true);
    expect(await stillRuns('3')).toBe(false);
    expect(await stillRuns('4')).toBe(false);
  });

  it('uses the current name of a flow', async () => {
    await built('6', 0);
    await report([runs('api', '6')]);
    expect((await snapshot('-1')).artifacts[0]?.flow_name).toBe(flow);
    await api.call(renameFlow, { params: { flow_name: flow }, body: { new_name: `${flow}-new` } });
    const renamed = (await snapshot('-1')).artifacts[0];
    expect(renamed).toMatchObject({
      flow_name: `${flow}-new`,
      flow_html_url: `http://waymark.test/acme/flows/${flow}-new`,
      flows: [{ flow_name: `${flow}-new` }],
    });
  });

  it('that came late makes a snapshot of its own, and earlier ones stay without', async () => {
    await report([runs('api', '7')]);
    at(1);
    await built('7', -1);
    const { id } = await api.db
      .selectFrom('environment')
      .select('id')
      .where('org_id', '=', api.org.id)
      .where('name', '=', env)
      .executeTakeFirstOrThrow();
    await reevaluate({ ...systemCtx(api.db, api.org.id, 'tests', api.app.log), now: () => api.clock.now }, [
      { environmentId: id, causes: ['provenance'] },
    ]);
    const second = await snapshot('2');
    expect(second.trigger).toBe('provenance');
    expect(annotations(second)).toEqual(['api updated-provenance 1 1']);
    expect(second.artifacts[0]).toMatchObject({ flow_name: flow, commit_lead_time: 3600 });
    expect((await snapshot('1')).artifacts[0]).toMatchObject({ flow_name: '', flows: [] });
  });

  it('lists every flow that reported the artifact, the newest first', async () => {
    await givenFlow(api, `${flow}-b`);
    await built('8', 0);
    await givenArtifact(api, `${flow}-b`, '8', { trail_name: 'other' });
    await report([runs('api', '8')]);
    const [artifact] = (await snapshot('-1')).artifacts;
    expect(artifact?.flow_name).toBe(`${flow}-b`);
    expect(artifact?.flows.map(({ flow_name, git_commit_info }) => [flow_name, git_commit_info?.sha1])).toEqual([
      [`${flow}-b`, undefined],
      [flow, commit('8')],
    ]);
  });
});

describe('the list of snapshots', () => {
  const list = (query: Record<string, string> = {}, name = env) =>
    api.call(listSnapshots, { params: { env_name: name }, query });
  const indexes = async (query: Record<string, string>) => {
    const { status, body } = await list(query);
    expect(status).toBe(200);
    return body.map(({ index }) => index);
  };

  it('shows how long each held', async () => {
    await givenHistory();
    at(5);
    const { status, body } = await list();
    expect(status).toBe(200);
    const all = { compliant: false, compliance: 'unknown', trigger: 'report', artifact_count: 1 };
    expect(body).toEqual([
      { index: 3, from: seconds(4), to: 0, duration: 3600, ...all },
      { index: 2, from: seconds(2), to: seconds(4), duration: 7200, ...all },
      { index: 1, from: seconds(0), to: seconds(2), duration: 7200, ...all },
    ]);
    const [latest, oldest] = [(await list({ per_page: '1' })).body[0], (await list({ interval: '1..1' })).body[0]];
    expect(latest).toMatchObject({ index: 3, to: 0 });
    expect(oldest).toMatchObject({ index: 1, to: seconds(2) });
  });

  it('is cut into intervals and pages', async () => {
    await givenEnvironment(api, env);
    for (let i = 0; i < 20; i++) await report([runs('api', i % 2 ? 'a' : 'b')]);
    const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i);
    expect(await indexes({})).toEqual(down(20, 6));
    expect(await indexes({ interval: '' })).toEqual(down(20, 6));
    expect(await indexes({ page: '2' })).toEqual(down(5, 1));
    expect(await indexes({ page: '3' })).toEqual([]);
    expect(await indexes({ page: '1000000' })).toEqual([]);
    expect(await indexes({ per_page: '7', page: '3' })).toEqual(down(6, 1));
    expect(await indexes({ reverse: 'true' })).toEqual(down(15, 1).reverse());
    expect(await indexes({ reverse: 'true', page: '2' })).toEqual([16, 17, 18, 19, 20]);
    expect(await indexes({ interval: '5..10' })).toEqual(down(10, 5));
    expect(await indexes({ interval: '5..10', per_page: '4', page: '2' })).toEqual([6, 5]);
    expect(await indexes({ interval: '5..10', per_page: '4', page: '2', reverse: 'true' })).toEqual([9, 10]);
    expect(await indexes({ interval: '~2..NOW' })).toEqual([20, 19, 18]);
    expect(await indexes({ interval: '..3' })).toEqual([3, 2, 1]);
    expect(await indexes({ interval: '19..' })).toEqual([20, 19]);
    expect(await indexes({ interval: '19..500' })).toEqual([20, 19]);
    expect(await list({ interval: '10..5' })).toMatchObject({
      status: 400,
      body: { errors: { 'query.interval': expect.stringContaining('begins at 10 and ends at 5') } },
    });
    expect(await indexes({ interval: 'NOW' })).toEqual([20]);
    expect(await indexes({ interval: '5' })).toEqual([5]);
    expect(await indexes({ interval: '21' })).toEqual([]);
    expect((await list({ interval: 'five' })).status).toBe(400);
    expect((await list({ page: '0' })).status).toBe(400);
  });

  it('is empty before the first report, and a 404 for an unknown environment', async () => {
    await givenEnvironment(api, env);
    expect(await list()).toMatchObject({ status: 200, body: [] });
    expect((await list({}, 'nothing-here')).status).toBe(404);
    const other = await api.givenOrg(`other-list-${count}`);
    expect((await api.call(listSnapshots, { params: { env_name: env }, key: other.keys.admin })).status).toBe(403);
    for (const role of roles) {
      expect((await api.call(listSnapshots, { params: { env_name: env }, key: api.org.keys[role] })).status).toBe(200);
    }
  });
});
