import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { version } from '../../apps/cli/src/run/version.ts';
import { CHARTS } from '../charts/helm.ts';
import { buildImages } from '../image/build-images.ts';
import { underLoad } from '../install/under-load.ts';
import { buildPackage } from '../release/build-cli.ts';
import { isFull } from '../test-size.ts';
import type { Cluster } from './cluster.ts';
import { pushImage } from './images.ts';
import { administrate, flowsIn, helm, install, NAMESPACE, serviceUrl } from './installation.ts';
import { until } from './parts.ts';
import { prepareCluster } from './prepared-cluster.ts';
import { findObstacle, VERSION } from './programs.ts';

const LONG_MS = 3 * 3_600_000;
/** From `helm install` to a green verdict. */
const MOST_SECONDS = 300;

const obstacle = findObstacle();
const runs = isFull || obstacle === undefined;
if (!runs) console.log(`Kubernetes ${VERSION} is not tested: ${obstacle}`);

describe.runIf(runs)('the charts in a real Kubernetes', { timeout: LONG_MS }, () => {
  const work = mkdtempSync(join(tmpdir(), 'waymark-k8s-'));
  let cluster: Cluster;
  let secrets = '';
  let token = '';

  /** Runs the command line where it reaches the Service. */
  const waymark = (...args: string[]): string => {
    const env = [`WAYMARK_HOST=${serviceUrl(cluster)}`, 'WAYMARK_ORG=acme', `WAYMARK_TOKEN=${token}`];
    return cluster.run('env', ['-C', work, ...env, process.execPath, join(work, 'cli/dist/waymark.js'), ...args]);
  };
  const inNamespace = (...args: string[]): string => cluster.kubectl('--namespace', NAMESPACE, ...args);

  beforeAll(async () => {
    const images = join(work, 'images');
    await buildImages(images, ['amd64']);
    await buildPackage(join(work, 'cli'));
    ({ cluster, secrets } = await prepareCluster(work));
    for (const name of ['waymark', 'waymark-reporter']) pushImage(cluster, images, name, `waymark/${name}:${version}`);
  }, LONG_MS);

  afterAll(async () => {
    await cluster?.stop();
    rmSync(work, { recursive: true });
  }, LONG_MS);

  it('gives a green verdict of one’s own', () => {
    const began = performance.now();
    install(cluster, secrets);
    const ready = performance.now();
    expect(administrate(cluster, 'org', 'create', 'acme')).toBe("Org 'acme' created");
    administrate(cluster, 'user', 'create', 'ada', '--org', 'acme', '--role', 'admin');
    token = administrate(cluster, 'key', 'create', '--user', 'ada');
    writeFileSync(join(work, 'hello.sh'), 'echo hello\n');
    const policy = `_schema: https://waymark.example.com/policy/v1
artifacts:
  provenance: { required: true }
  attestations:
    - { name: review, type: generic }
`;
    const resources = [
      { kind: 'flow', name: 'hello' },
      { kind: 'policy', name: 'reviewed', policy_yaml: policy },
      { kind: 'environment', name: 'prod', type: 'server', policies: ['reviewed'] },
      { kind: 'environment', name: 'cluster', type: 'K8S' },
    ];
    writeFileSync(join(work, 'hello.yml'), resources.map((each) => JSON.stringify(each)).join('\n---\n'));
    waymark('apply', '-f', 'hello.yml');
    const trail = ['--flow', 'hello', '--trail', 'first'];
    const from = ['--build-url', 'https://ci.example.com/1', '--commit-url', 'https://git.example.com/1'];
    waymark('attest', 'artifact', 'hello.sh', ...trail, ...from);
    waymark('attest', 'generic', ...trail, '--name', 'review', '--artifact', './hello.sh', '--compliant');
    waymark('snapshot', 'server', 'prod', join(work, 'hello.sh'));
    expect(waymark('why', 'prod')).toContain('prod is compliant');
    const seconds = (end: number) => (end - began) / 1000;
    const verdict = seconds(performance.now());
    console.log(
      `from helm install: ready after ${seconds(ready).toFixed(0)} s, a green verdict after ${verdict.toFixed(0)} s`,
    );
    expect(verdict).toBeLessThan(MOST_SECONDS);
  });

  it('runs two API servers and two workers after one migration, none of which was restarted', () => {
    const pods = JSON.parse(inNamespace('get', 'pods', '--output', 'json')) as {
      items: {
        metadata: { labels: Record<string, string> };
        status: { phase: string; containerStatuses: { restartCount: number }[] };
      }[];
    };
    const found = pods.items.map(({ metadata, status }) => [
      metadata.labels['app.kubernetes.io/component'],
      status.phase,
      ...status.containerStatuses.map(({ restartCount }) => restartCount),
    ]);
    expect(found.toSorted()).toEqual([
      ['api', 'Running', 0],
      ['api', 'Running', 0],
      ['migrations', 'Succeeded', 0],
      ['worker', 'Running', 0],
      ['worker', 'Running', 0],
    ]);
  });

  it('passes its own test', () => {
    const output = helm(cluster, 'test', 'waymark', '--logs', '--timeout', '10m');
    expect(output).toContain('200');
    expect(output).toMatch(/ok +NATS/);
    expect(output).not.toContain('failed ');
  });

  it('replaces every API server under load, and no request on a new connection fails', async () => {
    const users = { url: serviceUrl(cluster), org: 'acme', token, name: 'restart' };
    const seen = await underLoad(cluster.start, users, () => {
      inNamespace('rollout', 'restart', 'deployment/waymark-api');
      inNamespace('rollout', 'status', 'deployment/waymark-api', '--timeout', '10m');
    });
    console.log(
      `rolling restart: ${seen.written.length} writes and ${seen.reads} reads, ${seen.failures.length} failed`,
    );
    expect(seen.failures).toEqual([]);
    expect(seen.written.length).toBeGreaterThan(10);
    const found = flowsIn(cluster);
    expect(seen.written.filter((flow) => !found.has(flow))).toEqual([]);
  });

  it('reports what runs in the cluster with the rights of the reporter’s chart', async () => {
    waymark('sa', 'create', 'reporter', '--role', 'snapshotter');
    const key = waymark('key', 'create', 'reporter', '--sa', 'reporter', '--scope', 'snapshot', '--env', 'cluster');
    writeFileSync(join(work, 'key.txt'), key);
    inNamespace('create', 'secret', 'generic', 'waymark-reporter', `--from-file=token=${join(work, 'key.txt')}`);
    const values = [
      'host=http://waymark.waymark.svc.cluster.local',
      'org=acme',
      'environment=cluster',
      'interval=10s',
      'token.existingSecret=waymark-reporter',
      `namespaces={${NAMESPACE}}`,
    ];
    const set = values.flatMap((value) => ['--set', value]);
    helm(cluster, 'install', 'reporter', join(CHARTS, 'waymark-reporter'), ...set, '--wait', '--timeout', '10m');

    await until('the cluster is reported', () => {
      try {
        return waymark('env', 'snapshot', 'cluster').includes('waymark/waymark');
      } catch {
        return false;
      }
    });
    const canDo = (account: string, ...what: string[]): boolean => {
      try {
        inNamespace('auth', 'can-i', ...what, `--as=system:serviceaccount:${NAMESPACE}:${account}`);
        return true;
      } catch {
        return false;
      }
    };
    expect(canDo('reporter-waymark-reporter', 'list', 'pods')).toBe(true);
    expect(canDo('reporter-waymark-reporter', 'get', 'secrets')).toBe(false);
    expect(canDo('reporter-waymark-reporter', 'list', 'pods', '--namespace=default')).toBe(false);
    expect(canDo('reporter-waymark-reporter', 'delete', 'pods')).toBe(false);
    expect(canDo('waymark', 'list', 'pods')).toBe(false);
  });

  it('leaves nothing behind', async () => {
    const { folder } = cluster;
    await cluster.stop();
    expect(existsSync(folder)).toBe(false);
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(folder);
    expect(globSync('/sys/fs/cgroup/{,*/}kubepods')).toEqual([]);
    const lines = globSync('/proc/[0-9]*/cmdline').map((path) => {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return '';
      }
    });
    expect(lines.filter((line) => line.includes(folder))).toEqual([]);
  });
});
