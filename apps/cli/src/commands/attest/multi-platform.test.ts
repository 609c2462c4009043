import {
  assertArtifact,
  explainEnvironment,
  getArtifact,
  getSnapshot,
  reportDocker,
  reportK8s,
  searchSha,
} from '@waymark/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blob, descriptor, givenImage, givenIndex, OCI } from '../../../../../packages/fingerprint/src/given-image.ts';
import { givenRegistry, pushImage, pushManifest } from '../../../../../packages/fingerprint/src/given-registry.ts';
import { reevaluationProcessor } from '../../../../server/src/features/runtime-verdicts/reevaluation/reevaluation.processor.ts';
import { takeReevaluations } from '../../../../server/src/features/runtime-verdicts/reevaluation/reevaluation-queue.ts';
import { replayDecisions } from '../../../../server/src/features/runtime-verdicts/replay.reads.ts';
import { givenEnvironment } from '../../../../server/test/given/environments.ts';
import { givenFlow } from '../../../../server/test/given/evidence.ts';
import { givenAttached, givenPolicy, policyText } from '../../../../server/test/given/policies.ts';
import { givenTurns } from '../../../../server/test/given/turns.ts';
import { noLog, startApi, type TestOrg } from '../../../../server/test/harness.ts';
import { GITHUB_BUILD } from '../../../test/given-build.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const other = await api.givenOrg('other');
const cli = await givenSignedIn(api);
const turns = await givenTurns(
  api,
  reevaluationProcessor(() => undefined),
);
const registry = await givenRegistry();
afterAll(registry.stop);
const { index, arm64, amd64, provenance } = givenIndex();
const image = `oci://${registry.host}/acme/web:1.9.1`;

beforeAll(async () => {
  const to = { host: registry.host, repository: 'acme/web' };
  for (const pushed of [arm64, amd64, provenance]) await pushImage(to, pushed);
  await pushManifest(to, index, '1.9.1');
  const rules = 'provenance: { required: true }\nattestations:\n  - { name: tests, type: generic }';
  for (const org of [api.org, other]) {
    await givenPolicy(api, 'tested', policyText(rules), org);
    for (const [name, type] of [
      ['cluster', 'K8S'],
      ['host', 'docker'],
    ] as const) {
      await givenEnvironment(api, name, type, {}, org);
      await givenAttached(api, name, ['tested'], org);
    }
  }
});

const run = (flow: string, ...line: string[]) =>
  cli.run(line, { env: { ...GITHUB_BUILD, WAYMARK_FLOW: flow, WAYMARK_TRAIL: 't' } });

const attestTests = (flow: string, fingerprint: string) =>
  run(flow, 'attest', 'generic', '--name', 'tests', '--artifact', `sha256:${fingerprint}`, '--compliant');

async function cluster(fingerprint: string, org: TestOrg = api.org): Promise<void> {
  const pod = { digests: { web: fingerprint }, podName: 'web-1', namespace: 'shop', creationTimestamp: 1 };
  const answer = await api.call(reportK8s, {
    params: { org: org.name, env_name: 'cluster' },
    key: org.keys.snapshotter,
    body: { artifacts: [{ ...pod, owners: [] }] },
  });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
}

async function host(fingerprint: string): Promise<void> {
  const answer = await api.call(reportDocker, {
    params: { env_name: 'host' },
    key: api.org.keys.snapshotter,
    body: { artifacts: [{ digests: { web: fingerprint }, creationTimestamp: 1 }] },
  });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
}

async function settle(): Promise<void> {
  do await turns.untilDone();
  while ((await takeReevaluations({ db: api.db, log: noLog })) > 0);
}

async function running(environment: string, org: TestOrg = api.org) {
  const { body } = await api.call(getSnapshot, {
    params: { org: org.name, env_name: environment, snapshot_expression: '-1' },
    key: org.keys.reader,
  });
  return body.artifacts.find(({ annotation }) => annotation.type !== 'exited');
}

async function because(environment: string): Promise<string> {
  return JSON.stringify((await api.call(explainEnvironment, { params: { env_name: environment } })).body);
}

it('does not know a platform image before its index is attested, and re-evaluates it when that arrives', async () => {
  await givenFlow(api, 'shop', 'version: 1\n');
  await cluster(arm64.manifest.digest);
  expect(await running('cluster')).toMatchObject({ compliance: 'non-compliant', flows: [] });
  expect(await run('shop', 'attest', 'artifact', image)).toMatchObject({ code: 0 });
  await settle();
  expect(await running('cluster')).toMatchObject({ compliance: 'non-compliant', flow_name: 'shop' });
  expect(await attestTests('shop', index.digest)).toMatchObject({ code: 0 });
  await settle();
  expect(await running('cluster')).toMatchObject({
    annotation: { type: 'became-compliant' },
    compliance: 'compliant',
    fingerprint: arm64.manifest.digest,
    flows: [
      {
        flow_name: 'shop',
        compliance: 'compliant',
        reported_as: { fingerprint: index.digest, platform: 'linux/arm64/v8' },
      },
    ],
  });
  expect(await because('cluster')).toContain(`It is the linux/arm64/v8 image of index ${index.digest.slice(0, 12)}.`);
});

