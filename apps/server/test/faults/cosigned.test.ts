import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  COSIGNATURE,
  cosign,
  formatAddCheckpoint,
  formatCheckpoint,
  formatCosignatures,
  formatVerifierKey,
  parsePolicy,
  parseSignedCheckpoint,
  signerOf,
  signingKey,
  verifyCheckpoint,
} from '@waymark/transparency';
import { sql } from 'kysely';
import { afterAll, expect, it, vi } from 'vitest';
import { signAs } from '../../src/platform/ledger/log-keys.ts';
import { runOutside } from '../../src/platform/ledger/outside.ts';
import { collectCosignatures } from '../../src/platform/ledger/witnesses/collector.ts';
import type { AskedWitness } from '../../src/platform/ledger/witnesses/witness.store.ts';
import { createGuardedFetch } from '../../src/platform/outbound/guarded-fetch.ts';
import { systemClock } from '../../src/platform/time.ts';
import { appendForged } from '../given/forged-tree.ts';
import { givenEntries } from '../given/proofs.ts';
import { givenSealedLedger } from '../given/sealed.ts';
import { type GivenWitness, startWitness } from '../given/witness.ts';
import { noLog, startApi } from '../harness.ts';

const api = await startApi();
const ledger = await givenSealedLedger(api.db);
const { db } = api;
const ended: (() => void)[] = [];
afterAll(() => {
  for (const end of ended) end();
});
const [one, two] = await Promise.all(
  ['one.witness.example', 'two.witness.example'].map((name) =>
    startWitness(name, ledger.policy(), (end) => ended.push(end as () => void)),
  ),
);
if (!one || !two) throw new Error('no witness');

interface Row {
  readonly name: string;
  readonly size: number;
  readonly error: string | null;
  readonly contradicts: boolean;
  readonly failures: number;
  readonly cosignatures: number;
}

async function rows(): Promise<Map<string, Row>> {
  const { rows } = await sql<Row>`
    select name, size, error, contradicts, failures, cosignatures from witness`.execute(db);
  return new Map(rows.map((row) => [row.name, row]));
}

const asked = ({ name, verifierKey, url }: AskedWitness): AskedWitness => ({ name, verifierKey, url });

/** Collects until the check passes. */
async function collectUntil(witnesses: readonly AskedWitness[], check: () => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const outbound = createGuardedFetch({ allowedNetworks: ['127.0.0.0/8'], timeoutMs: 1_000 });
  const collecting = collectCosignatures({
    db,
    witnesses,
    outbound,
    now: systemClock,
    log: noLog,
    signal: ending.signal,
  });
  try {
    await vi.waitFor(check, { timeout: 60_000, interval: 50 });
  } finally {
    ending.abort();
    await collecting;
  }
}

async function sealMore(entries = 3): Promise<{ size: number; number: number; note: string }> {
  await givenEntries(db, [api.org.id], entries);
  await ledger.seal();
  return newest();
}

async function newest() {
  const { rows } = await sql<{ size: number; number: number; note: string }>`
    select size, number, note from region_checkpoint order by number desc limit 1`.execute(db);
  if (!rows[0]) throw new Error('no checkpoint');
  return rows[0];
}

async function cosignedNote({ number, note }: { number: number; note: string }): Promise<string> {
  const { rows } = await sql<{ line: string }>`
    select line from checkpoint_cosignature where epoch = 1 and number = ${number} order by line`.execute(db);
  return note + rows.map(({ line }) => line).join('');
}

function policyOf(...witnesses: readonly AskedWitness[]) {
  const lines = witnesses.map(({ verifierKey }, i) => `witness w${i} ${verifierKey}\n`);
  const group = `group all all ${witnesses.map((_, i) => `w${i}`).join(' ')}\nquorum all\n`;
  return parsePolicy(ledger.policy().replace('quorum none\n', '') + lines.join('') + group);
}

type Listener = (...parts: Parameters<RequestListener>) => unknown;

