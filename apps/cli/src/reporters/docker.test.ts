import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DockerReport, reportDocker } from '@waymark/contract';
import { afterAll, expect, it } from 'vitest';
import { selfSigned } from '../../../server/test/given/certificate.ts';
import { givenEnvironment } from '../../../server/test/given/environments.ts';
import { startApi } from '../../../server/test/harness.ts';
import { readDocker } from './docker.ts';
import { dockerEndpoint } from './docker-host.ts';
import { fixture } from './fixtures/fake-kubernetes.ts';

const api = await startApi();
const directory = await mkdtemp(join(tmpdir(), 'waymark-docker-'));
const servers: Server[] = [];
const containers = await fixture<{ Image: string; ImageID: string }[]>('docker-containers.json');
const images = await fixture<Record<string, object>>('docker-images.json');

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  }
  await rm(directory, { recursive: true });
});

const asked: string[] = [];

/** Answers like the daemon: an unknown image id is a 404 with a message. */
function daemon(listed: unknown = containers): RequestListener {
  return ({ url = '' }, answer) => {
    asked.push(url);
    const id = /^\/images\/([^/]+)\/json$/.exec(url)?.[1];
    const body = url === '/containers/json' ? listed : images[decodeURIComponent(id ?? '')];
    answer.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json', 'api-version': '1.51' });
    answer.end(JSON.stringify(body ?? { message: `No such image: ${id}` }));
  };
}

async function listening(server: Server, at: string | number): Promise<number> {
  servers.push(server);
  const { promise, resolve } = Promise.withResolvers<void>();
  if (typeof at === 'string') server.listen(at, resolve);
  else server.listen(at, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  return typeof address === 'string' ? 0 : (address as AddressInfo).port;
}

async function givenSocket(listener: RequestListener): Promise<string> {
  const socketPath = join(directory, `${servers.length}.sock`);
  await listening(createServer(listener), socketPath);
  return socketPath;
}

it('reports what each container runs, by the digest in its registry', async () => {
  const notes: string[] = [];
  const report = await readDocker({ socketPath: await givenSocket(daemon()) }, { onNote: (note) => notes.push(note) });
  expect(report).toEqual({
    type: 'docker',
    artifacts: [
      { digests: { 'ghcr.io/acme/web:1.9.1': 'a'.repeat(64) }, creationTimestamp: 1772438400 },
      { digests: { 'ghcr.io/acme/web:1.9.1': 'a'.repeat(64) }, creationTimestamp: 1772438460 },
      { digests: { 'postgres:18': 'c'.repeat(64) }, creationTimestamp: 1772438401 },
      { digests: { 'local/tool:dev': '3'.repeat(64) }, creationTimestamp: 1772438402 },
      { digests: { 'ghcr.io/acme/old': 'd'.repeat(64) }, creationTimestamp: 1772438403 },
      { digests: { 'ghcr.io/acme/gone:1': '5'.repeat(64) }, creationTimestamp: 1772438404 },
    ],
  });
  expect(notes.map((note) => note.split(' ')[0])).toEqual(['local/tool:dev', 'ghcr.io/acme/gone:1']);
  expect(asked).toHaveLength(6);
  await givenEnvironment(api, 'docker', 'docker');
  const call = { params: { org: api.org.name, env_name: 'docker' }, body: report };
  expect((await api.call(reportDocker, call)).headers['waymark-snapshot']).toBe('1; created');
});

it('reports an idle host as empty, and odd names as plain text', async () => {
  expect(await readDocker({ socketPath: await givenSocket(daemon([])) })).toEqual({ type: 'docker', artifacts: [] });
  const odd = containers.map((container, index) => ({ ...container, Image: `a\u0000\n${index}`, Created: -1 }));
  const report = await readDocker({ socketPath: await givenSocket(daemon(odd)) });
  expect(DockerReport.safeParse(report).error).toBeUndefined();
  expect(Object.keys(report.artifacts[1]?.digests ?? {})).toEqual(['a\uFFFD\uFFFD1']);
});

it('finds the daemon as the docker program does', async () => {
  expect(await dockerEndpoint({}, directory)).toEqual({ socketPath: '/var/run/docker.sock' });
  expect(await dockerEndpoint({ DOCKER_HOST: 'unix:///run/user/1000/docker.sock' }, directory)).toEqual({
    socketPath: '/run/user/1000/docker.sock',
  });
  expect(await dockerEndpoint({ DOCKER_HOST: 'tcp://[::1]:2375' }, directory)).toEqual({ host: '::1', port: 2375 });
  await expect(dockerEndpoint({ DOCKER_HOST: 'ssh://root@host' }, directory)).rejects.toMatchObject({
    ending: 'usage',
  });
});

it('speaks to a daemon by TCP, with certificates where they are asked for', async () => {
  const port = await listening(createServer(daemon()), 0);
  const plain = await dockerEndpoint({ DOCKER_HOST: `tcp://127.0.0.1:${port}` }, directory);
  expect((await readDocker(plain)).artifacts).toHaveLength(6);

  const own = selfSigned('localhost');
  const client = selfSigned('reporter');
  const tls = { ...own, ca: client.cert, requestCert: true, rejectUnauthorized: true };
  const securePort = await listening(createSecureServer(tls, daemon()), 0);
  await writeFile(join(directory, 'ca.pem'), own.cert);
  await writeFile(join(directory, 'cert.pem'), client.cert);
  await writeFile(join(directory, 'key.pem'), client.key, { mode: 0o600 });
  const env = { DOCKER_HOST: `tcp://localhost:${securePort}`, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: directory };
  expect((await readDocker(await dockerEndpoint(env, directory))).artifacts).toHaveLength(6);
});

it.each<[string, RequestListener, string]>([
  ['refuses', (_, answer) => answer.writeHead(500).end('{"message":"storage is full"}'), 'Docker responded with 500'],
  ['is none', (_, answer) => answer.end('{}'), 'The server is not Docker'],
  ['prints HTML', (_, answer) => answer.end('<html>'), 'Docker cannot be reached'],
  ['hangs up', (request) => request.socket.destroy(), 'Docker cannot be reached'],
])('ends as unavailable when the daemon %s', async (_, listener, message) => {
  const socketPath = await givenSocket(listener as RequestListener);
  await expect(readDocker({ socketPath })).rejects.toMatchObject({
    ending: 'unavailable',
    message: expect.stringContaining(message),
  });
});

it('names the address when nothing listens there', async () => {
  const socketPath = join(directory, 'none.sock');
  await expect(readDocker({ socketPath })).rejects.toMatchObject({
    ending: 'unavailable',
    message: `Docker cannot be reached at ${socketPath}`,
    fix: 'Check that Docker is running, and check DOCKER_HOST',
  });
});
