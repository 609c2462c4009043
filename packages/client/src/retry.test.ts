import { afterAll, describe, expect, it } from 'vitest';
import {
  type FaultyServer,
  halfAnAnswer,
  hangUp,
  html,
  instantPace,
  json,
  neverAnswer,
  startFaultyServer,
} from '../test/faulty-server.ts';
import {
  addPublicThing,
  addThing,
  attestThing,
  deleteThing,
  downloadThing,
  getThing,
  patchThing,
  putThing,
} from '../test/operations.ts';
import { createClient, createPacedClient } from './client.ts';
import { ApiError, UnreachableError } from './errors.ts';
import type { Retry } from './options.ts';
import { jitter } from './retry.ts';

const server = await startFaultyServer();
afterAll(server.close);
const thing = json(200, { name: 'a' });
const done = json(201, 'done');
const input = { params: { name: 'a' } };
const body = { name: 'a' };

function client(random?: number, more: object = {}) {
  const pace = instantPace(random);
  return { pace, ...createPacedClient({ baseUrl: server.baseUrl, ...more }, pace) };
}

const keysSent = ({ received }: FaultyServer) => received.map(({ headers }) => headers['idempotency-key']);

describe('a call is repeated', () => {
  it.each([
    ['the connection breaks', hangUp],
    ['half an answer comes', halfAnAnswer],
    ['too many requests were made', json(429, { message: 'Too many requests' })],
    ['a proxy has no server', html(502)],
    ['the server is not available', json(503, { message: 'The database cannot be reached' })],
    ['a proxy waits in vain', html(504)],
  ])('when %s', async (_, fault) => {
    server.behave(fault, fault, fault, thing);
    expect(await client().call(getThing, input)).toEqual({ name: 'a' });
    expect(server.received).toHaveLength(4);
  });

  it('when no answer comes in time', async () => {
    server.behave(neverAnswer, thing);
    expect(await client(0, { timeoutMs: 2_000 }).call(getThing, input)).toEqual({ name: 'a' });
  });

  it('three times at most by default', async () => {
    server.behave(hangUp);
    const failure = await client()
      .call(getThing, input)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnreachableError);
    expect(failure).toMatchObject({
      attempts: 4,
      message: `${server.baseUrl} cannot be reached: other side closed (4 attempts)`,
      cause: expect.any(TypeError),
    });
    server.behave(hangUp);
    await expect(client(0, { retries: 0 }).call(getThing, input)).rejects.toThrow('(1 attempt)');
    expect(server.received).toHaveLength(1);
  });

  it('and the last answer is thrown if there was one', async () => {
    server.behave(hangUp, html(503, { 'retry-after': '2' }));
    const failure = await client()
      .call(getThing, input)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ status: 503, message: '503 Service Unavailable', retryAfterSeconds: 2 });
  });

  it('before a file begins, not after', async () => {
    server.behave(hangUp, (response) => response.end('a,b\n'));
    expect(await (await client().download(downloadThing, input)).text()).toBe('a,b\n');
    server.behave(halfAnAnswer);
    const response = await client().download(downloadThing, input);
    await expect(response.text()).rejects.toThrow(TypeError);
    expect(server.received).toHaveLength(1);
  });
});

describe('a call is not repeated', () => {
  it.each([400, 401, 403, 404, 408, 409, 413, 500, 501])('after a %i', async (status) => {
    server.behave(json(status, { message: 'no' }));
    await expect(client().call(getThing, input)).rejects.toMatchObject({ status, message: 'no', requestId: 'r-1' });
    expect(server.received).toHaveLength(1);
  });

  it('after an invalid response', async () => {
    server.behave(html(200));
    await expect(client().call(getThing, input)).rejects.toThrow('text/html');
    expect(server.received).toHaveLength(1);
  });
});

describe('a write', () => {
  it.each([
    ['POST', addThing],
    ['PATCH', patchThing],
  ] as const)('by %s is repeated with the same key and the same body', async (_, contract) => {
    server.behave(hangUp, json(503, { message: 'A request with this Idempotency-Key is still in progress' }), done);
    expect(await client().call(contract, { body })).toBe('done');
    const [first] = server.received;
    expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keysSent(server)).size).toBe(1);
    expect(new Set(server.received.map((request) => request.body))).toEqual(new Set(['{"name":"a"}']));
    expect(server.received).toHaveLength(3);
  });

  it('has another key for each call, or the one it was given', async () => {
    server.behave(done);
    await client().call(addThing, { body });
    await client().call(addThing, { body });
    expect(new Set(keysSent(server)).size).toBe(2);
    await client().call(addThing, { body, idempotencyKey: 'build-7' });
    expect(keysSent(server).at(-1)).toBe('build-7');
  });

  it('of evidence with an id needs no key', async () => {
    server.behave(hangUp, done);
    await client().call(attestThing, { body, headers: { 'waymark-evidence-id': 'e-1' } });
    expect(server.received.map(({ headers }) => headers['waymark-evidence-id'])).toEqual(['e-1', 'e-1']);
    expect(keysSent(server)).toEqual([undefined, undefined]);
  });

  it('with a file is sent again as a whole', async () => {
    server.behave(hangUp, done);
    const file = { name: 'junit.xml', content: new Blob(['<testsuites/>']) };
    await client().call(attestThing, { body, file });
    expect(server.received).toHaveLength(2);
    for (const { body: sent } of server.received) {
      expect(sent).toContain('{"name":"a"}');
      expect(sent).toContain('filename="junit.xml"');
      expect(sent).toContain('<testsuites/>');
    }
  });

  it('by PUT or DELETE is repeated without a key', async () => {
    server.behave(hangUp, done);
    await client().call(putThing, { body });
    expect(keysSent(server)).toEqual([undefined, undefined]);
    server.behave(hangUp, json(204, undefined));
    await client().call(deleteThing, {});
    expect(keysSent(server)).toEqual([undefined, undefined]);
  });

  it.each([
    ['the connection breaks', hangUp, { attempts: 1 }],
    ['the server is not available', json(503, { message: 'not now' }), { status: 503 }],
  ])('without a key is never repeated when %s', async (_, fault, failure) => {
    server.behave(fault);
    await expect(client().call(addPublicThing, { body })).rejects.toMatchObject(failure);
    expect(keysSent(server)).toEqual([undefined]);
    server.behave(fault, done);
    await client().call(addPublicThing, { body, idempotencyKey: 'mine' });
    expect(keysSent(server)).toEqual(['mine', 'mine']);
  });
});

