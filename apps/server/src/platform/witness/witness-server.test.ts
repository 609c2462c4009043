import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  COSIGNATURE,
  formatVerifierKey,
  originHash,
  parseCosignatures,
  parseNote,
  parsePolicy,
  parseVerifierKey,
  type SigningKey,
  signerOf,
  signingKey,
  verifyNote,
} from '@waymark/transparency';
import { expect, it, onTestFinished } from 'vitest';
import { givenLog, type TestLog } from '../../../test/given/ledger-log.ts';
import { createLogger } from '../log.ts';
import { createWitness } from './witness.ts';
import { openWitnessServer, type WitnessLimits } from './witness-server.ts';
import { openWitnessState } from './witness-state.ts';

const NOW = new Date('2026-11-19T02:00:00Z');

interface Given {
  readonly url: string;
  readonly key: SigningKey;
  readonly directory: string;
  add(body: string | Uint8Array<ArrayBuffer>): Promise<{ status: number; type: string | null; body: string }>;
}

async function givenWitness({
  logs,
  directory = mkdtempSync(join(tmpdir(), 'witness-')),
  limits = {},
}: {
  logs: readonly TestLog[];
  directory?: string;
  limits?: Partial<WitnessLimits>;
}): Promise<Given> {
  const key = await signingKey('witness.example/w1', COSIGNATURE, Buffer.alloc(32, 9));
  const policy = parsePolicy([...logs.map(({ verifierKey }) => `log ${verifierKey}`), 'quorum none\n'].join('\n'));
  const state = await openWitnessState(directory);
  const server = await openWitnessServer({
    witness: createWitness({ signer: signerOf(key), policy, state, now: () => NOW }),
    verifierKey: formatVerifierKey(key),
    logNames: logs.map(({ origin }) => origin),
    tls: undefined,
    metrics: undefined,
    log: createLogger('silent'),
    limits,
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    key,
    directory,
    async add(body) {
      const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        body: await response.text(),
      };
    },
  };
}

async function latestOf({ url }: Given, { origin }: TestLog) {
  const response = await fetch(`${url}/${originHash(origin)}/checkpoint`);
  return { status: response.status, body: await response.text() };
}

it('cosigns the first checkpoint of a log, and each one that extends it', async () => {
  const log = await givenLog();
  const witness = await givenWitness({ logs: [log] });
  for (const [oldSize, size] of [
    [0, 3],
    [3, 3],
    [3, 300],
    [300, 3_000],
  ] as const) {
    const { status, body } = await witness.add(await log.request(oldSize, size));
    expect(status).toBe(200);
    const note = parseNote(await log.checkpoint(size));
    const { verified, failed } = await verifyNote({ ...note, signatures: parseCosignatures(body) }, [witness.key]);
    expect([verified.map(({ time }) => time), failed]).toEqual([[NOW.getTime() / 1000], []]);
  }
});

it('serves the latest checkpoint of a log to monitors, signed by the log and cosigned', async () => {
  const [log, other] = await Promise.all([givenLog(), givenLog('other.example/log', 2)]);
  const witness = await givenWitness({ logs: [log, other] });
  expect(await latestOf(witness, log)).toMatchObject({ status: 404 });
  await witness.add(await log.request(0, 3));
  await witness.add(await log.request(3, 8));
  const { status, body } = await latestOf(witness, log);
  expect(status).toBe(200);
  const note = parseNote(body);
  expect(note.text).toBe(parseNote(await log.checkpoint(8)).text);
  const { verified } = await verifyNote(note, [parseVerifierKey(log.verifierKey), witness.key]);
  expect(verified.map(({ key }) => key.name)).toEqual([log.origin, witness.key.name]);
  expect(await latestOf(witness, other)).toMatchObject({ status: 404 });
});

it('answers 409 with its size when another one was sent, and 400 when the old size is above the new one', async () => {
  const log = await givenLog();
  const witness = await givenWitness({ logs: [log] });
  expect(await witness.add(await log.request(2, 3))).toEqual({ status: 409, type: 'text/x.tlog.size', body: '0\n' });
  await witness.add(await log.request(0, 5));
  for (const oldSize of [0, 4, 6])
    expect(await witness.add(await log.request(oldSize, 7))).toMatchObject({ status: 409, body: '5\n' });
  expect(await witness.add(await log.request(5, 4))).toMatchObject({ status: 400 });
});

