import { getSnapshot, renameEnvironment, renameFlow } from '@waymark/contract';
import { beforeEach, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { fingerprint, givenArtifact, givenFlow } from '../../../../test/given/evidence.ts';
import { startApi } from '../../../../test/harness.ts';

const api = await startApi();
let env = '';
let flow = '';
let count = 0;

const later = (days: number) => {
  api.clock.now = new Date(api.clock.now.getTime() + days * 24 * 3_600_000);
};

async function report(digit: string): Promise<void> {
  const answer = await api.inject({
    method: 'PUT',
    url: `/api/v2/environments/acme/${env}/report/server`,
    headers: { authorization: `Bearer ${api.org.keys.snapshotter}` },
    payload: { artifacts: [{ digests: { api: fingerprint(digit) }, creationTimestamp: 1000 }] },
  });
  expect(answer.status).toBe(200);
}

function get(expression: string, ifNoneMatch?: string, name = env) {
  return api.call(getSnapshot, {
    params: { env_name: name, snapshot_expression: expression },
    ...(ifNoneMatch !== undefined && { headers: { 'if-none-match': ifNoneMatch } }),
  });
}

const tagOf = async (expression: string, name = env) =>
  String((await get(expression, undefined, name)).headers['etag']);

/** Two snapshots, the first of an artifact that was reported into the flow. */
beforeEach(async () => {
  [env, flow] = [`prod-${++count}`, `build-${count}`];
  await givenFlow(api, flow);
  await givenArtifact(api, flow, '1');
  await givenEnvironment(api, env);
  await report('1');
  await report('2');
});

it('is not sent again to a client that has it', async () => {
  const first = await get('1');
  const etag = String(first.headers['etag']);
  expect(first.status).toBe(200);
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  expect(first.headers['cache-control']).toBe('private, no-cache');

  for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await get('1', sent);
    expect(again).toMatchObject({ status: 304, body: '', headers: { etag, 'cache-control': 'private, no-cache' } });
    expect(again.headers['content-type']).toBeUndefined();
  }
  for (const sent of ['"other"', etag.slice(1, -1), '']) {
    expect(await get('1', sent)).toMatchObject({ status: 200, body: first.body });
  }
  expect((await get('-2', etag)).status).toBe(304);
  expect((await get('2', etag)).status).toBe(200);
});

it('has another tag once it is no longer the latest', async () => {
  const latest = await get('2');
  expect(latest.body).toMatchObject({ is_latest: true, next_snapshot_timestamp: null });
  await report('3');
  const before = await get('2', String(latest.headers['etag']));
  expect(before).toMatchObject({
    status: 200,
    body: { is_latest: false, next_snapshot_timestamp: expect.any(Number) },
  });
  expect((await get('2', String(before.headers['etag']))).status).toBe(304);
});

it('has another tag when the flow or the environment that it names is renamed', async () => {
  const etag = await tagOf('1');
  const renamed = await api.call(renameFlow, { params: { flow_name: flow }, body: { new_name: `${flow}-x` } });
  expect(renamed.status).toBe(200);
  const answer = await get('1', etag);
  expect(answer.status).toBe(200);
  expect(JSON.stringify(answer.body)).toContain(`${flow}-x`);

  const next = String(answer.headers['etag']);
  await api.call(renameEnvironment, { params: { env_name: env }, body: { new_name: `${env}-x` } });
  const moved = await get('1', next, `${env}-x`);
  expect(moved).toMatchObject({ status: 200, body: { html_url: expect.stringContaining(`${env}-x`) } });
});

it('keeps the tag of a past snapshot while flows are added', async () => {
  const etag = await tagOf('1');
  later(2);
  await givenFlow(api, `${flow}-later`);
  expect((await get('1', etag)).status).toBe(304);
});

it('does not answer 304 to another org', async () => {
  const etag = await tagOf('1');
  const other = await api.givenOrg(`other-${count}`);
  const answer = await api.call(getSnapshot, {
    params: { env_name: env, snapshot_expression: '1' },
    headers: { 'if-none-match': etag },
    key: other.keys.admin,
  });
  expect(answer.status).toBe(403);
});
