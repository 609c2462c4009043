import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type Behaviour,
  halfAnAnswer,
  hangUp,
  html,
  json,
  neverAnswer,
  startFaultyServer,
} from '../../../packages/client/test/faulty-server.ts';
import { startApi } from '../../server/test/harness.ts';
import { endings, exitCodes } from '../src/run/exit-codes.ts';
import { failureOf } from '../src/run/failure.ts';
import { givenCli, givenSignedIn } from './given-cli.ts';
import { startWaymark } from './given-process.ts';

const DIGEST = 'a'.repeat(64);
const BAD = 'b'.repeat(64);
const READ = ['flow', 'list'];
const BEGIN = ['begin', 'trail', 'release-1', '--flow', 'shop'];
const ATTEST = ['attest', 'generic', '--name', 'check', '--compliant', '--flow', 'shop', '--trail', 'release-1'];
const ASSERT = ['assert', 'artifact', `sha256:${DIGEST}`, '--flow', 'shop'];

const faulty = await startFaultyServer();
afterAll(() => faulty.close());

const signedIn = (host: string) => ({ WAYMARK_HOST: host, WAYMARK_ORG: 'acme', WAYMARK_TOKEN: 'wmk_e0000' });
/** Each with a spool of its own: waiting entries go first. */
const givenFaulty = (host = faulty.baseUrl) => givenCli(signedIn(host));
const codeOf = async (line: readonly string[], host?: string) => (await givenFaulty(host).run(line)).code;

const problem = (status: number, headers: Record<string, string> = {}) =>
  json(status, { message: `No, and that is ${status}`, errors: null }, headers);
const leadsOn: Behaviour = (response, { url }) => {
  response.writeHead(302, { location: `${url}x` });
  response.end();
};

interface Codes {
  /** For a query, and for a write that must not be spooled. */
  readonly code: number;
  /** Whether evidence is spooled instead. */
  readonly isSpooled?: true;
}

const failures: [string, Behaviour, Codes][] = [
  ['400', problem(400), { code: 2 }],
  ['401', problem(401), { code: 4 }],
  ['403', problem(403), { code: 4 }],
  ['404', problem(404), { code: 5 }],
  ['409', problem(409), { code: 6 }],
  ['412', problem(412), { code: 6 }],
  ['413', problem(413), { code: 2 }],
  ['422', problem(422), { code: 2 }],
  ['429', problem(429, { 'retry-after': '1' }), { code: 7, isSpooled: true }],
  ['500', problem(500), { code: 7, isSpooled: true }],
  ['502 of a proxy', html(502), { code: 7, isSpooled: true }],
  ['503', problem(503), { code: 7, isSpooled: true }],
  ['504 of a proxy', html(504), { code: 7, isSpooled: true }],
  ['401 of a proxy', html(401), { code: 7 }],
  ['a page to sign in', html(200), { code: 7 }],
  ['JSON of something else', json(200, { login: 'please' }), { code: 7 }],
  ['an empty answer', json(204, undefined), { code: 7 }],
  ['half an answer', halfAnAnswer, { code: 7, isSpooled: true }],
  ['a connection that breaks', hangUp, { code: 7, isSpooled: true }],
  ['a redirection without an end', leadsOn, { code: 7 }],
];