async function serve(listener: Listener): Promise<string> {
  const server = createServer((request, response) => {
    Promise.resolve(listener(request, response)).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ended.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const witnessKey = (number: number, name: string) => signingKey(name, COSIGNATURE, Buffer.alloc(32, number));

it('two witnesses cosign each checkpoint, and those that are dead, slow, or wrong delay nobody', async () => {
  const key = await witnessKey(7, 'wrong.witness.example');
  const verifierKey = (number: number) => witnessKey(number, `w${number}.example`).then(formatVerifierKey);
  let slowRequests = 0;
  const others: AskedWitness[] = [
    { name: 'dead', verifierKey: await verifierKey(20), url: 'http://127.0.0.1:1' },
    {
      name: 'slow',
      verifierKey: await verifierKey(21),
      url: await serve(() => {
        slowRequests += 1;
      }),
    },
    { name: 'garbage', verifierKey: await verifierKey(22), url: await serve((_, response) => response.end('<html>')) },
    {
      name: 'endless',
      verifierKey: await verifierKey(23),
      url: await serve((_, response) => {
        response.on('error', () => undefined);
        response.end(Buffer.alloc(1_000_000, 0x20));
      }),
    },
    {
      name: 'wrong',
      verifierKey: formatVerifierKey(key),
      url: await serve(async (_, response) => {
        const signature = await cosign('another text\n1\nAAAA\n', signerOf(key), 1_790_000_000);
        response.end(formatCosignatures([signature]));
      }),
    },
    { name: 'unknown', verifierKey: await verifierKey(24), url: `${one.url}/nothing` },
    { name: 'foreign', verifierKey: await verifierKey(25), url: one.url },
  ];
  for (let round = 1; round <= 2; round += 1) {
    const checkpoint = await sealMore(300);
    await collectUntil([asked(one), asked(two), ...others], async () => {
      const found = await rows();
      expect([found.get(one.name), found.get(two.name)]).toMatchObject([
        { size: checkpoint.size, cosignatures: round, error: null },
        { size: checkpoint.size, cosignatures: round, error: null },
      ]);
      for (const { name } of others) expect(found.get(name)?.failures, name).toBeGreaterThanOrEqual(round);
    });
    const signed = parseSignedCheckpoint(await cosignedNote(checkpoint));
    expect(await verifyCheckpoint(signed, policyOf(one, two))).toMatchObject({ ok: true });
  }
  const found = await rows();
  expect(Object.fromEntries(others.map(({ name }) => [name, found.get(name)?.error]))).toEqual({
    dead: '127.0.0.1 cannot be reached or sent an unexpected response',
    slow: '127.0.0.1 did not respond within 1 s',
    garbage: 'It responded with something else than cosignatures',
    endless: '127.0.0.1 sent more than 65536 bytes',
    wrong: 'It responded with a cosignature that is wrong',
    unknown: 'It does not know the log waymark.test/eu/1, or its URL is wrong',
    foreign: 'It responded without a cosignature of its key',
  });
  expect([...found.values()].some(({ contradicts }) => contradicts)).toBe(false);
  expect(slowRequests).toBeLessThan(10);
  // Witnesses that are not in the policy any more are forgotten.
  await collectUntil([asked(one), asked(two)], async () => expect((await rows()).size).toBe(2));
});

it('a lost answer is asked for again, from the size that the witness has', async () => {
  let lost = 0;
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await fetch(`${one.url}${request.url}`, { method: 'POST', body: Buffer.concat(chunks) });
    if (answer.status === 200 && lost === 0) {
      lost += 1;
      response.destroy();
      return;
    }
    response.writeHead(answer.status).end(await answer.text());
  });
  const checkpoint = await sealMore();
  await collectUntil([{ ...asked(one), url }], async () => {
    expect((await rows()).get(one.name)).toMatchObject({ size: checkpoint.size, error: null });
  });
  expect(lost).toBe(1);
  const signed = parseSignedCheckpoint(await cosignedNote(checkpoint));
  expect(await verifyCheckpoint(signed, policyOf(one))).toMatchObject({ ok: true });
});

it('a witness that was killed and started again goes on', async () => {
  await two.server.kill();
  const checkpoint = await sealMore();
  await collectUntil([asked(one), asked(two)], async () => {
    expect((await rows()).get(one.name)?.size).toBe(checkpoint.size);
    expect((await rows()).get(two.name)?.error).not.toBe(null);
  });
  await two.restart();
  await collectUntil([asked(one), asked(two)], async () => {
    expect((await rows()).get(two.name)).toMatchObject({ size: checkpoint.size, error: null });
  });
});

it('two collectors at once disturb neither each other nor the witness', async () => {
  const checkpoint = await sealMore();
  const check = async () => expect((await rows()).get(one.name)).toMatchObject({ size: checkpoint.size, error: null });
  await Promise.all([1, 2, 3].map(() => collectUntil([asked(one), asked(two)], check)));
});

it('of two workers, one collects, and the other takes over when it ends', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const outbound = createGuardedFetch({ allowedNetworks: ['127.0.0.0/8'], timeoutMs: 1_000 });
  const parts = { db, witnesses: [asked(one)], authority: undefined, outbound, now: systemClock, log: noLog };
  const running = [first, second].map(({ signal }) => runOutside({ ...parts, signal }));
  for (const ending of [first, second]) {
    const checkpoint = await sealMore();
    await expect.poll(async () => (await rows()).get(one.name)?.size).toBe(checkpoint.size);
    ending.abort();
  }
  await Promise.all(running);
});

