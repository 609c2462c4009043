import { execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../../../../server/test/given/certificate.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { addressOf, type Cli, type Given, givenCli, givenSignedIn } from '../../../test/given-cli.ts';
import { attestation } from '../../spool/given-spool.ts';
import { openSpool } from '../../spool/spool.ts';
import type { Check } from './check.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const host = await addressOf(api);

async function examined(line: readonly string[] = [], given: Given = {}, by: Cli = cli) {
  const { code, stdout, stderr } = await by.run(['doctor', '--json', ...line], given);
  expect(stderr).not.toContain(api.org.keys.admin);
  const checks = JSON.parse(stdout) as Check[];
  const find = (name: string) => checks.find((check) => check.name === name);
  return { code, find, failed: checks.filter(({ status }) => status === 'failed').map(({ name }) => name) };
}

async function listening(listener: RequestListener, tls?: { cert: string; key: string }): Promise<string> {
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('finds no problems where there are none', async () => {
  const { code, failed, find } = await examined();
  expect({ code, failed }).toEqual({ code: 0, failed: [] });
  expect(find('sign-in')).toMatchObject({ status: 'passed', found: 'acme-admin, with the key from WAYMARK_TOKEN' });
  expect(find('org')).toMatchObject({ found: 'acme (admin)' });
  expect(find('service')).toMatchObject({ found: expect.stringContaining('Waymark, API 2.0') });
  const forPeople = await cli.run(['doctor']);
  expect(forPeople.stdout).toMatch(/^✓ PASSED +clock +in sync with the service$/m);
  expect(forPeople.stdout).toContain('No problems found.');
});

it.each([
  ['no address', givenCli(), [], 2, 'address', 'The host of the service is not set'],
  ['a stopped port', cli, ['--host', 'http://127.0.0.1:1'], 7, 'connection', 'ECONNREFUSED'],
  ['a name that is not known', cli, ['--host', 'https://nowhere.invalid'], 7, 'name', 'nowhere.invalid'],
  ['another org', cli, ['--org', 'other'], 4, 'org', "You are not a member of the org 'other'"],
  ['a path that leads elsewhere', cli, ['--host', `${host}/x`], 2, 'service', 'is not Waymark (404)'],
])('names the problem and its fix: %s', async (_, by, line, code, name, words) => {
  const found = await examined(line, {}, by);
  expect(found).toMatchObject({ code, failed: [name] });
  expect(found.find(name)).toMatchObject({ found: expect.stringContaining(words), fix: expect.stringMatching(/\w/) });
});

it('warns of a role that cannot record evidence', async () => {
  const reader = await examined([], {}, await givenSignedIn(api, api.org.keys.reader));
  expect({ code: reader.code, failed: reader.failed }).toEqual({ code: 0, failed: [] });
  expect(reader.find('org')).toMatchObject({
    status: 'warned',
    found: 'acme, as reader: cannot record evidence (needs member)',
  });
  const reporter = await givenSignedIn(api, api.org.keys.snapshotter);
  const { stdout } = await reporter.run(['doctor']);
  expect(stdout).toMatch(/^! WARNED +org +acme, as snapshotter: can report what runs, but cannot record evidence/m);
  expect(stdout).toMatch(/\n\nWarnings:\n {2}org: .*role member/);
  expect(stdout).not.toContain('No problems found');
});

it('reports a key that is not accepted, and its source', async () => {
  const { code, failed, find } = await examined([], { env: { WAYMARK_TOKEN: 'nonsense' } });
  expect({ code, failed }).toEqual({ code: 4, failed: ['sign-in'] });
  expect(find('sign-in')?.found).toContain('WAYMARK_TOKEN');
  expect(find('sign-in')?.found).not.toContain('nonsense');
  const nobody = await examined([], { env: { WAYMARK_TOKEN: undefined } });
  expect(nobody).toMatchObject({ code: 4, failed: ['sign-in'] });
});

it('recognizes a server that is not Waymark, and one that does not answer', async () => {
  const page = await listening((_, answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
  expect(await examined(['--host', page])).toMatchObject({ code: 2, failed: ['service'] });
  const login = await listening((_, answer) => answer.writeHead(302, { location: 'https://sso.test/in?x=1' }).end());
  const led = await examined(['--host', login]);
  expect(led.find('service')?.found).toContain('redirects to https://sso.test');
  const mute = await listening(({ socket }) => socket.destroy());
  expect(await examined(['--host', mute])).toMatchObject({ code: 7, failed: ['http'] });
  const ill = await listening((_, answer) => answer.writeHead(503).end());
  expect(await examined(['--host', ill])).toMatchObject({ code: 7, failed: ['service'] });
});

it('detects clock skew', async () => {
  const document = await (await fetch(`${host}/api/v2/openapi.json`)).text();
  const liar = await listening(({ url }, answer) => {
    const date = new Date(Date.now() - 300_000).toUTCString();
    if (url === '/api/v2/openapi.json') answer.writeHead(200, { date }).end(document);
    else answer.writeHead(401, { date }).end('{"message":"no"}');
  });
  const { code, failed, find } = await examined(['--host', liar]);
  expect({ code, failed }).toEqual({ code: 2, failed: ['clock', 'sign-in'] });
  expect(find('clock')?.found).toMatch(/^this machine is (299|300|301) s ahead of the service$/);
});

it('detects an older service', async () => {
  const document = JSON.parse(await (await fetch(`${host}/api/v2/openapi.json`)).text());
  delete document.paths['/environments/{org}'];
  const old = await listening((_, answer) => answer.writeHead(200).end(JSON.stringify(document)));
  const { failed, find } = await examined(['--host', old]);
  expect(failed).toEqual(['service']);
  expect(find('service')?.found).toMatch(/^The service is older than this program: it does not support \w+/);
});

it('does not accept an untrusted certificate', async () => {
  const secure = await listening((_, answer) => answer.end(), selfSigned('127.0.0.1'));
  const { code, failed, find } = await examined(['--host', secure]);
  expect({ code, failed }).toEqual({ code: 7, failed: ['certificate'] });
  expect(find('certificate')?.fix).toContain('WAYMARK_CA_FILE');
});

it('shows a proxy without its password, and skips the steps that it takes over', async () => {
  const env = { http_proxy: 'http://me:secret@proxy.test:3128' };
  const { stdout } = await cli.run(['doctor'], { env });
  expect(stdout).toMatch(/PASSED +proxy +http:\/\/proxy\.test:3128, from http_proxy/);
  expect(stdout).not.toContain('secret');
  expect((await cli.run(['doctor'], { env: { ...env, NO_PROXY: '127.0.0.1' } })).stdout).toMatch(/proxy +none/);
});

it('checks the spool, the files and the checkout', async () => {
  const other = await givenSignedIn(api);
  await openSpool(join(other.home, '.local/state/waymark/spool')).append(attestation('a', { host }));
  await mkdir(join(other.home, '.config/waymark'), { recursive: true });
  const credentials = join(other.home, '.config/waymark/credentials.yml');
  await writeFile(credentials, '{}\n');
  await chmod(credentials, 0o644);
  await writeFile(join(other.cwd, '.waymark.yml'), 'version: 1\nflow: web\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], { cwd: other.cwd });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');

  const { code, failed, find } = await examined([], {}, other);
  expect({ code, failed }).toEqual({ code: 2, failed: ['credentials'] });
  expect(find('credentials')?.fix).toBe(`Run: chmod 600 ${credentials}`);
  expect(find('spool')).toMatchObject({ status: 'passed', found: expect.stringMatching(/^1 waiting/) });
  expect(find('project file')).toMatchObject({ status: 'passed' });
  expect(find('commit')).toMatchObject({ status: 'passed', found: expect.stringContaining('git rev-parse HEAD') });

  const sha = 'f'.repeat(40);
  const job = { GITHUB_ACTIONS: 'true', GITHUB_SHA: sha, GITHUB_REF: 'refs/heads/main', GITHUB_EVENT_NAME: 'push' };
  const absent = await examined([], { env: job }, other);
  expect(absent.failed).toEqual(['commit', 'credentials']);
  expect(absent.find('ci')?.found).toContain('GitHub Actions');
});
