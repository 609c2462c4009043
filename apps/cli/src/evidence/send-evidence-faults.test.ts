import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type Behaviour,
  html,
  json,
  neverAnswer,
  startFaultyServer,
} from '../../../../packages/client/test/faulty-server.ts';
import { type Cli, type Given, givenCli } from '../../test/given-cli.ts';
import { report } from '../spool/given-spool.ts';
import { openSpool } from '../spool/spool.ts';

const faulty = await startFaultyServer();
afterAll(() => faulty.close());

const HOST = faulty.baseUrl.replace('/api/v2', '');
const RECEIPT = { 'waymark-attestation': '0190-1; bound' };
const recorded = json(201, 'recorded', RECEIPT);
const away = json(503, { message: 'Not now', errors: null });

const given = () => givenCli({ WAYMARK_HOST: HOST, WAYMARK_ORG: 'acme', WAYMARK_TOKEN: 'wmk_e0000' });
const directoryOf = (cli: Cli) => join(cli.home, '.local/state/waymark/spool');
const listOf = (cli: Cli) => openSpool(directoryOf(cli)).list();

const attest = (cli: Cli, name: string, { trail = 't', more = [], ...given }: AttestOptions = {}) =>
  cli.run(['attest', 'generic', '--name', name, '--compliant', '--flow', 'f', '--trail', trail, ...more], given);
interface AttestOptions extends Given {
  readonly trail?: string;
  readonly more?: readonly string[];
}

/** Responses to evidence by its name; reads are answered 404, which is not an error. */
function answersTo(answers: Readonly<Record<string, Behaviour>>): Behaviour {
  return (response, request) => {
    const [, name = ''] = /"attestation_name":"([^"]+)"/.exec(request.body) ?? [];
    (answers[name] ?? json(200, []))(response, request);
  };
}

const sentNames = () =>
  faulty.received.flatMap(({ body }) => /"attestation_name":"([^"]+)"/.exec(body)?.slice(1) ?? []);

async function givenWaiting(name: string): Promise<Cli> {
  const cli = given();
  faulty.behave(away);
  expect(await attest(cli, name)).toMatchObject({ code: 0 });
  expect((await listOf(cli)).entries).toHaveLength(1);
  return cli;
}

describe('a spooled entry that goes first', () => {
  it('is reported when it is refused', async () => {
    const cli = await givenWaiting('old');
    const refusal = json(400, { message: 'Not valid', errors: { control: 'is not known' } });
    faulty.behave(answersTo({ old: refusal, new: recorded }));
    const { code, stderr } = await attest(cli, 'new');
    expect(code).toBe(0);
    expect(stderr).toContain(
      "Refused from the spool: 1, first attestGeneric: Not valid (400): control is not known; 'waymark spool status' lists all",
    );
    expect((await listOf(cli)).refused).toHaveLength(1);
  });

  it('is reported when it is refused, also if the new one is', async () => {
    const cli = await givenWaiting('old');
    faulty.behave(json(400, { message: 'Not valid', errors: null }));
    const { code, stderr } = await attest(cli, 'new');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Refused from the spool: 1')]);
  });

  it('is reported once when it is damaged', async () => {
    const cli = await givenWaiting('old');
    const waiting = join(directoryOf(cli), 'waiting');
    for (const file of readdirSync(waiting)) writeFileSync(join(waiting, file), '{"id"');
    faulty.behave(answersTo({ new: recorded }));
    const { code, stderr } = await attest(cli, 'new');
    expect(code).toBe(0);
    expect(stderr.match(/Damaged in the spool, not sent: 1, first \S+: its end is missing/g)).toHaveLength(1);
  });
});

describe.each([
  ['a page for signing in', html(200)],
  ['a redirection', ((response) => response.writeHead(302, { location: '/login' }).end()) as Behaviour],
  ['the refusal of a proxy', html(403)],
  ['JSON of something else', json(201, { ok: true })],
  ['a success that names no attestation', json(201, 'recorded')],
])('%s', (_, strange) => {
  it('is an error at once, and nothing is spooled', async () => {
    const cli = given();
    faulty.behave(strange);
    const { code, stdout, stderr } = await attest(cli, 'new');
    expect([code, stdout]).toEqual([7, '']);
    expect(stderr).toContain('does not respond like Waymark');
    expect((await attest(cli, 'new', { more: ['--on-unavailable=ignore'] })).code).toBe(7);
    expect((await listOf(cli)).entries).toEqual([]);
  });

  it('keeps the spool waiting, and blocks no other trail', async () => {
    const cli = await givenWaiting('old');
    faulty.behave(answersTo({ old: strange, new: recorded, other: recorded }));
    const behind = await attest(cli, 'new');
    expect([behind.code, behind.stderr]).toEqual([0, expect.stringContaining('Spooled, not delivered yet')]);
    expect((await attest(cli, 'other', { trail: 'u' })).stdout).toContain('accepted by the service');
    expect((await listOf(cli)).entries).toHaveLength(2);
  });
});

