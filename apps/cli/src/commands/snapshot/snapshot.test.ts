import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { environmentOf, givenEnvironment } from '../../../../server/test/given/environments.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { type Cli, givenSignedIn } from '../../../test/given-cli.ts';
import { fixture, startKubernetes } from '../../reporters/fixtures/fake-kubernetes.ts';
import type { Pod } from '../../reporters/kubernetes/pod.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const away = { WAYMARK_HOST: 'http://127.0.0.1:1' };

async function givenFiles(files: Readonly<Record<string, string>>, { cwd }: Cli = cli): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(cwd, name, '..'), { recursive: true });
    await writeFile(join(cwd, name), content);
  }
}

function pod(name: string, namespace = 'shop'): Pod {
  const image = `ghcr.io/acme/${name}:1`;
  const status = { name, image, imageID: `${image}@sha256:${'a'.repeat(64)}`, state: { running: {} } };
  return {
    metadata: { name, namespace, uid: `uid-${name}`, creationTimestamp: '2026-03-02T08:00:00Z' },
    status: { phase: 'Running', containerStatuses: [status] },
  };
}

async function givenCluster(pods: readonly Pod[]) {
  const cluster = await startKubernetes(pods);
  onTestFinished(() => cluster.close());
  const kubeconfig = join(cli.cwd, `kube-${Math.random()}`);
  await writeFile(
    kubeconfig,
    stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: cluster.url } }],
      users: [{ name: 'u', user: { token: 't' } }],
    }),
  );
  return { cluster, kubeconfig };
}

it('reports paths, and whether anything changed', async () => {
  await givenEnvironment(api, 'web-1');
  await givenFiles({ 'app/a.txt': 'one', 'tool.jar': 'two' });

  const first = await cli.run(['snapshot', 'server', 'web-1', 'app', '*.jar']);
  expect(first).toEqual({ code: 0, stderr: '', stdout: "Snapshot 1 of 'web-1' created: 2 started, 0 exited\n" });
  const again = await cli.run(['snapshot', 'server', 'web-1', 'app', '*.jar', '-o', 'json']);
  expect(JSON.parse(again.stdout)).toEqual({
    environment: 'web-1',
    type: 'server',
    instances: 2,
    snapshot: 1,
    created: false,
    message: "Nothing changed in 'web-1'; its latest snapshot is 1",
  });
  const second = await cli.run(['snapshot', 'path', 'web-1', 'app', '--name', 'app', '--json', 'snapshot,created']);
  expect(JSON.parse(second.stdout)).toEqual({ snapshot: 2, created: true });
  await givenFiles({ 'paths.yml': 'version: 1\nartifacts:\n  app: { path: app, exclude: [a.txt] }\n' });
  const third = await cli.run(['snapshot', 'paths', 'web-1', '-f', 'paths.yml']);
  expect(third.stdout).toBe("Snapshot 3 of 'web-1' created: 1 started, 1 exited\n");
});

