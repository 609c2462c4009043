import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type SecureVersion, type TLSSocket } from 'node:tls';
import { fastify } from 'fastify';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { type Certificate, selfSigned } from '../../../test/given/certificate.ts';
import { openTlsServers } from './tls-servers.ts';

/** A mounted secret: the files are links through a directory that is swapped at once. */
async function mountSecret(first: Certificate) {
  const directory = await mkdtemp(join(tmpdir(), 'tls-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  let version = 0;
  async function swap({ cert, key }: Certificate): Promise<void> {
    const name = `..${++version}`;
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'tls.crt'), cert);
    await writeFile(join(directory, name, 'tls.key'), key);
    await symlink(name, join(directory, '..next'));
    await rename(join(directory, '..next'), join(directory, '..data'));
  }
  await swap(first);
  for (const name of ['tls.crt', 'tls.key']) await symlink(`..data/${name}`, join(directory, name));
  return { files: { cert: join(directory, 'tls.crt'), key: join(directory, 'tls.key') }, swap };
}

async function serve(files: { cert: string; key: string }) {
  const lines: { level: number; msg: string; fault?: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) });
  const tls = await openTlsServers(files, log, 10);
  const http = fastify({ serverFactory: tls.factory });
  http.get('/', async () => 'hello');
  await http.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await http.close();
    await tls.stop();
  });
  return { port: (http.server.address() as AddressInfo).port, lines };
}

function shake(port: number, version?: SecureVersion): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const options = { host: '127.0.0.1', port, rejectUnauthorized: false };
  // Security level 0 lets this client speak the versions that the server must refuse.
  const only = version && { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
  const socket = connect({ ...options, ...only }, () => resolve(socket)).once('error', reject);
  onTestFinished(() => void socket.destroy());
  return promise;
}

async function nameServed(port: number): Promise<unknown> {
  const socket = await shake(port);
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return subject.CN;
}

it('speaks TLS 1.2 and 1.3, and nothing older', async () => {
  const { files } = await mountSecret(selfSigned('waymark.test'));
  const { port } = await serve(files);
  expect((await shake(port, 'TLSv1.2')).getProtocol()).toBe('TLSv1.2');
  expect((await shake(port)).getProtocol()).toBe('TLSv1.3');
  await expect(shake(port, 'TLSv1.1')).rejects.toThrow(/protocol version/);
});

it('serves a replaced certificate without a restart, and leaves open connections alone', async () => {
  const { files, swap } = await mountSecret(selfSigned('old.test'));
  const { port } = await serve(files);
  const open = await shake(port);
  await swap(selfSigned('new.test'));
  await expect.poll(() => nameServed(port)).toBe('new.test');
  open.write('GET / HTTP/1.1\r\nHost: waymark.test\r\n\r\n');
  const [answer] = (await open.take(1).toArray()) as Buffer[];
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 OK/);
});

it('keeps the old certificate while the new files are broken, and says so once', async () => {
  const { files, swap } = await mountSecret(selfSigned('old.test'));
  const { port, lines } = await serve(files);
  const { cert } = selfSigned('new.test');
  await swap({ cert, key: selfSigned('other.test').key });
  await expect.poll(() => lines.filter(({ level }) => level === 40)).toHaveLength(1);
  expect(lines.at(-1)).toMatchObject({
    msg: 'the new certificate cannot be used: the old one is served',
    fault: `the key in ${files.key} does not belong to the certificate in ${files.cert}`,
  });
  expect(await nameServed(port)).toBe('old.test');
  await swap(selfSigned('fixed.test'));
  await expect.poll(() => nameServed(port)).toBe('fixed.test');
  expect(lines.filter(({ level }) => level === 40)).toHaveLength(1);
});
