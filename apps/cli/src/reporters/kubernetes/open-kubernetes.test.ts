import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { selfSigned } from '../../../../server/test/given/certificate.ts';
import { fixture, startKubernetes, UNAUTHORIZED } from '../fixtures/fake-kubernetes.ts';
import { openKubernetes } from './open-kubernetes.ts';
import type { Pod } from './pod.ts';
import { readKubernetes } from './read-kubernetes.ts';

const server = selfSigned('localhost');
const client = selfSigned('reporter');
const { items } = await fixture<{ items: Pod[] }>('pods.json');
const cluster = await startKubernetes(items, {
  ...server,
  requestCert: true,
  rejectUnauthorized: false,
  ca: client.cert,
});
const port = new URL(cluster.url).port;
const home = await mkdtemp(join(tmpdir(), 'waymark-kubernetes-'));

afterAll(async () => {
  await cluster.close();
  await rm(home, { recursive: true });
});

beforeEach(() => {
  cluster.asked.length = 0;
  cluster.refuse = () => undefined;
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

function kubeconfig(
  user: object,
  ofCluster: object = { 'certificate-authority-data': base64(server.cert) },
  name = 'shop',
) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': `${name}-context`,
    contexts: [{ name: `${name}-context`, context: { cluster: `${name}-cluster`, user: `${name}-user` } }],
    clusters: [{ name: `${name}-cluster`, cluster: { server: cluster.url, ...ofCluster } }],
    users: [{ name: `${name}-user`, user }],
  };
}

async function givenFile(name: string, content: string | object): Promise<string> {
  const path = join(home, name);
  await writeFile(path, typeof content === 'string' ? content : stringify(content), { mode: 0o600 });
  return path;
}

async function read(
  options: Omit<Parameters<typeof openKubernetes>[0], 'home' | 'env'> & { env?: Record<string, string> },
) {
  return readKubernetes(await openKubernetes({ env: {}, home, ...options }));
}

/** A plugin as cloud providers ship it. It counts its calls. */
async function givenPlugin(name: string, script: string): Promise<string> {
  const path = await givenFile(
    name,
    `#!/bin/sh\necho x >> "$0.calls"\nN=$(wc -l < "$0.calls" | tr -d ' ')\n${script}\n`,
  );
  await chmod(path, 0o700);
  return path;
}

it('speaks to the cluster it runs in, with the token of the moment', async () => {
  await givenFile('ca.crt', server.cert);
  await givenFile('token', 'first\n');
  const env = { KUBERNETES_SERVICE_HOST: 'localhost', KUBERNETES_SERVICE_PORT: port };
  const api = await openKubernetes({ env, home, serviceAccountDir: home });
  expect((await readKubernetes(api)).artifacts).toHaveLength(10);
  await givenFile('token', 'second\n');
  await readKubernetes(api);
  expect(cluster.asked.map(({ token }) => token)).toEqual(['first', 'second']);
});

it('does not trust a server without a certificate of the CA', async () => {
  const path = await givenFile(
    'other-ca',
    kubeconfig({ token: 't' }, { 'certificate-authority-data': base64(client.cert) }),
  );
  await expect(read({ kubeconfig: path })).rejects.toMatchObject({ ending: 'unavailable' });
  expect(cluster.asked).toEqual([]);
});

it('reports that it does not run in a cluster', async () => {
  await expect(read({ inCluster: true })).rejects.toMatchObject({
    message: expect.stringContaining('KUBERNETES_SERVICE_HOST'),
  });
});

it.each([
  ['token', { token: 'of-the-file' }, { token: 'of-the-file' }],
  ['token file', { tokenFile: 'token-of-user' }, { token: 'from-a-file' }],
  [
    'certificate',
    { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) },
    { clientName: 'reporter' },
  ],
  ['certificate files', { 'client-certificate': 'client.crt', 'client-key': 'client.key' }, { clientName: 'reporter' }],
])('signs in by the %s of a kubeconfig', async (name, user, seen) => {
  await givenFile('token-of-user', 'from-a-file');
  await givenFile('client.crt', client.cert);
  await givenFile('client.key', client.key);
  const path = await givenFile(`config-${name}`, kubeconfig(user));
  expect((await read({ kubeconfig: path })).artifacts).toHaveLength(10);
  expect(cluster.asked[0]).toMatchObject(seen);
});

it('verifies the configured name, and nothing where that was disabled', async () => {
  const address = cluster.url.replace('localhost', '127.0.0.1');
  const named = { server: address, 'certificate-authority-data': base64(server.cert), 'tls-server-name': 'localhost' };
  await read({ kubeconfig: await givenFile('named', kubeconfig({ token: 't' }, named)) });
  const any = { server: address, 'insecure-skip-tls-verify': true };
  await read({ kubeconfig: await givenFile('insecure', kubeconfig({ token: 't' }, any)) });
  expect(cluster.asked).toHaveLength(2);
});