it('records nothing in a dry run, and nothing when a path is missing', async () => {
  await givenEnvironment(api, 'web-2');
  await givenFiles({ 'a.txt': 'one' });

  const dry = await cli.run(['snapshot', 'path', 'web-2', 'a.txt', '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stderr: '(dry run: nothing was recorded)\n' });
  expect(dry.stdout).toBe("Snapshot 1 of 'web-2' would be created: 1 started, 0 exited\n");
  const missing = await cli.run(['snapshot', 'server', 'web-2', 'a.txt', 'b.txt']);
  expect(missing).toMatchObject({ code: 2, stdout: '', stderr: '✕ Nothing matches b.txt\n' });
  expect(await environmentOf(api, 'web-2')).toMatchObject({ latest_snapshot_index: 0 });
});

it('takes a report of any type from a file or from standard input', async () => {
  await givenEnvironment(api, 'ecs-1', 'ECS');
  const artifacts = [{ taskArn: 'arn:1', digests: { web: 'a'.repeat(64) }, creationTimestamp: 1_700_000_000 }];
  await givenFiles({ 'report.json': JSON.stringify({ type: 'ECS', artifacts }) });

  expect(await cli.run(['snapshot', 'file', 'ecs-1', 'report.json'])).toMatchObject({ code: 0 });
  const piped = await cli.run(['snapshot', 'file', 'ecs-1', '-', '--type', 'ecs'], {
    stdin: JSON.stringify({ artifacts: [] }),
  });
  expect(piped.stdout).toBe("Snapshot 2 of 'ecs-1' created: 0 started, 1 exited\n");
  const unsaid = await cli.run(['snapshot', 'file', 'ecs-1', '-'], { stdin: JSON.stringify({ artifacts }) });
  expect(unsaid).toMatchObject({ code: 2, stdout: '' });
  expect(unsaid.stderr).toContain('has no type');
});

it.each([
  [['nowhere', 'a.txt'], 5, 'nowhere'],
  [['', 'a.txt'], 2, 'ENV is empty'],
])('explains which environment is wrong: %s', async (args, code, words) => {
  await givenFiles({ 'a.txt': 'one' });
  const ran = await cli.run(['snapshot', 'path', ...args]);
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toContain(words);
});

it('spools the newest report while the service is unavailable', async () => {
  await givenEnvironment(api, 'web-3');
  const other = await givenSignedIn(api);
  await givenFiles({ 'a.txt': 'one', 'b.txt': 'two' }, other);
  const line = (file: string, ...more: string[]) =>
    other.run(['snapshot', 'path', 'web-3', file, ...more], { env: away });

  expect(await line('a.txt')).toMatchObject({ code: 0, stdout: 'The report on web-3 is spooled\n' });
  expect(await line('b.txt', '--strict')).toMatchObject({ code: 9 });
  expect(await line('b.txt', '--on-unavailable', 'fail')).toMatchObject({ code: 7, stdout: '' });
  expect(await line('b.txt', '--on-unavailable', 'ignore')).toMatchObject({ code: 0 });
  const status = await other.run(['spool', 'status', '--json'], { env: away });
  expect(JSON.parse(status.stdout)).toMatchObject({ waiting: [{ operation: 'reportServer' }] });
});

it('reports a Docker host', async () => {
  await givenEnvironment(api, 'host-1', 'docker');
  const containers = await fixture<unknown>('docker-containers.json');
  const images = await fixture<Record<string, object>>('docker-images.json');
  const daemon = createServer(({ url = '' }, answer) => {
    const id = /^\/images\/([^/]+)\/json$/.exec(url)?.[1];
    const body = id === undefined ? containers : images[decodeURIComponent(id)];
    answer.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? {}));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void daemon.close());
  await new Promise((resolve) => daemon.once('listening', resolve));
  const { port } = daemon.address() as AddressInfo;

  const ran = await cli.run(['snapshot', 'docker', 'host-1', '--docker-host', `tcp://127.0.0.1:${port}`]);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Snapshot 1 of 'host-1' created: \d+ started/) });
  const none = await cli.run(['snapshot', 'docker', 'host-1', '--docker-host', 'tcp://127.0.0.1:1']);
  expect(none).toMatchObject({ code: 7, stderr: expect.stringContaining('Docker cannot be reached at 127.0.0.1:1') });
});

it('reports the selected namespaces of a cluster', async () => {
  await givenEnvironment(api, 'k8s-1', 'K8S');
  const { kubeconfig } = await givenCluster([pod('web'), pod('cart'), pod('dns', 'kube-system')]);
  const report = (...more: string[]) => cli.run(['snapshot', 'k8s', 'k8s-1', '--kubeconfig', kubeconfig, ...more]);

  const some = await report('--exclude-namespace', '^kube-', '--json', 'instances,snapshot');
  expect(JSON.parse(some.stdout)).toEqual({ instances: 2, snapshot: 1 });
  expect((await report()).stdout).toBe("Snapshot 2 of 'k8s-1' created: 1 started, 0 exited\n");
  expect(await report('--interval', '5s')).toMatchObject({ code: 2, stderr: expect.stringContaining('--watch') });
});