describe.each(failures)('a service that answers with %s', (_, behaviour, { code, isSpooled }) => {
  it('fails a query', async () => {
    faulty.behave(behaviour);
    expect(await codeOf(READ)).toBe(code);
    expect(await codeOf([...READ, '-o', 'json'])).toBe(code);
  });

  it('fails a gate, and never lets it pass', async () => {
    faulty.behave(behaviour);
    const { code: ended, stdout } = await givenFaulty().run(ASSERT);
    expect({ ended, stdout }).toEqual({ ended: code, stdout: '' });
  });

  it.each([
    ['begin', BEGIN],
    ['attest', ATTEST],
  ])('fails %s with --on-unavailable=fail', async (_, line) => {
    faulty.behave(behaviour);
    const cli = givenFaulty();
    expect((await cli.run([...line, '--on-unavailable=fail'])).code).toBe(code);
    expect((await cli.run([...line, '--on-unavailable=fail', '--strict'])).code).toBe(code);
  });

  it.each([
    ['begin', BEGIN],
    ['attest', ATTEST],
  ])('ends %s with --on-unavailable=spool, and with 9 with --strict', async (_, line) => {
    faulty.behave(behaviour);
    const spooled = await givenFaulty().run([...line, '--on-unavailable=spool']);
    expect(spooled.code).toBe(isSpooled ? 0 : code);
    expect(spooled.stderr.includes('Spooled, not delivered yet')).toBe(isSpooled === true);
    expect((await givenFaulty().run([...line, '--on-unavailable=spool', '--strict'])).code).toBe(isSpooled ? 9 : code);
  });

  it('fails a dry run, which is never spooled', async () => {
    faulty.behave(behaviour);
    expect((await givenFaulty().run([...ATTEST, '--dry-run', '--strict'])).code).toBe(code);
  });

  it('is skipped by --on-unavailable=ignore if it may work later, and a refusal never is', async () => {
    faulty.behave(behaviour);
    const { code: ended, stderr } = await givenFaulty().run([...ATTEST, '--on-unavailable=ignore']);
    expect(ended).toBe(isSpooled ? 0 : code);
    expect(stderr.includes('Not sent, because of --on-unavailable=ignore')).toBe(isSpooled === true);
  });
});

describe('an unreachable service', () => {
  it.each([
    [READ, 7],
    [ASSERT, 7],
    [[...BEGIN, '--on-unavailable=fail'], 7],
    [[...ATTEST, '--on-unavailable=fail'], 7],
    [[...ATTEST, '--on-unavailable=spool'], 0],
    [[...ATTEST, '--on-unavailable=spool', '--strict'], 9],
    [[...ATTEST, '--dry-run'], 7],
  ])('%s', async (line, code) => {
    expect(await codeOf(line, await portOfNobody())).toBe(code);
  });

  it('gives up on one that never answers', async () => {
    faulty.behave(neverAnswer);
    for (const line of [READ, ASSERT, [...ATTEST, '--on-unavailable=fail']]) {
      expect(await codeOf([...line, '--timeout', '200ms'])).toBe(7);
    }
  });

  it('an address that leads nowhere', async () => {
    expect(await codeOf(READ, 'http://waymark.invalid')).toBe(7);
  });
});

async function portOfNobody(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

describe('the real service', async () => {
  const api = await startApi();
  const admin = await givenSignedIn(api);
  const reader = await givenSignedIn(api, api.org.keys.reader);
  const stranger = await givenSignedIn(api, 'wmk_e_not_a_key');
  const policy = '_schema: https://example.com/policy/v1\nartifacts:\n  provenance:\n    required: true\n';

  writeFileSync(join(admin.cwd, 'policy.yml'), policy);
  const urls = ['--build-url', 'https://ci.example.com/1', '--commit-url', 'https://git.example.com/1'];
  const inTrail = ['--flow', 'shop', '--trail', 'release-1'];
  const prepared = [
    ['flow', 'create', 'shop'],
    BEGIN,
    ['attest', 'artifact', DIGEST, '--filename', 'good.tgz', ...urls, ...inTrail],
    ['attest', 'artifact', BAD, '--filename', 'bad.tgz', ...urls, ...inTrail],
    ['attest', 'generic', '--name', 'scan', '--non-compliant', '--artifact', `sha256:${BAD}`, ...inTrail],
    ['env', 'create', 'prod', '--type', 'server'],
    ['policy', 'apply', 'built-here', '-f', 'policy.yml'],
    ['env', 'policies', 'attach', 'prod', 'built-here'],
  ];
  for (const line of prepared) expect(await admin.run(line)).toMatchObject({ code: 0 });

  it.each([
    ['a list', READ, 0],
    ['a trail that already exists', BEGIN, 0],
    ['an attestation', ATTEST, 0],
    ['an artifact that is compliant', ASSERT, 0],
    ['a name that cannot be one', ['flow', 'create', 'not a name'], 2],
    ['an artifact that is not compliant', ['assert', 'artifact', BAD, '--flow', 'shop'], 3],
    ['a flow that is not there', ['flow', 'get', 'nothing'], 5],
    ['a gate for an artifact that nobody knows', ['assert', 'artifact', 'c'.repeat(64), '--flow', 'shop'], 5],
    ['a gate for a trail that is not there', ['assert', 'trail', 'shop/none'], 5],
    ['a policy that is in use', ['policy', 'archive', 'built-here', '--yes'], 6],
    ['an environment that has never reported', ['assert', 'snapshot', 'prod'], 8],
  ])('%s', async (_, line, code) => {
    const ran = await admin.run(line);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code, stderr: expect.any(String) });
  });

  it.each([READ, ATTEST, ASSERT, ['flow', 'create', 'mine']])('access is denied: %s', async (...line) => {
    expect((await stranger.run(line)).code).toBe(4);
  });

  it('a role without permission', async () => {
    expect((await reader.run(READ)).code).toBe(0);
    expect((await reader.run(['flow', 'create', 'mine'])).code).toBe(4);
    expect((await reader.run(ATTEST)).code).toBe(4);
  });

  it('another org', async () => {
    expect((await admin.run([...READ, '--org', 'other'])).code).toBe(4);
  });

  it('not signed in', async () => {
    const nobody = givenCli({ WAYMARK_HOST: 'http://127.0.0.1:9', WAYMARK_ORG: 'acme' });
    for (const line of [READ, ATTEST, ASSERT]) expect((await nobody.run(line)).code).toBe(4);
  });
});

