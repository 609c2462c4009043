import { assertArtifact, getSnapshot, reportArtifact } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { artifact, attest, fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { givenAttached, givenPolicy, policyText } from '../../../test/given/policies.ts';
import { givenRunning, reevaluateAll } from '../../../test/given/runs.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
const RULES = 'provenance: { required: true }\ntrail-compliance: { required: true }';

beforeAll(async () => {
  await givenPolicy(api, 'rules', policyText(RULES));
});

let count = 0;
async function givenPlace(): Promise<{ flow: string; environment: string }> {
  const [flow, environment] = [`flow-${++count}`, `env-${count}`];
  await givenFlow(api, flow, 'version: 1\n');
  await givenEnvironment(api, environment, 'server');
  await givenAttached(api, environment, ['rules']);
  return { flow, environment };
}

const platforms = (...digits: string[]) =>
  Object.fromEntries(digits.map((digit, i) => [`platform_linux_arch${i}`, `sha256:${fingerprint(digit)}`]));

async function running(environment: string) {
  await reevaluateAll(api, environment);
  const params = { env_name: environment, snapshot_expression: '-1' };
  const { body } = await api.call(getSnapshot, { params });
  return body.artifacts.find(({ annotation }) => annotation.type !== 'exited');
}

const failTests = (flow: string, trail: string, digit: string) =>
  attest(api, flow, trail, {
    attestation_name: 'tests',
    is_compliant: false,
    artifact_fingerprint: fingerprint(digit),
  });

describe('evidence on an image index', () => {
  it('counts for its platforms, and evidence that fails on one platform for that platform and the index', async () => {
    const { flow, environment } = await givenPlace();
    await givenArtifact(api, flow, '1', { trail_name: 't', annotations: platforms('2', '3') });
    await givenArtifact(api, flow, '2', { trail_name: 't' });
    await failTests(flow, 't', '2');
    await givenRunning(api, environment, { app: '3' });
    expect(await running(environment)).toMatchObject({ compliance: 'compliant', flow_name: flow });
    for (const digit of ['2', '1']) {
      await givenRunning(api, environment, { app: digit });
      expect(await running(environment), digit).toMatchObject({
        compliance: 'non-compliant',
        flows: [{ compliance: 'non-compliant' }],
      });
    }
  });

  it('counts from the newest index of a flow when an image is rebuilt with the same digest', async () => {
    const { flow, environment } = await givenPlace();
    await givenArtifact(api, flow, '4', { trail_name: 'first', annotations: platforms('6') });
    await failTests(flow, 'first', '4');
    await givenRunning(api, environment, { app: '6' });
    expect(await running(environment)).toMatchObject({ compliance: 'non-compliant' });
    await givenArtifact(api, flow, '5', { trail_name: 'second', annotations: platforms('6', '7') });
    expect(await running(environment)).toMatchObject({
      compliance: 'compliant',
      flows: [{ trail_name: 'second', reported_as: { fingerprint: fingerprint('5'), platform: 'linux/arch0' } }],
    });
  });

  it('counts no longer for an image that the newest report of the index leaves out', async () => {
    const { flow, environment } = await givenPlace();
    await givenArtifact(api, flow, '8', { annotations: platforms('9', 'a') });
    await givenRunning(api, environment, { app: '9' });
    expect(await running(environment)).toMatchObject({ compliance: 'compliant' });
    await givenArtifact(api, flow, '8', {});
    expect(await running(environment)).toMatchObject({ compliance: 'compliant' });
    await givenArtifact(api, flow, '8', { annotations: platforms('a') });
    expect(await running(environment)).toMatchObject({ compliance: 'non-compliant', flows: [] });
  });
});

it('asserts a platform image in the flow of its index', async () => {
  const { flow } = await givenPlace();
  await givenArtifact(api, flow, 'b', { annotations: platforms('c') });
  const asked = { params: { fingerprint: 'ccccccc' }, query: { flow_name: flow } };
  expect(await api.call(assertArtifact, asked)).toMatchObject({ status: 200, body: { compliant: true } });
  await failTests(flow, 'b'.repeat(40), 'b');
  expect(await api.call(assertArtifact, asked)).toMatchObject({ status: 200, body: { compliant: false } });
});

it('refuses an index that does not list the artifact, and writes nothing', async () => {
  const { flow } = await givenPlace();
  const body = artifact('d', { annotations: { image_index: `sha256:${fingerprint('e')}`, ...platforms('f') } });
  expect(await api.call(reportArtifact, { params: { flow_name: flow }, body })).toMatchObject({
    status: 400,
    body: { errors: { 'annotations.image_index': expect.stringContaining('platform_…') } },
  });
  const rows = await api.db
    .selectFrom('image_platform')
    .select('platform')
    .where('org_id', '=', api.org.id)
    .where('index_fingerprint', '=', fingerprint('e'))
    .execute();
  expect(rows).toEqual([]);
});

it('shows what runs even if it was stored with an index that does not list it', async () => {
  const { flow, environment } = await givenPlace();
  const filename = 'told-before.tgz';
  await givenArtifact(api, flow, 'd', { fingerprint: 'de'.repeat(32), filename });
  const content = JSON.stringify({ annotations: { image_index: `sha256:${fingerprint('e')}` } });
  const stored = await sql`
    update artifact set content = ${content} where org_id = ${api.org.id} and filename = ${filename}`.execute(api.db);
  expect(stored.numAffectedRows).toBe(1n);
  await givenRunning(api, environment, { app: 'de'.repeat(32) });
  const params = { env_name: environment, snapshot_expression: '-1' };
  expect(await api.call(getSnapshot, { params })).toMatchObject({
    status: 200,
    body: { artifacts: [{ fingerprint: 'de'.repeat(32), compliance: 'compliant', flow_name: flow }] },
  });
});

it('keeps one list of platforms when reports of one index race', async () => {
  const { flow } = await givenPlace();
  const reports = Array.from({ length: 16 }, (_, i) =>
    givenArtifact(api, flow, 'e', { trail_name: `t${i}`, annotations: platforms(i % 2 === 0 ? '0' : 'f', 'd') }),
  );
  await Promise.all(reports);
  const rows = await api.db
    .selectFrom('image_platform')
    .select(['platform_fingerprint', 'is_listed'])
    .where('org_id', '=', api.org.id)
    .where('index_fingerprint', '=', fingerprint('e'))
    .orderBy('platform_fingerprint')
    .execute();
  expect(rows.filter((row) => row.is_listed)).toHaveLength(2);
  expect(rows).toContainEqual({ platform_fingerprint: fingerprint('d'), is_listed: true });
});