it('answers 404 for an unknown log and 403 for a checkpoint that its log did not sign', async () => {
  const log = await givenLog();
  const witness = await givenWitness({ logs: [log] });
  expect(await witness.add(await (await givenLog('other.example/log')).request(0, 3))).toMatchObject({ status: 404 });
  const impostor = await givenLog(log.origin, 2);
  expect(await witness.add(await impostor.request(0, 3))).toMatchObject({ status: 403 });
  // A wrong signature is not made good by a valid one beside it.
  const [valid, changed] = [await log.request(0, 3), await log.request(0, 4)];
  const otherLine = changed.split('\n').at(-2);
  expect(await witness.add(`${valid}${otherLine}\n`)).toMatchObject({ status: 403 });
  expect(await latestOf(witness, log)).toMatchObject({ status: 404 });
});

it('accepts a log under each of its keys, and ignores signatures of others', async () => {
  const [log, rotated, stranger] = await Promise.all([1, 2, 3].map((n) => givenLog('waymark.example/eu/1', n)));
  if (!log || !rotated || !stranger) throw new Error('three logs were given');
  const witness = await givenWitness({ logs: [log, rotated] });
  const strangerLine = (await stranger.request(0, 3)).split('\n').at(-2);
  expect(await witness.add(`${await log.request(0, 3)}${strangerLine}\n`)).toMatchObject({ status: 200 });
  expect((await latestOf(witness, log)).body).not.toContain(strangerLine);
  expect(await witness.add(await rotated.request(3, 9))).toMatchObject({ status: 200 });
});

it('refuses the second of two forks with 422, whatever proof comes with it', async () => {
  const log = await givenLog();
  const witness = await givenWitness({ logs: [log] });
  const fork = log.forkedAt(4);
  expect(await witness.add(await log.request(0, 6))).toMatchObject({ status: 200 });
  for (const body of [await fork.request(6, 6), await fork.request(6, 9)])
    expect(await witness.add(body)).toMatchObject({ status: 422 });
  const withoutProof = (await log.request(6, 9)).replace(/^old 6\n.*?\n\n/s, 'old 6\n\n');
  expect(await witness.add(withoutProof)).toMatchObject({ status: 422 });
  expect((await latestOf(witness, log)).body).toContain(parseNote(await log.checkpoint(6)).text);
  expect(await witness.add(await log.request(6, 9))).toMatchObject({ status: 200 });
});

it('refuses a proof from an empty tree, and an empty tree with the root of another', async () => {
  const log = await givenLog();
  const witness = await givenWitness({ logs: [log] });
  const proof = (await log.request(3, 7)).split('\n\n')[0]?.replace('old 3', 'old 0');
  expect(await witness.add(`${proof}\n\n${await log.checkpoint(7)}`)).toMatchObject({ status: 422 });
  expect(await witness.add(await log.request(0, 0))).toMatchObject({ status: 200 });
});

