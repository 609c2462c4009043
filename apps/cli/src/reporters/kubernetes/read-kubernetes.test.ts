import { K8sReport, reportK8s } from '@waymark/contract';
import { afterEach, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../server/test/given/environments.ts';
import { startApi } from '../../../../server/test/harness.ts';
import {
  EXPIRED,
  type FakeKubernetes,
  FORBIDDEN,
  fixture,
  startKubernetes,
  UNAUTHORIZED,
} from '../fixtures/fake-kubernetes.ts';
import { httpApi } from './http-api.ts';
import type { Pod } from './pod.ts';
import { readKubernetes } from './read-kubernetes.ts';
import type { KubernetesOptions } from './selection.ts';

const server = await startApi();
const { items } = await fixture<{ items: Pod[] }>('pods.json');
const clusters: FakeKubernetes[] = [];

afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster.close();
});

async function givenCluster(pods: readonly Pod[] = items): Promise<FakeKubernetes> {
  const cluster = await startKubernetes(pods);
  clusters.push(cluster);
  return cluster;
}

function read(cluster: FakeKubernetes, options: KubernetesOptions = {}) {
  return readKubernetes(
    httpApi(async () => ({ server: cluster.url, token: 'secret-of-the-cluster' })),
    options,
  );
}

function givenPod(
  name: string,
  more: { namespace?: string; image?: string; imageID?: string; annotations?: object } = {},
): Pod {
  const {
    namespace = 'shop',
    image = 'ghcr.io/acme/web:1',
    imageID = `ghcr.io/acme/web@sha256:${'a'.repeat(64)}`,
  } = more;
  const metadata = { name, namespace, uid: `uid-${name}`, creationTimestamp: '2026-03-02T08:00:00Z' };
  return {
    metadata: { ...metadata, ...(more.annotations && { annotations: more.annotations }) },
    spec: { containers: [{ name: 'web', image }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'web', image, imageID, state: { running: {} } }] },
  };
}

it('reports what runs, with owners, and leaves out what ended or never started', async () => {
  const { type, artifacts } = await read(await givenCluster());
  expect(type).toBe('K8S');
  expect(
    Object.fromEntries(artifacts.map(({ namespace, podName, digests }) => [`${namespace}/${podName}`, digests])),
  ).toEqual({
    'kube-system/coredns-1': { 'registry.k8s.io/coredns/coredns:v1.12.0': '5'.repeat(64) },
    'kube-system/going-1': { 'ghcr.io/acme/log:1': '7'.repeat(64) },
    'kube-system/static-1': { 'ghcr.io/acme/static:1': '' },
    'ops/backup-29000060-fffff': { 'ghcr.io/acme/backup:1': '1'.repeat(64) },
    'ops/debugged-1': { 'ghcr.io/acme/api:7': '2'.repeat(64), 'docker.io/library/busybox:1.36': '3'.repeat(64) },
    'shop/cart-5c6d7-ccccc': { 'ghcr.io/acme/cart:2': 'b'.repeat(64), 'ghcr.io/acme/proxy:3': 'd'.repeat(64) },
    'shop/loop-9f8e7-ddddd': { 'ghcr.io/acme/loop:4': 'f'.repeat(64) },
    'shop/seed-1a2b3': { 'ghcr.io/acme/wait:1': 'e'.repeat(64) },
    'shop/web-7d4b9-aaaaa': { 'ghcr.io/acme/web:1.9.1': 'a'.repeat(64) },
    'shop/web-7d4b9-bbbbb': { 'ghcr.io/acme/web:1.9.1': 'a'.repeat(64) },
  });
  expect(artifacts.find(({ podName }) => podName === 'web-7d4b9-aaaaa')).toMatchObject({
    creationTimestamp: Date.parse('2026-03-02T08:00:01Z') / 1000,
    owners: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7d4b9', controller: true, blockOwnerDeletion: true },
    ],
  });
});

it('makes a report that the server accepts, and the same bytes for any order of pods', async () => {
  const report = await read(await givenCluster());
  const reversed = await read(await givenCluster([...items].reverse()));
  expect(JSON.stringify(reversed)).toBe(JSON.stringify(report));
  await givenEnvironment(server, 'prod', 'K8S');
  const call = { params: { org: server.org.name, env_name: 'prod' }, body: report };
  expect((await server.call(reportK8s, call)).headers['waymark-snapshot']).toBe('1; created');
  expect((await server.call(reportK8s, call)).headers['waymark-snapshot']).toBe('1; unchanged');
});