it('watches a cluster until it is aborted, across refused keys and a changed token file', async () => {
  await givenEnvironment(api, 'k8s-2', 'K8S');
  const { cluster, kubeconfig } = await givenCluster([pod('web')]);
  const tokenFile = join(cli.cwd, 'token');
  await writeFile(tokenFile, 'not-a-key');
  const stop = new AbortController();
  let printed = '';
  const agent = cli.run(
    ['snapshot', 'k8s', 'k8s-2', '--watch', '--kubeconfig', kubeconfig, '--interval', '1s', '--health-port', '0', '-v'],
    {
      signal: stop.signal,
      env: { WAYMARK_TOKEN: undefined, WAYMARK_TOKEN_FILE: tokenFile },
      onWrite: (text) => (printed += text),
    },
  );
  await expect.poll(() => printed).toContain('the next try follows');
  await writeFile(tokenFile, api.org.keys.admin);
  const snapshots = async () => (await environmentOf(api, 'k8s-2')).latest_snapshot_index;
  await expect.poll(snapshots).toBe(1);
  cluster.put(pod('cart'));
  await expect.poll(snapshots).toBe(2);
  await expect.poll(() => printed).toContain('(heartbeat)');
  stop.abort();

  const { code, stdout, stderr } = await agent;
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain("Snapshot 2 of 'k8s-2' created: 1 started, 0 exited (change)");
  expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\/healthz/);
  expect(stderr).not.toContain(api.org.keys.admin);
});

it('ends at once when the environment does not exist', async () => {
  const { kubeconfig } = await givenCluster([pod('web')]);
  const ran = await cli.run(['snapshot', 'k8s', 'nowhere', '--watch', '--kubeconfig', kubeconfig]);
  expect(ran).toMatchObject({ code: 5, stdout: '' });
});

it('signs in with the token file of a pod', async () => {
  await givenEnvironment(api, 'k8s-3', 'K8S');
  const { kubeconfig } = await givenCluster([pod('web')]);
  const file = join(cli.cwd, 'id-token');
  await writeFile(file, 'eyJhbGciOiJub25lIn0.e30.x\n');
  const exchanged: string[] = [];
  const service = createServer((request, answer) => {
    void text(request).then((body) => {
      exchanged.push(`${request.url} ${body}`);
      answer.writeHead(403, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ message: 'no job of this org' }));
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void service.close());
  await new Promise((resolve) => service.once('listening', resolve));
  const { port } = service.address() as AddressInfo;

  const ran = await cli.run(['snapshot', 'k8s', 'k8s-3', '--kubeconfig', kubeconfig], {
    env: {
      WAYMARK_HOST: `http://127.0.0.1:${port}`,
      WAYMARK_TOKEN: undefined,
      WAYMARK_AUTH: 'oidc',
      WAYMARK_ID_TOKEN_FILE: file,
    },
  });
  expect(ran).toMatchObject({ code: 4, stdout: '' });
  expect(exchanged).toEqual([`/api/v2/oidc/acme/token {"token":"eyJhbGciOiJub25lIn0.e30.x"}`]);
});

it('explains a missing kubeconfig, and lists the types', async () => {
  const nowhere = await cli.run(['snapshot', 'k8s', 'web-1']);
  expect(nowhere).toMatchObject({ code: 2, stdout: '' });
  expect(nowhere.stderr).toContain(`No kubeconfig at ${join(cli.home, '.kube', 'config')}`);
  expect(nowhere.stderr).toContain('fix: Add --kubeconfig FILE');
  const wrong = await cli.run(['snapshot', 'file', 'web-1', '-', '--type', 'moon']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/--type must be one of .*, not 'moon'/)]);
});