it('sets aside entries without an answer of the service after 20 tries over more than a day', async () => {
  const cli = await givenWaiting('old');
  faulty.behave(answersTo({ old: html(403), new: recorded }));
  for (let i = 0; i < 20; i++) expect((await cli.run(['spool', 'push'])).code).toBe(7);
  const waiting = join(directoryOf(cli), 'waiting');
  const [tries = ''] = readdirSync(waiting).filter((file) => file.endsWith('.tries'));
  expect(JSON.parse(readFileSync(join(waiting, tries), 'utf8'))).toMatchObject({ tries: 20 });
  expect(await listOf(cli)).toMatchObject({ entries: [{}], damaged: [] });

  writeFileSync(join(waiting, tries), JSON.stringify({ tries: 20, since: new Date(Date.now() - 90_000_000) }));
  const { code, stderr } = await attest(cli, 'new');
  expect([code, stderr]).toEqual([0, expect.stringMatching(/Refused from the spool: 1.*\(403\).*21 tries since/)]);
  expect(sentNames().at(-1)).toBe('new');
  expect(readdirSync(waiting)).toEqual([]);
});

it('forgets the tries of recorded evidence', async () => {
  const cli = await givenWaiting('old');
  faulty.behave(html(403));
  await cli.run(['spool', 'push']);
  faulty.behave(recorded);
  expect((await cli.run(['spool', 'push'])).code).toBe(0);
  expect(readdirSync(join(directoryOf(cli), 'waiting'))).toEqual([]);
});

it('bypasses a spool that others can access, with a warning', async () => {
  const cli = await givenWaiting('old');
  chmodSync(directoryOf(cli), 0o755);
  faulty.behave(answersTo({ new: recorded }));
  const { code, stderr } = await attest(cli, 'new');
  expect(code).toBe(0);
  expect(stderr).toContain('is accessible to other users (mode 755)');
  expect(stderr).toContain('chmod 700');
  expect(sentNames()).toEqual(['new']);
});

it('bypasses a spool that cannot be pushed, with a warning', async () => {
  const cli = await givenWaiting('old');
  // The lock path is not a file.
  mkdirSync(join(directoryOf(cli), 'push-1.lock'));
  faulty.behave(answersTo({ new: recorded }));
  const { code, stderr } = await attest(cli, 'new');
  expect([code, stderr]).toEqual([0, expect.stringContaining('The spool was not pushed')]);
  expect(sentNames()).toEqual(['new']);
});

it('reports a place where no directory can be made', async () => {
  faulty.behave(away);
  const { code, stderr } = await attest(given(), 'a', { env: { WAYMARK_SPOOL_DIR: '/proc/nowhere/spool' } });
  expect([code, stderr]).toEqual([7, expect.stringContaining('/proc/nowhere/spool: It cannot be created')]);
});

describe('an interrupted command', () => {
  const interrupt = async (cli: Cli, requests: number, more: readonly string[] = []) => {
    const stopping = new AbortController();
    const running = attest(cli, 'new', { signal: stopping.signal, more });
    await expect.poll(() => faulty.received.length).toBe(requests);
    stopping.abort();
    return running;
  };

  it('spools the evidence under way', async () => {
    const cli = given();
    faulty.behave(neverAnswer);
    const { code, stdout, stderr } = await interrupt(cli, 1);
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toContain('Spooled, not delivered yet: interrupted before the response arrived');
    const { entries } = await listOf(cli);
    expect(entries.map(({ id }) => id)).toEqual([faulty.received[0]?.headers['waymark-evidence-id']]);
  });

  it('spools it behind the entries sent before it', async () => {
    const cli = await givenWaiting('old');
    faulty.behave(neverAnswer);
    expect((await interrupt(cli, 1)).code).toBe(130);
    expect((await listOf(cli)).entries.map(({ body }) => body)).toMatchObject([
      { attestation_name: 'old' },
      { attestation_name: 'new' },
    ]);
  });

  it.each(['fail', 'ignore'])('spools nothing with --on-unavailable=%s', async (choice) => {
    const cli = given();
    faulty.behave(neverAnswer);
    expect((await interrupt(cli, 1, [`--on-unavailable=${choice}`])).code).toBe(130);
    expect((await listOf(cli)).entries).toEqual([]);
  });

  it('reports evidence that could not be spooled', async () => {
    const cli = given();
    writeFileSync(join(cli.home, 'file'), '');
    const stopping = new AbortController();
    faulty.behave(neverAnswer);
    const env = { WAYMARK_SPOOL_DIR: join(cli.home, 'file/spool') };
    const running = attest(cli, 'new', { signal: stopping.signal, env });
    await expect.poll(() => faulty.received.length).toBe(1);
    stopping.abort();
    const { code, stderr } = await running;
    expect([code, stderr]).toEqual([130, expect.stringContaining('The request was not spooled')]);
  });
});

it('keeps a newer report that was spooled while an older one was sent', async () => {
  const cli = given();
  writeFileSync(join(cli.cwd, 'a.txt'), 'one');
  const line = `${HOST}/acme/prod`;
  const meanwhile: Behaviour = (response, request) => {
    const newer = { ...report('b'), line, host: HOST, claimedAt: new Date(Date.now() + 60_000) };
    const older = { ...report('a'), line, host: HOST };
    void (async () => {
      await openSpool(directoryOf(cli)).append(older);
      await openSpool(directoryOf(cli)).append(newer);
      json(200, 'Snapshot 1', { 'waymark-snapshot': '1; created' })(response, request);
    })();
  };
  faulty.behave(meanwhile, away);
  const { code, stderr } = await cli.run(['snapshot', 'path', 'prod', 'a.txt']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect((await listOf(cli)).entries.map(({ body }) => body)).toEqual([report('b').body]);
});