it('lists namespace by namespace where all are named, so that permissions can be limited to them', async () => {
  const cluster = await givenCluster();
  cluster.refuse = ({ path }) => (path === '/api/v1/pods' ? FORBIDDEN : undefined);
  const { artifacts } = await read(cluster, { namespaces: ['shop', 'ops', 'shop'] });
  expect(cluster.asked.map(({ path }) => path)).toEqual([
    '/api/v1/namespaces/shop/pods',
    '/api/v1/namespaces/ops/pods',
  ]);
  expect(new Set(artifacts.map(({ namespace }) => namespace))).toEqual(new Set(['shop', 'ops']));
});

it.each<[KubernetesOptions, string[]]>([
  [{ namespaces: ['^sh', 'ops'] }, ['ops', 'shop']],
  [{ excludeNamespaces: ['^kube-'] }, ['ops', 'shop']],
  [{ excludeNamespaces: ['kube-system', 'o'] }, ['ops', 'shop']],
  [{ namespaces: ['shop', 'ops'], excludeNamespaces: ['^o.*s$'] }, ['shop']],
  [{ labelSelector: 'app=web' }, ['shop']],
])('selects by %j', async (options, namespaces) => {
  const { artifacts } = await read(await givenCluster(), options);
  expect([...new Set(artifacts.map(({ namespace }) => namespace))]).toEqual(namespaces);
});

it.each<[KubernetesOptions, string]>([
  [{ namespaces: ['Shop Floor'] }, '"Shop Floor" is not the name of a namespace'],
  [{ namespaces: ['../secrets'] }, '"../secrets" is not the name of a namespace'],
  [{ namespaces: ['^('] }, '"^(" is not a pattern for namespaces'],
  [{ namespaces: ['shop'], excludeNamespaces: ['shop'] }, 'All selected namespaces are also excluded'],
])('refuses %j', async (options, message) => {
  const cluster = await givenCluster();
  await expect(read(cluster, options)).rejects.toMatchObject({
    ending: 'usage',
    message: expect.stringContaining(message),
  });
  expect(cluster.asked).toEqual([]);
});

it('reads 5,000 pods with giant annotations page by page', async () => {
  const giant = { config: 'x'.repeat(250_000) };
  const many = Array.from({ length: 5000 }, (_, index) =>
    givenPod(`web-${String(index).padStart(4, '0')}`, {
      annotations: index % 100 === 0 ? giant : { note: 'x'.repeat(500) },
    }),
  );
  const cluster = await givenCluster(many);
  const { artifacts } = await read(cluster);
  expect(artifacts).toHaveLength(5000);
  expect(cluster.asked).toHaveLength(20);
  expect(JSON.stringify(artifacts).length).toBeLessThan(2_000_000);
});

it('starts over when the list expires between two pages, and never reports a part of it', async () => {
  const cluster = await givenCluster(Array.from({ length: 600 }, (_, index) => givenPod(`web-${index}`)));
  let expired = 0;
  cluster.refuse = ({ query }) => {
    if (!query['continue']?.endsWith(':500') || expired === 2) return undefined;
    expired += 1;
    return EXPIRED;
  };
  const { artifacts } = await read(cluster);
  expect(artifacts).toHaveLength(600);
  expect(cluster.asked).toHaveLength(9);
});

it('lists without pages when they always expire', async () => {
  const cluster = await givenCluster(Array.from({ length: 300 }, (_, index) => givenPod(`web-${index}`)));
  cluster.refuse = ({ query }) => (query['continue'] ? EXPIRED : undefined);
  expect((await read(cluster)).artifacts).toHaveLength(300);
  expect(cluster.asked.at(-1)?.query).toEqual({});
});

it('names the missing permission, and never the token', async () => {
  const cluster = await givenCluster();
  cluster.refuse = () => FORBIDDEN;
  const refused = await read(cluster).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    ending: 'denied',
    message: 'The cluster refused to list its pods (403)',
    why: FORBIDDEN.message,
    fix: expect.stringContaining('get, list, and watch on pods'),
  });
  expect(JSON.stringify([refused, String(refused), (refused as Error).stack])).not.toContain('secret-of-the-cluster');
  cluster.refuse = () => UNAUTHORIZED;
  await expect(read(cluster)).rejects.toMatchObject({
    ending: 'denied',
    message: 'The cluster refused to list its pods (401)',
  });
});

it('retries transient errors, and respects the delay of the server', async () => {
  const cluster = await givenCluster();
  const failures = [500, 429];
  cluster.refuse = () => {
    const status = failures.shift();
    return status === undefined
      ? undefined
      : { status, reason: 'x', message: 'later', headers: { 'retry-after': '0' } };
  };
  expect((await read(cluster)).artifacts).toHaveLength(10);
  expect(cluster.asked).toHaveLength(3);
});

