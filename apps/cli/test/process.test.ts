import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listFlows } from '@waymark/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { json, neverAnswer, startFaultyServer } from '../../../packages/client/test/faulty-server.ts';
import { compiled } from '../../../tools/services/compiled.ts';
import { selfSigned } from '../../server/test/given/certificate.ts';
import { startApi } from '../../server/test/harness.ts';
import { addressOf, givenCli } from './given-cli.ts';
import { PATH_WITH_WAYMARK, startWaymark } from './given-process.ts';

const KEY = 'wmk_eneverToBeSeenAnywhere';
const FIXTURES = join(import.meta.dirname, '../../../packages/ci-context/fixtures');

const cwd = mkdtempSync(join(tmpdir(), 'waymark-process-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const api = await startApi();
const host = await addressOf(api);
const signedIn = { WAYMARK_HOST: host, WAYMARK_ORG: 'acme', WAYMARK_TOKEN: api.org.keys.admin };
const faulty = await startFaultyServer();
afterAll(() => faulty.close());
const atFaulty = { WAYMARK_HOST: faulty.baseUrl, WAYMARK_ORG: 'acme', WAYMARK_TOKEN: KEY };

const waymark = (line: readonly string[], env: Record<string, string> = {}, place = cwd) =>
  startWaymark(line, { env, cwd: place }).ran;
const shell = (script: string, env: Record<string, string> = {}) =>
  promisify(execFile)('bash', ['-uo', 'pipefail', '-c', script], {
    cwd,
    env: { ...compiled, PATH: PATH_WITH_WAYMARK, HOME: cwd, ...env },
  });

it('creates the data for the other tests', async () => {
  expect(await waymark(['flow', 'create', 'shop'], signedIn)).toMatchObject({ code: 0 });
});

describe('standard output holds nothing but the result', async () => {
  const content = 'what was built';
  const digest = createHash('sha256').update(content).digest('hex');
  writeFileSync(join(cwd, 'app.tgz'), content);
  const systems = globSync('*-push.json', { cwd: FIXTURES }).toSorted();

  it.each(systems)('%s', async (fixture) => {
    const { env } = JSON.parse(readFileSync(join(FIXTURES, fixture), 'utf8')) as { env: Record<string, string> };
    const { stdout } = await shell('x=$(waymark fingerprint app.tgz --debug 2>/dev/null); echo "[$x]"', {
      ...env,
      PATH: PATH_WITH_WAYMARK,
      HOME: cwd,
    });
    expect(stdout).toBe(`[${digest}]\n`);
  });

  it('was tried in every CI system', () => {
    expect(new Set(systems.map((name) => name.split('-')[0])).size).toBeGreaterThanOrEqual(12);
  });

  it('also with much output on standard error', async () => {
    const ran = await waymark(['flow', 'list', '-o', 'name', '--debug=api', '--verbose'], { ...signedIn, CI: 'true' });
    expect(ran).toMatchObject({ code: 0, stdout: 'shop\n' });
    expect(ran.stderr).toContain('/api/v2/flows/acme');
  });

  it('also without results', async () => {
    const ran = await waymark(['env', 'list', '-o', 'json'], signedIn);
    expect(ran).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});

it('a reader that closes early does not fail the command', async () => {
  const flow = (await api.call(listFlows)).body;
  const [one] = Array.isArray(flow) ? flow : [];
  faulty.behave(
    json(
      200,
      Array.from({ length: 20_000 }, (_, at) => ({ ...one, name: `flow-${at}` })),
    ),
  );
  const { stdout } = await shell('waymark flow list -o name --limit 0 | head -1; echo "${PIPESTATUS[@]}"', atFaulty);
  expect(stdout).toBe('flow-0\n0 0\n');
  const help = await shell('waymark help environment | head -1; echo "${PIPESTATUS[@]}"');
  expect(help.stdout).toMatch(/\n0 0\n$/);
});

describe('Ctrl-C', () => {
  // Each with a spool of its own: leftovers would go first in the next.
  const interrupt = async (line: readonly string[], requests: number, signal: 'SIGINT' | 'SIGTERM' = 'SIGINT') => {
    const env = { ...atFaulty, WAYMARK_SPOOL_DIR: mkdtempSync(join(cwd, 'spool-')) };
    const { process, ran } = startWaymark(line, { env, cwd });
    await expect.poll(() => faulty.received.length).toBe(requests);
    process.kill(signal);
    return ran;
  };

  it('during a query', async () => {
    faulty.behave(neverAnswer);
    expect(await interrupt(['assert', 'trail', 'shop/release-1'], 1)).toEqual({
      code: 130,
      stdout: '',
      stderr: 'Interrupted; nothing was recorded\n',
    });
  });

  it('while it waits for a verdict', async () => {
    const asserts = ['assert', 'artifact', 'a'.repeat(64), '--wait', '5m'];
    const { process, ran } = startWaymark(asserts, { env: signedIn, cwd });
    let printed = '';
    process.stderr?.on('data', (text: Buffer) => {
      printed += text.toString();
    });
    await expect.poll(() => printed).toContain('waiting');
    process.kill('SIGINT');
    expect(await ran).toMatchObject({ code: 130, stdout: '' });
  });

  it('while it waits to retry', async () => {
    faulty.behave(json(503, { message: 'Not now', errors: null }, { 'retry-after': '30' }));
    const ran = await interrupt(['flow', 'list'], 1);
    expect(ran.code).toBe(130);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('while evidence is being sent, by %s: it is spooled', async (signal) => {
    faulty.behave(neverAnswer);
    const attest = ['attest', 'generic', '--name', 'a', '--compliant', '--flow', 'f', '--trail', 't'];
    const ran = await interrupt(attest, 1, signal);
    expect(ran.code).toBe(130);
    expect(ran.stderr).toContain('Spooled, not delivered yet: interrupted before the response arrived');
    expect(ran.stderr).toContain('sent, no response yet: POST /attestations/acme/f/trail/t/generic');
  });

  it('between two of several: it lists what has arrived, and what was never sent', async () => {
    const report = '<testsuite name="a" tests="1"><testcase name="b"/></testsuite>';
    mkdirSync(join(cwd, 'reports'), { recursive: true });
    for (const name of ['a', 'b', 'c']) {
      mkdirSync(join(cwd, 'reports', name), { recursive: true });
      writeFileSync(join(cwd, 'reports', name, 'junit.xml'), report.replace('"a"', `"${name}"`));
    }
    writeFileSync(
      join(cwd, '.waymark.yml'),
      `evidence:\n${['a', 'b', 'c'].map((name) => `  - {name: ${name}, type: junit, path: reports/${name}/*.xml}\n`).join('')}`,
    );
    // The second request reads the first record back.
    const recorded = json(201, "Attestation 'a' recorded", { 'waymark-attestation': '0190-1; bound' });
    faulty.behave(recorded, json(200, []), neverAnswer);
    const ran = await interrupt(['attest', 'auto', '--flow', 'f', '--trail', 't'], 3);
    rmSync(join(cwd, '.waymark.yml'));
    expect(ran.code).toBe(130);
    expect(ran.stderr).toContain('Not sent: c');
    expect(ran.stderr).toContain('recorded: POST /attestations/acme/f/trail/t/junit');
    expect(ran.stderr).toContain('sent, no response yet: POST /attestations/acme/f/trail/t/junit');
  });
});

describe('the key', () => {
  it('is not in the list of processes', async () => {
    faulty.behave(neverAnswer);
    const { process, ran } = startWaymark(['flow', 'list'], { env: atFaulty, cwd });
    await expect.poll(() => faulty.received.length).toBe(1);
    expect(faulty.received[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(process.pid)]).catch(() => ({
      stdout: readFileSync(`/proc/${process.pid}/cmdline`, 'utf8'),
    }));
    process.kill('SIGINT');
    await ran;
    expect(stdout).toContain('waymark.js');
    expect(stdout).not.toContain(KEY);
  });

  it.each([
    ['a refusal', json(401, { message: 'No', errors: null })],
    ['an answer that quotes it', json(400, { message: 'No', errors: null })],
    ['an answer', json(200, [])],
    ['a failure', json(500, { message: 'No', errors: null })],
  ])('is never printed: %s', async (_, behaviour) => {
    faulty.behave(behaviour);
    const ran = await waymark(['flow', 'list', '--debug=api', '--verbose'], { ...atFaulty, WAYMARK_RETRIES: '0' });
    expect(`${ran.stdout}${ran.stderr}`).not.toContain(KEY);
    expect(ran.stderr).toContain('GET ');
  });

  it('is never printed when it cannot be sent', async () => {
    const env = { ...atFaulty, WAYMARK_TOKEN: `${KEY}\nmore` };
    const ran = await waymark(['flow', 'list', '--debug=api'], env);
    expect(ran.code).toBe(2);
    expect(`${ran.stdout}${ran.stderr}`).not.toContain(KEY);
  });

  it('is not in the spool', async () => {
    const WAYMARK_SPOOL_DIR = join(cwd, 'spool');
    faulty.behave(json(503, { message: 'Not now', errors: null }));
    const env = { ...atFaulty, WAYMARK_SPOOL_DIR, WAYMARK_RETRIES: '0' };
    const line = ['attest', 'generic', '--name', 'a', '--compliant', '--flow', 'f', '--trail', 't', '--debug=api'];
    expect(await waymark(line, env)).toMatchObject({ code: 0 });
    const files = globSync('**/*', { cwd: WAYMARK_SPOOL_DIR, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain(KEY);
  });

  it('can come from a file, or from standard input', async () => {
    writeFileSync(join(cwd, 'key'), `${api.org.keys.admin}\n`);
    const { WAYMARK_TOKEN: _, ...others } = signedIn;
    expect(await waymark(['flow', 'list', '-o', 'name', '--token-file', 'key'], others)).toMatchObject({
      code: 0,
      stdout: 'shop\n',
    });
    const line = ['flow', 'list', '-o', 'name', '--token-file', '-'];
    const { ran } = startWaymark(line, { env: others, cwd, stdin: api.org.keys.admin });
    expect(await ran).toMatchObject({ code: 0, stdout: 'shop\n' });
  });
});

/** Acts as both kinds of proxy, and forwards everything to the real API. */
async function startProxy(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const target = new URL(host);
  const proxy = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const path = new URL(incoming.url ?? '/', target).pathname;
    const onward = request(
      { host: target.hostname, port: target.port, path, headers: incoming.headers },
      (answer: IncomingMessage) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(onward);
  });
  proxy.on('connect', (incoming, socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    const onward = connect(Number(target.port), target.hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => end.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

describe('the network', () => {
  it('is reached through the proxy of the variables', async () => {
    const proxy = await startProxy();
    const env = { ...signedIn, WAYMARK_HOST: 'http://waymark.invalid', HTTP_PROXY: proxy.url };
    expect(await waymark(['flow', 'list', '-o', 'name'], env)).toMatchObject({ code: 0, stdout: 'shop\n' });
    expect(proxy.asked.join('\n')).toContain('waymark.invalid');

    const lower = { ...signedIn, WAYMARK_HOST: 'http://waymark.invalid', http_proxy: proxy.url };
    expect(await waymark(['flow', 'list', '-o', 'name'], lower)).toMatchObject({ code: 0, stdout: 'shop\n' });
  });

  it('bypasses it for hosts in NO_PROXY', async () => {
    const proxy = await startProxy();
    const env = { ...signedIn, HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1,example.com' };
    expect(await waymark(['flow', 'list', '-o', 'name'], env)).toMatchObject({ code: 0, stdout: 'shop\n' });
    expect(proxy.asked).toEqual([]);
  });

  it('trusts a custom CA', async () => {
    const { key, cert } = selfSigned('localhost');
    const server = createTlsServer({ key, cert }, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    afterAll(() => server.close());
    const { port } = server.address() as AddressInfo;
    const file = join(cwd, 'authority.pem');
    writeFileSync(file, cert);
    const env = { ...signedIn, WAYMARK_HOST: `https://localhost:${port}`, WAYMARK_RETRIES: '0' };

    const distrusted = await waymark(['flow', 'list'], env);
    expect(distrusted.code).toBe(7);
    expect(distrusted.stderr).toContain('certificate');
    expect(await waymark(['flow', 'list', '-o', 'json'], { ...env, WAYMARK_CA_FILE: file })).toMatchObject({
      code: 0,
      stdout: '[]\n',
    });
    const missing = await waymark(['flow', 'list'], { ...env, WAYMARK_CA_FILE: join(cwd, 'none.pem') });
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toContain('none.pem');
    writeFileSync(join(cwd, 'empty.pem'), 'not a certificate');
    const broken = await waymark(['flow', 'list'], { ...env, WAYMARK_CA_FILE: join(cwd, 'empty.pem') });
    expect(broken).toMatchObject({ code: 2, stdout: '' });
    expect(broken.stderr).toContain('WAYMARK_CA_FILE');
  });
});

describe('the project file', () => {
  const project = join(cwd, 'project');
  const deep = join(project, 'a', 'b');
  mkdirSync(deep, { recursive: true });
  mkdirSync(join(project, '.git'));

  it('is found in a parent directory', async () => {
    writeFileSync(join(project, '.waymark.yml'), `version: 1\nhost: ${host}\norg: acme\n`);
    const env = { WAYMARK_HOST: host, WAYMARK_TOKEN: api.org.keys.admin, HOME: cwd };
    const ran = await waymark(['flow', 'list', '-o', 'name'], env, deep);
    expect(ran).toMatchObject({ code: 0, stdout: 'shop\n' });
  });

  it.each([{}, { GITHUB_ACTIONS: 'true' }])('cannot redirect a key by itself: %o', async (ci) => {
    writeFileSync(join(project, '.waymark.yml'), `version: 1\nhost: ${faulty.baseUrl}\norg: acme\n`);
    const before = faulty.received.length;
    const ran = await waymark(['flow', 'list'], { WAYMARK_TOKEN: KEY, HOME: cwd, ...ci }, deep);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('Set WAYMARK_HOST as well');
    expect(faulty.received.length).toBe(before);
  });

  it.each(['token', 'api_key', 'password'])('is refused with a %s in it, which is not shown', async (name) => {
    writeFileSync(join(project, '.waymark.yml'), `version: 1\nhost: ${host}\norg: acme\n${name}: ${KEY}\n`);
    const ran = await waymark(['flow', 'list'], { WAYMARK_TOKEN: api.org.keys.admin, HOME: cwd }, deep);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`'${name}' is not allowed in a shared file`);
    expect(ran.stderr).not.toContain(KEY);
  });
});

describe('colours', () => {
  const ESCAPE = '\u001b[';
  it.each([
    ['nobody asked for them', {}, [], false],
    ['FORCE_COLOR', { FORCE_COLOR: '1' }, [], true],
    ['CLICOLOR_FORCE', { CLICOLOR_FORCE: '1' }, [], true],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, [], false],
    ['NO_COLOR is stronger', { NO_COLOR: '1', FORCE_COLOR: '1' }, [], false],
    ['the flag is strongest', { NO_COLOR: '1' }, ['--color', 'always'], true],
    ['--color never', { FORCE_COLOR: '1' }, ['--color', 'never'], false],
    ['never in JSON', { FORCE_COLOR: '1' }, ['-o', 'json'], false],
  ])('%s', async (_, env, flags, hasColours) => {
    const ran = await givenCli(signedIn).run(['flow', 'list', ...flags], { env });
    expect(ran.code).toBe(0);
    expect(ran.stdout.includes(ESCAPE)).toBe(hasColours);
  });

  it('are the same in a separate process', async () => {
    expect((await waymark(['flow', 'list'], { ...signedIn, FORCE_COLOR: '1' })).stdout).toContain(ESCAPE);
    expect((await waymark(['flow', 'list'], { ...signedIn, FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain(
      ESCAPE,
    );
  });

  it('of errors follow the same rules', async () => {
    const waymark = (line: readonly string[], env: Record<string, string>) => givenCli(env).run(line);
    const plain = await waymark(['flow', 'get', 'none'], signedIn);
    expect(plain.stderr).not.toContain(ESCAPE);
    const forced = await waymark(['flow', 'get', 'none'], { ...signedIn, FORCE_COLOR: '1' });
    expect(forced.stderr).toContain(ESCAPE);
    const flagged = await waymark(['flow', 'get', 'none', '--color', 'always'], signedIn);
    expect(flagged.stderr).toContain(ESCAPE);
    const never = await waymark(['flow', 'get', 'none', '--color=never'], { ...signedIn, FORCE_COLOR: '1' });
    expect(never.stderr).not.toContain(ESCAPE);
  });
});