describe('an error in the line itself', () => {
  it.each([
    ['no host', {}, READ],
    [
      'no such file',
      signedIn('http://127.0.0.1:9'),
      ['attest', 'junit', 'none.xml', '--name', 'a', '--flow', 'shop', '--trail', 't'],
    ],
    ['an unset variable', signedIn('http://127.0.0.1:9'), [...READ, '--search', '']],
    ['no verdict', signedIn('http://127.0.0.1:9'), ATTEST.filter((word) => word !== '--compliant')],
    ['an unknown command', {}, ['flow', 'burn']],
  ])('%s', async (_, env, line) => {
    expect((await givenCli(env).run(line)).code).toBe(2);
  });
});

it('an invalid filter is refused before anything is sent', async () => {
  faulty.behave(json(201, 'recorded'));
  const { code, stderr } = await givenFaulty().run([...BEGIN, '--jq', '.[] | nme(']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--jq: syntax error')]);
  expect(faulty.received).toEqual([]);
});

it('reports what was recorded when only the result cannot be shown', async () => {
  faulty.behave(json(201, 'recorded'));
  const { code, stdout, stderr } = await givenFaulty().run([...BEGIN, '--json', 'colour']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain("The result has no field 'colour'\n  The change is recorded");
});

it('a bug is 1, with what to do about it', () => {
  const failure = failureOf(new TypeError('x is not a function'), undefined);
  expect(exitCodes[failure.ending]).toBe(1);
  expect(failure.fix).toContain('--debug');
});

it('Ctrl-C is 130', async () => {
  faulty.behave(neverAnswer);
  const { home } = givenCli();
  const { process, ran } = startWaymark(READ, { env: signedIn(faulty.baseUrl), cwd: home });
  await expect.poll(() => faulty.received.length).toBe(1);
  process.kill('SIGINT');
  expect(await ran).toEqual({ code: 130, stdout: '', stderr: 'Interrupted; nothing was recorded\n' });
});

it('waymark help exit-codes prints all of them, in order', async () => {
  const { code, stdout } = await givenCli().run(['help', 'exit-codes']);
  const rows = [...stdout.matchAll(/^ {2}(\d+) +(.+)$/gm)].map(([, number, text]) => [Number(number), text]);
  expect(code).toBe(0);
  expect(rows).toEqual(
    Object.entries(endings).map(([ending, text]) => [exitCodes[ending as keyof typeof endings], text]),
  );
  expect(rows.map(([number]) => number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130]);
});