it('is unavailable when nothing, or no cluster, answers', async () => {
  const cluster = await givenCluster();
  cluster.refuse = () => ({
    status: 500,
    reason: 'InternalError',
    message: 'etcd is gone',
    headers: { 'retry-after': '0' },
  });
  await expect(read(cluster)).rejects.toMatchObject({ ending: 'unavailable', why: 'etcd is gone' });
  cluster.answerWith = (_, answer) => {
    answer.end(JSON.stringify({ hello: 'world' }));
    return true;
  };
  await expect(read(cluster)).rejects.toMatchObject({ message: expect.stringContaining('not a list of pods') });
  cluster.answerWith = (_, answer) => {
    answer.end('<html>sign in</html>');
    return true;
  };
  await expect(read(cluster)).rejects.toMatchObject({ message: expect.stringContaining('not JSON') });
  await cluster.close();
  await expect(read(cluster)).rejects.toMatchObject({
    ending: 'unavailable',
    message: 'The cluster cannot be reached',
  });
});

it('sends no token unencrypted to another machine', async () => {
  const api = httpApi(async () => ({ server: 'http://192.0.2.1:8001', token: 'secret-of-the-cluster' }));
  await expect(readKubernetes(api)).rejects.toMatchObject({
    ending: 'denied',
    message: expect.stringContaining('is not https'),
  });
});

it('keeps a report valid whatever the names and ids', async () => {
  const control = 'web\u0000\n\u001b[31m\ud800:1';
  const pods = [
    givenPod('odd', { image: control }),
    givenPod('proto', { image: '__proto__' }),
    givenPod('built-in', { image: 'constructor' }),
    givenPod('long', { image: 'x'.repeat(2000), imageID: 'x'.repeat(64) }),
    givenPod('upper', { imageID: `docker://sha256:${'A'.repeat(64)}` }),
    givenPod('empty', { image: '' }),
    givenPod(`pod\u0007-${'y'.repeat(400)}`),
    {
      metadata: { namespace: 'x', creationTimestamp: 'never' },
      status: { containerStatuses: [{ state: { running: {} } }] },
    },
    { status: {} },
    {},
  ];
  const report = await read(await givenCluster(pods));
  expect(K8sReport.safeParse(report).error).toBeUndefined();
  expect(report.artifacts).toHaveLength(8);
  expect(report.artifacts.flatMap(({ digests }) => Object.keys(digests))).toContain(
    'web\uFFFD\uFFFD\uFFFD[31m\uFFFD:1',
  );
  await givenEnvironment(server, 'odd', 'K8S');
  const call = { params: { org: server.org.name, env_name: 'odd' }, body: report };
  expect((await server.call(reportK8s, call)).status).toBe(200);
});

it('distinguishes two containers of one image that were pulled at different times', async () => {
  const image = 'ghcr.io/acme/web:latest';
  const status = (name: string, imageID: string) => ({ name, image, imageID, state: { running: {} } });
  const pod: Pod = {
    metadata: { name: 'web', namespace: 'shop', uid: 'u' },
    status: {
      phase: 'Running',
      containerStatuses: [
        status('a', `x@sha256:${'a'.repeat(64)}`),
        status('b', `x@sha256:${'b'.repeat(64)}`),
        status('c', ''),
        status('d', `x@sha256:${'a'.repeat(64)}`),
      ],
    },
  };
  const { artifacts } = await read(await givenCluster([pod]));
  expect(artifacts[0]?.digests).toEqual({
    [image]: 'a'.repeat(64),
    [`${image}@sha256:${'b'.repeat(64)}`]: 'b'.repeat(64),
    [`${image}@unidentified`]: '',
  });
});

it('refuses to report more pods than one report may list', async () => {
  const cluster = await givenCluster();
  let page = 0;
  cluster.answerWith = (_, answer) => {
    page += 1;
    const items = Array.from({ length: 5000 }, (_, index) => givenPod(`web-${page}-${index}`));
    answer.end(JSON.stringify({ kind: 'PodList', metadata: { resourceVersion: '1', continue: 'more' }, items }));
    return true;
  };
  await expect(read(cluster)).rejects.toMatchObject({
    ending: 'usage',
    message: expect.stringContaining('More than 20000 pods'),
  });
});

it('stops at once when it is aborted', async () => {
  const cluster = await givenCluster();
  const stop = new AbortController();
  cluster.answerWith = () => {
    stop.abort();
    return true;
  };
  const api = httpApi(async () => ({ server: cluster.url }));
  await expect(readKubernetes(api, {}, stop.signal)).rejects.toThrow('aborted');
  expect(cluster.asked).toHaveLength(1);
});