it('recognizes the other platform and the index itself where they start', async () => {
  for (const { digest } of [amd64.manifest, index]) {
    await host(digest);
    expect(await running('host')).toMatchObject({ fingerprint: digest, compliance: 'compliant', flow_name: 'shop' });
  }
  expect(await because('host')).not.toContain('image of index');
});

it('finds the index by the digest of a platform, and shows where the platforms run', async () => {
  const found = await api.call(searchSha, { params: { sha: arm64.manifest.digest.slice(0, 12) } });
  expect(found).toMatchObject({
    status: 200,
    body: {
      resolved_to: { type: 'fingerprint', full_match: arm64.manifest.digest },
      artifacts: [
        {
          fingerprint: index.digest,
          flow: 'shop',
          related_by_platform: 'linux/arm64/v8',
          running_in: expect.arrayContaining(['cluster', 'host']),
        },
      ],
    },
  });
  const params = { flow_name: 'shop', fingerprint: amd64.manifest.digest };
  expect((await api.call(getArtifact, { params })).body).toMatchObject({ fingerprint: index.digest });
  const asserted = await run('shop', 'assert', 'artifact', `sha256:${arm64.manifest.digest}`, '--env', 'cluster');
  expect(asserted).toMatchObject({ code: 0 });
  expect(await run('shop', 'where', arm64.manifest.digest)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/running +cluster/),
  });
});

it('knows an index by its platform images only when each of them was attested', async () => {
  const digests = { arm64: givenImage('arm64-2').manifest, amd64: givenImage('amd64-2').manifest };
  const images = [givenImage('arm64-2'), givenImage('amd64-2')];
  const manifests = (['arm64', 'amd64'] as const).map((architecture) => ({
    ...descriptor(digests[architecture]),
    platform: { os: 'linux', architecture },
  }));
  const second = blob({ schemaVersion: 2, mediaType: OCI.index, manifests }, OCI.index);
  const to = { host: registry.host, repository: 'acme/web' };
  for (const pushed of images) await pushImage(to, pushed);
  await pushManifest(to, second, '2.0.0');
  const next = `oci://${registry.host}/acme/web:2.0.0`;
  const short = (text: string) => text.slice(0, 12);
  await givenFlow(api, 'matrix', 'version: 1\n');
  const refused = await run('matrix', 'attest', 'artifact', next, '--platform', 'linux/s390x');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('linux/arm64, linux/amd64')]);
  expect(await run('matrix', 'attest', 'artifact', next, '--platform', 'linux/arm64')).toMatchObject({
    code: 0,
    stdout: `sha256:${digests.arm64.digest}  ${next.slice('oci://'.length)}\n`,
  });
  expect(await attestTests('matrix', digests.arm64.digest)).toMatchObject({ code: 0 });

  await host(digests.arm64.digest);
  expect(await running('host')).toMatchObject({ compliance: 'compliant' });
  await host(digests.amd64.digest);
  expect(await running('host')).toMatchObject({ compliance: 'non-compliant', flows: [] });
  expect(await because('host')).toContain(
    `It is the linux/amd64 image of index ${short(second.digest)}, of which linux/arm64 was reported.`,
  );
  await host(second.digest);
  expect(await running('host')).toMatchObject({ compliance: 'non-compliant', flows: [] });
  expect(await because('host')).toContain(`No flow has reported the linux/amd64 image ${short(digests.amd64.digest)}`);
  const unasserted = await run('matrix', 'assert', 'artifact', `sha256:${second.digest}`, '--env', 'host');
  expect(unasserted).toMatchObject({ code: 3 });

  expect(await run('matrix', 'attest', 'artifact', next, '--platform', 'linux/amd64')).toMatchObject({ code: 0 });
  await settle();
  expect(await running('host')).toMatchObject({ compliance: 'non-compliant', flow_name: 'matrix' });
  expect(await because('host')).toContain('Image for linux/amd64: In flow');
  expect(await attestTests('matrix', digests.amd64.digest)).toMatchObject({ code: 0 });
  await settle();
  expect(await running('host')).toMatchObject({
    fingerprint: second.digest,
    compliance: 'compliant',
    flows: [{ flow_name: 'matrix', reported_as: { fingerprint: digests.amd64.digest, platform: 'linux/amd64' } }],
  });
  const found = await api.call(searchSha, { params: { sha: second.digest } });
  expect(found.body.artifacts.map(({ fingerprint }) => fingerprint).sort()).toEqual(
    [digests.arm64.digest, digests.amd64.digest].sort(),
  );
});

it('does not take an attestation manifest for a platform', async () => {
  await host(provenance.manifest.digest);
  expect(await running('host')).toMatchObject({ compliance: 'non-compliant', flows: [] });
});

it('shows another org nothing', async () => {
  await cluster(arm64.manifest.digest, other);
  await settle();
  expect(await running('cluster', other)).toMatchObject({ compliance: 'non-compliant', flows: [] });
  const params = { org: other.name, sha: arm64.manifest.digest };
  expect(await api.call(searchSha, { params, key: other.keys.reader })).toMatchObject({ status: 404 });
  const asked = { org: other.name, fingerprint: arm64.manifest.digest };
  expect(await api.call(assertArtifact, { params: asked, key: other.keys.reader })).toMatchObject({ status: 404 });
});

it('replays the decisions', async () => {
  expect(await replayDecisions(api.db)).toMatchObject({ differences: 0, otherEngines: 0 });
});
