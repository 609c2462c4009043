import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Attestation, listAttestations } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenFlow } from '../../../server/test/given/evidence.ts';
import { startApi } from '../../../server/test/harness.ts';
import { addressOf, type Cli, givenSignedIn } from '../../test/given-cli.ts';
import { openSpool } from '../spool/spool.ts';

const api = await startApi();
const address = await addressOf(api);

/** In front of the API: forwards requests, or answers as instructed, at a fixed address. */
let answer: number | 'pass' | 'hang up' = 'pass';
const front = createServer((request, response) => void passOn(request, response));
async function passOn(request: IncomingMessage, response: ServerResponse) {
  if (answer === 'hang up') return request.socket.destroy();
  if (answer !== 'pass')
    return response.writeHead(answer, { 'content-type': 'application/json' }).end('{"message":"no"}');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { host: _, connection: __, 'transfer-encoding': ___, 'content-length': ____, ...headers } = request.headers;
  const passed = await fetch(`${address}${request.url}`, {
    method: request.method ?? 'GET',
    headers: headers as Record<string, string>,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const { 'content-encoding': _____, ...answered } = Object.fromEntries(passed.headers);
  return response.writeHead(passed.status, answered).end(Buffer.from(await passed.arrayBuffer()));
}
await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
afterAll(() => front.close());
const host = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;

beforeAll(() => givenFlow(api, 'shop'));

const attest = (cli: Cli, trail: string, name: string, ...more: string[]) =>
  cli.run(['attest', 'generic', '--flow', 'shop', '--trail', trail, '--name', name, '--compliant', ...more], {
    env: { WAYMARK_HOST: host },
  });

async function namesIn(trail: string): Promise<string[]> {
  const { body } = await api.call(listAttestations, { query: { per_page: '100' } });
  return body.data
    .filter((one: Attestation) => one.trail_name === trail)
    .map((one: Attestation) => one.attestation_name)
    .reverse();
}

const spoolOf = (cli: Cli) => openSpool(join(cli.home, '.local/state/waymark/spool'));
const waitingIn = async (cli: Cli) => (await spoolOf(cli).list()).entries.length;

describe.each([['hang up'], [503], [500], [429]] as const)('when the service answers with %s', (fault) => {
  it('spools evidence, and sends it in order with the next command', async () => {
    const cli = await givenSignedIn(api);
    const trail = `kept-${String(fault).replace(' ', '-')}`;
    answer = fault;
    const spooled = await attest(cli, trail, 'one');
    expect([spooled.code, spooled.stdout]).toEqual([0, '…  one  generic  spooled\n']);
    expect(spooled.stderr).toContain('Spooled, not delivered yet');
    expect((await attest(cli, trail, 'two', '--strict')).code).toBe(9);
    expect(await waitingIn(cli)).toBe(2);
    answer = 'pass';
    const sent = await attest(cli, trail, 'three', '--strict');
    expect(sent.code).toBe(0);
    expect(await namesIn(trail)).toEqual(['one', 'two', 'three']);
    expect(await waitingIn(cli)).toBe(0);
  });

  it('fails, skips, or reports it in a dry run, and spools nothing', async () => {
    const cli = await givenSignedIn(api);
    answer = fault;
    expect((await attest(cli, 'no', 'x', '--on-unavailable', 'fail')).code).toBe(7);
    expect((await attest(cli, 'no', 'x', '--dry-run')).code).toBe(7);
    const ignored = await attest(cli, 'no', 'x', '--on-unavailable', 'ignore');
    expect([ignored.code, ignored.stderr]).toEqual([
      0,
      expect.stringContaining('Not sent, because of --on-unavailable=ignore'),
    ]);
    answer = 'pass';
    expect(await waitingIn(cli)).toBe(0);
    expect(await namesIn('no')).toEqual([]);
  });
});

it('reports that the service is unavailable and entries wait, when spooling is off', async () => {
  const cli = await givenSignedIn(api);
  answer = 'hang up';
  await attest(cli, 'behind', 'a');
  const { code, stderr } = await attest(cli, 'behind', 'b', '--on-unavailable', 'fail');
  answer = 'pass';
  expect(code).toBe(7);
  expect(stderr).toMatch(/^✕ Not sent: .*cannot be reached/);
  expect(stderr).toContain('Spooled entries of the same trail must be sent first');
  expect(stderr).toContain("'waymark spool status'");
  expect(await waitingIn(cli)).toBe(1);
});

it('also sends entries of other trails once the service is available', async () => {
  const cli = await givenSignedIn(api);
  answer = 'hang up';
  await attest(cli, 'other-1', 'a');
  await attest(cli, 'other-2', 'b');
  answer = 'pass';
  const { stderr } = await attest(cli, 'other-3', 'c');
  expect(stderr).toContain('Sent from the spool: 2');
  expect([await namesIn('other-1'), await namesIn('other-2')]).toEqual([['a'], ['b']]);
});

it('keeps a refusal an error: it would be refused again', async () => {
  const cli = await givenSignedIn(api);
  for (const [status, code] of [
    [400, 2],
    [401, 4],
    [403, 4],
    [404, 5],
    [409, 6],
    [413, 2],
  ] as const) {
    answer = status;
    expect((await attest(cli, 'refused', 'x')).code).toBe(code);
  }
  answer = 'pass';
  expect(await waitingIn(cli)).toBe(0);
});

it('writes no key to the spool, and files for their owner only', async () => {
  const cli = await givenSignedIn(api);
  answer = 'hang up';
  await attest(cli, 'secret', 'a');
  answer = 'pass';
  const listed = JSON.stringify(await spoolOf(cli).list());
  expect(listed).toContain('"attestation_name":"a"');
  expect(listed).not.toContain(api.org.keys.admin);
});

it('works without a spool, and reports that when the service is unavailable as well', async () => {
  const cli = await givenSignedIn(api);
  writeFileSync(join(cli.home, 'file'), '');
  const env = { WAYMARK_HOST: host, WAYMARK_SPOOL_DIR: join(cli.home, 'file/spool') };
  const sent = await cli.run(['begin', 'trail', 'no-spool', '--flow', 'shop'], { env });
  expect([sent.code, sent.stderr]).toEqual([0, expect.stringContaining('A part of the path is not a directory')]);
  answer = 'hang up';
  const { code, stderr } = await cli.run(['begin', 'trail', 'no-spool', '--flow', 'shop'], { env });
  answer = 'pass';
  expect([code, stderr]).toEqual([7, expect.stringContaining('choose another directory with WAYMARK_SPOOL_DIR')]);
});

it('begins a trail before the evidence that was spooled behind it', async () => {
  const cli = await givenSignedIn(api);
  answer = 'hang up';
  const begun = await cli.run(['begin', 'trail', 'late', '--flow', 'shop', '--description', 'D'], {
    env: { WAYMARK_HOST: host },
  });
  expect([begun.code, begun.stdout]).toEqual([0, 'Trail late of shop is spooled\n']);
  await attest(cli, 'late', 'a');
  answer = 'pass';
  await attest(cli, 'late', 'b');
  expect(await namesIn('late')).toEqual(['a', 'b']);
});