it('a witness that is ahead of a restored database contradicts it, until the log has caught up', async () => {
  const before = await newest();
  const checkpoint = await sealMore();
  await collectUntil([asked(one)], async () => expect((await rows()).get(one.name)?.size).toBe(checkpoint.size));
  // As after a restore to the point before: the newest checkpoint is in the object store only.
  await sql`delete from region_checkpoint where number = ${checkpoint.number}`.execute(api.owner);
  await sql`delete from checkpoint_cosignature where number = ${checkpoint.number}`.execute(api.owner);
  await sql`update witness set size = 0`.execute(api.owner);
  await collectUntil([asked(one)], async () => {
    expect((await rows()).get(one.name)).toMatchObject({
      contradicts: true,
      error: expect.stringContaining(
        `It has cosigned a checkpoint of ${checkpoint.size} leaves, which this log has not signed`,
      ),
    });
  });
  expect((await newest()).number).toBe(before.number);
  const later = await sealMore();
  await collectUntil([asked(one)], async () => {
    expect((await rows()).get(one.name)).toMatchObject({ contradicts: false, error: null, size: later.size });
  });
});

it('a second history that was shown to a witness is found', async () => {
  const witness: GivenWitness = two;
  const before = await sealMore();
  await collectUntil([asked(witness)], async () => expect((await rows()).get(witness.name)?.size).toBe(before.size));
  // Somebody with the key of the log signs another tree of the size that comes next.
  const { checkpoint: old } = parseSignedCheckpoint(before.note);
  const { size } = await sealMore(1);
  const { root, proof } = await appendForged(db, old.size, size);
  const forged = await signAs(old.origin, ledger.keys, formatCheckpoint({ ...old, size, root }));
  const body = formatAddCheckpoint({ oldSize: old.size, proof, signed: parseSignedCheckpoint(forged) });
  const response = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body });
  expect(response.status).toBe(200);

  await collectUntil([asked(one), asked(witness)], async () => {
    const found = await rows();
    expect(found.get(one.name)).toMatchObject({ size, contradicts: false });
    expect(found.get(witness.name)).toMatchObject({ contradicts: true });
  });
  // What is wrong with it is still said when it cannot be reached.
  await witness.server.kill();
  await collectUntil([asked(witness)], async () => {
    const row = (await rows()).get(witness.name);
    expect(row?.failures).toBeGreaterThan(1);
    expect(row).toMatchObject({ contradicts: true });
  });
});