describe('the wait', () => {
  const fault = json(503, { message: 'not now' });

  it('is anything up to a bound that doubles', async () => {
    server.behave(fault);
    const { pace, call } = client(0.999);
    await expect(call(getThing, input)).rejects.toThrow('not now');
    expect(pace.slept).toEqual([199, 399, 799]);
    const none = client(0);
    await expect(none.call(getThing, input)).rejects.toThrow('not now');
    expect(none.pace.slept).toEqual([0, 0, 0]);
  });

  it('stays within its bounds by chance', () => {
    for (let attempts = 1; attempts < 50; attempts++) {
      const bound = Math.min(10_000, 100 * 2 ** attempts);
      for (let i = 0; i < 50; i++) {
        const ms = jitter(attempts, Math.random());
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThan(bound);
      }
    }
  });

  it('is at least what the server asked for, in seconds or by a date', async () => {
    const now = Date.parse('2026-11-16T12:00:00Z');
    const inFive = new Date(now + 5_000).toUTCString();
    server.behave(json(429, { message: 'no' }, { 'retry-after': '3' }), html(503, { 'retry-after': inFive }), thing);
    const pace = instantPace(0.5, () => now);
    await createPacedClient({ baseUrl: server.baseUrl }, pace).call(getThing, input);
    expect(pace.slept).toEqual([3_100, 5_200]);
  });

  it('is not longer than a minute: beyond that the call fails', async () => {
    server.behave(json(429, { message: 'no' }, { 'retry-after': '61' }));
    await expect(client().call(getThing, input)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 61 });
    expect(server.received).toHaveLength(1);
  });

  it('is reported, with its reason', async () => {
    server.behave(hangUp, fault, thing);
    const retries: Retry[] = [];
    await client(0.5, { onRetry: (retry: Retry) => retries.push(retry) }).call(getThing, input);
    expect(retries).toEqual([
      { attempt: 1, waitMs: 100, reason: 'other side closed', operation: 'getThing' },
      { attempt: 2, waitMs: 200, reason: '503: not now', operation: 'getThing' },
    ]);
  });
});

// Its limit ends what would wait for the further attempt.
describe('abort is immediate', { timeout: 30_000 }, () => {
  let retries = 0;
  const real = createClient({ baseUrl: server.baseUrl, onRetry: () => retries++ });

  it.each([
    ['while waiting for a further attempt', json(503, { message: 'no' }, { 'retry-after': '50' }), 1],
    ['while waiting for an answer', neverAnswer, 0],
  ])('%s', async (_, behaviour, announced) => {
    server.behave(behaviour);
    retries = 0;
    const leaving = new AbortController();
    const left = expect(real.call(getThing, { ...input, signal: leaving.signal })).rejects.toThrow('enough');
    await expect.poll(() => [server.received.length, retries]).toEqual([1, announced]);
    leaving.abort(new Error('enough'));
    await left;
    expect(server.received).toHaveLength(1);
  });

  it('while the key provider runs', async () => {
    server.behave(thing);
    const { call } = createClient({ baseUrl: server.baseUrl, apiKey: () => new Promise(() => undefined) });
    await expect(call(getThing, { ...input, signal: AbortSignal.timeout(20) })).rejects.toThrow('timeout');
    expect(server.received).toHaveLength(0);
  });

  it('and nothing is sent when it came before', async () => {
    server.behave(thing);
    await expect(real.call(getThing, { ...input, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(server.received).toHaveLength(0);
  });

  it('also for a file that has begun', async () => {
    server.behave((response) => void response.writeHead(200, { 'content-type': 'text/csv' }).write('a,b\n'));
    const leaving = new AbortController();
    const response = await real.download(downloadThing, { ...input, signal: leaving.signal });
    setTimeout(() => leaving.abort(new Error('enough')), 20);
    await expect(response.text()).rejects.toThrow('enough');
  });
});

it('names what cannot be reached and why', async () => {
  const gone = await startFaultyServer();
  gone.close();
  const { call } = createClient({ baseUrl: gone.baseUrl, retries: 1 });
  const { host } = new URL(gone.baseUrl);
  await expect(call(getThing, input)).rejects.toThrow(
    `${gone.baseUrl} cannot be reached: connect ECONNREFUSED ${host} (2 attempts)`,
  );
  server.behave(neverAnswer);
  const hasty = createPacedClient({ baseUrl: server.baseUrl, timeoutMs: 100, retries: 1 }, instantPace());
  await expect(hasty.call(getThing, input)).rejects.toThrow('no answer within 0.1 s (2 attempts)');
});