it('merges files of KUBECONFIG, the first value wins', async () => {
  const one = await givenFile('one', kubeconfig({ token: 'one' }));
  const two = await givenFile('two', kubeconfig({ token: 'two' }, undefined, 'ops'));
  const env = { KUBECONFIG: `${join(home, 'missing')}:${one}:${two}` };
  await read({ env });
  await read({ env, context: 'ops-context' });
  expect(cluster.asked.map(({ token }) => token)).toEqual(['one', 'two']);
});

it('runs the credential plugin, caches its answer, and runs it again after a refusal', async () => {
  const plugin = await givenPlugin(
    'plugin',
    `echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"$PREFIX-$1-$N\\"}}"`,
  );
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: './plugin',
    args: ['eks'],
    env: [{ name: 'PREFIX', value: 'p' }],
  };
  const path = await givenFile('exec', kubeconfig({ exec }));
  const api = await openKubernetes({ env: { PATH: process.env['PATH'] }, home, kubeconfig: path });
  await readKubernetes(api);
  await readKubernetes(api);
  cluster.refuse = ({ token }) => (token === 'p-eks-1' ? UNAUTHORIZED : undefined);
  await readKubernetes(api);
  expect(plugin).toBe(join(home, 'plugin'));
  expect(cluster.asked.map(({ token }) => token)).toEqual(['p-eks-1', 'p-eks-1', 'p-eks-1', 'p-eks-2']);
});

it('runs the plugin again when its answer has expired', async () => {
  await givenPlugin(
    'expiring',
    `echo "{\\"status\\":{\\"token\\":\\"t$N\\",\\"expirationTimestamp\\":\\"2026-01-01T00:00:00Z\\"}}"`,
  );
  const path = await givenFile('exec-expiring', kubeconfig({ exec: { command: './expiring' } }));
  const api = await openKubernetes({ env: { PATH: process.env['PATH'] }, home, kubeconfig: path });
  await readKubernetes(api);
  await readKubernetes(api);
  expect(cluster.asked.map(({ token }) => token)).toEqual(['t1', 't2']);
});

it.each([
  [
    'fails',
    'echo "{\\"status\\":{\\"token\\":\\"hush-hush\\"}}"; echo "warning" >&2; echo "session expired, sign in" >&2; exit 1',
    'session expired, sign in',
  ],
  ['prints no credential', 'echo hush-hush', undefined],
])('reports that the plugin %s, without its output', async (name, script, why) => {
  await givenPlugin(`bad-${name}`, script);
  const path = await givenFile(`exec-${name}`, kubeconfig({ exec: { command: `./bad-${name}` } }));
  const failure = await read({ kubeconfig: path, env: { PATH: process.env['PATH'] ?? '' } }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ ending: 'denied', why });
  expect(JSON.stringify([failure, String(failure)])).not.toContain('hush-hush');
});

it('explains how to install a missing plugin', async () => {
  const path = await givenFile(
    'exec-missing',
    kubeconfig({ exec: { command: 'no-such-plugin', installHint: 'Install it so' } }),
  );
  await expect(read({ kubeconfig: path })).rejects.toMatchObject({
    ending: 'denied',
    why: 'Program not found',
    fix: 'Install it so',
  });
});

it.each<[string, string | object, string]>([
  ['no YAML', 'token: "hush-hush\n  - [', 'is not YAML'],
  ['no mapping', 'hush-hush', 'is not a kubeconfig'],
  ['no context', { ...kubeconfig({}), 'current-context': '' }, 'has no current context'],
  ['an unknown context', { ...kubeconfig({}), 'current-context': 'x' }, 'has no context named "x"'],
  ['an unknown user', { ...kubeconfig({}), users: [] }, 'has no user named "shop-user"'],
  ['no address', kubeconfig({}, { server: '' }), 'the cluster has no address'],
  ['a proxy', kubeconfig({}, { 'proxy-url': 'http://proxy' }), 'proxy-url is not supported'],
  ['a legacy provider', kubeconfig({ 'auth-provider': { name: 'gcp' } }), 'auth-provider is not supported'],
  ['a password', kubeconfig({ username: 'u', password: 'hush-hush' }), 'user name and password are not supported'],
  ['another to act as', kubeconfig({ token: 't', as: 'admin' }), 'impersonation is not supported'],
])('refuses a kubeconfig with %s', async (name, content, message) => {
  const path = await givenFile(`bad ${name}`, content);
  const failure = await read({ kubeconfig: path }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ ending: 'usage', message: expect.stringContaining(message) });
  expect(String(failure)).not.toContain('hush-hush');
});

it('names the missing file', async () => {
  await expect(read({})).rejects.toThrow(join(home, '.kube', 'config'));
  const failure = await read({ env: { KUBECONFIG: '/none/a:/none/b' } }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ ending: 'usage', message: 'No kubeconfig at /none/a, /none/b' });
});