it.each([
  ['one process', 1],
  ['two processes on one directory', 2],
])('of forks that arrive at once, cosigns one: %s', async (_, processes) => {
  const log = await givenLog();
  const forks = Array.from({ length: 8 }, (_, i) => log.forkedAt(i + 1));
  const bodies = await Promise.all(forks.map((fork) => fork.request(0, 20)));
  for (let round = 0; round < 20; round++) {
    const directory = mkdtempSync(join(tmpdir(), 'witness-'));
    const witnesses = await Promise.all(
      Array.from({ length: processes }, () => givenWitness({ logs: [log], directory })),
    );
    const [witness = expect.unreachable(), other = witness] = witnesses;
    const answers = await Promise.all(bodies.map((body, i) => (i % 2 === 0 ? witness : other).add(body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    const winner = forks[answers.findIndex(({ status }) => status === 200)] ?? expect.unreachable();
    expect((await latestOf(other, log)).body).toContain(parseNote(await winner.checkpoint(20)).text);
    expect(await witness.add(await winner.request(20, 21))).toMatchObject({ status: 200 });
  }
});

it('goes on where it was after a restart', async () => {
  const log = await givenLog();
  const { directory, add } = await givenWitness({ logs: [log] });
  await add(await log.request(0, 5));
  const again = await givenWitness({ logs: [log], directory });
  expect(await again.add(await log.request(0, 7))).toMatchObject({ status: 409, body: '5\n' });
  expect(await again.add(await log.forkedAt(2).request(5, 7))).toMatchObject({ status: 422 });
  expect(await again.add(await log.request(5, 7))).toMatchObject({ status: 200 });
});

it.each([
  ['nothing', ''],
  ['no checkpoint', 'old 0\n'],
  ['not text', new Uint8Array([0xff, 0xfe, 0, 1])],
  ['a size with a sign', 'old -1\n\nx\n'],
  ['a NUL', 'old 0\n\nwaymark.example/eu/1\0\n0\n\n'],
  ['64 hashes', `old 1\n${`${Buffer.alloc(32).toString('base64')}\n`.repeat(64)}\nwaymark.example/eu/1\n`],
  ['an incomplete UTF-8 character', Uint8Array.from(Buffer.from('old 0\n\n\u{2014} ').subarray(0, 9))],
])('answers 400 to a body with %s', async (_, body) => {
  const witness = await givenWitness({ logs: [await givenLog()] });
  expect(await witness.add(body)).toMatchObject({ status: 400 });
});

it('answers 400 or 403 to every truncation of a request', async () => {
  const log = await givenLog();
  const witness = await givenWitness({ logs: [log] });
  await witness.add(await log.request(0, 200));
  const body = await log.request(200, 300);
  for (let length = 0; length < body.length; length += 7)
    expect([400, 403]).toContain((await witness.add(body.slice(0, length))).status);
});

it('answers 405 to other methods and 404 to other paths', async () => {
  const { url, key } = await givenWitness({ logs: [] });
  const statusOf = async (path: string, method: string) => (await fetch(`${url}${path}`, { method })).status;
  expect(await statusOf('/add-checkpoint', 'GET')).toBe(405);
  expect(await statusOf(`/${'0'.repeat(64)}/checkpoint`, 'DELETE')).toBe(405);
  expect(await statusOf(`/${'0'.repeat(64)}/checkpoint`, 'GET')).toBe(404);
  expect(await statusOf('/sign-subtree', 'POST')).toBe(404);
  expect(await (await fetch(url)).text()).toBe(`${formatVerifierKey(key)}\n`);
});

it('answers 413 to a body that is too large, announced or not', async () => {
  const { url, add } = await givenWitness({ logs: [], limits: { maxBytes: 1_000 } });
  expect(await add('x'.repeat(1_001))).toMatchObject({ status: 413 });
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(600)),
  });
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
  expect((await fetch(`${url}/add-checkpoint`, init)).status).toBe(413);
});

it('ends a body that arrives too slowly with 408, and serves others meanwhile', async () => {
  const log = await givenLog();
  const { url, add } = await givenWitness({ logs: [log], limits: { withinMs: 300 } });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const answered = new Promise<string>((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.once('close', () => resolve(text));
  });
  socket.write('POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length: 100\r\n\r\nold');
  expect(await add(await log.request(0, 3))).toMatchObject({ status: 200 });
  expect(await answered).toMatch(/^HTTP\/1.1 408 /);
});

it('answers 503 when too many requests are under way', async () => {
  const log = await givenLog();
  const { url, add } = await givenWitness({ logs: [log], limits: { concurrent: 1 } });
  const slow = new TransformStream();
  const init = { method: 'POST', body: slow.readable, duplex: 'half' } as RequestInit;
  const first = fetch(`${url}/add-checkpoint`, init);
  const writer = slow.writable.getWriter();
  await writer.write(Buffer.from('old 0\n'));
  await expect.poll(async () => (await add('old 0\n')).status).toBe(503);
  await writer.write(Buffer.from((await log.request(0, 3)).replace('old 0\n', '')));
  await writer.close();
  expect((await first).status).toBe(200);
  expect(await add(await log.request(3, 4))).toMatchObject({ status: 200 });
});
