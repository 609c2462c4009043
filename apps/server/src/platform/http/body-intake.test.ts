import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { contract } from '@waymark/contract';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isFull } from '../../../../../tools/test-size.ts';
import { givenPerson } from '../../../test/given/people.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';
import { setMembership } from '../../features/memberships/membership.service.ts';
import { systemCtx } from '../ctx.ts';
import { invalid } from '../errors.ts';
import type { App } from './app.ts';
import { BODY_LIMITS } from './body-limits.ts';
import { handleBytes } from './bytes-body.ts';
import { handle, handlePublic } from './handle.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** A sixteenth of a server's budget. */
const limits = {
  bytes: 8 * MIB,
  bytesPerHolder: 2 * MIB,
  littleBytes: 1.25 * MIB,
  arriving: 120,
  arrivingPerOrg: 40,
  arrivingPerActor: 20,
  littleArriving: 5,
};
const api = await startApi({ bodyLimits: limits });
const { bodies } = api.app;

const base = {
  summary: 'Takes a body',
  tag: 'Test',
  method: 'PUT',
  access: 'report_environments',
  params: z.strictObject({ org: z.string() }),
  body: z.unknown(),
  status: 200,
  reply: z.object({ length: z.number() }),
  errors: [400, 413],
} as const;
const putJson = contract({ ...base, id: 'putJson', path: '/json/:org' });
const putBytes = contract({ ...base, id: 'putBytes', path: '/bytes/:org', bodyMaxBytes: 8 * MIB });
const putOpenly = contract({ ...base, id: 'putOpenly', path: '/open/:org', access: 'public' });
const form = { json: 'data', file: { name: 'file', description: 'A file', maxBytes: MIB } } as const;
const putForm = contract({ ...base, id: 'putForm', path: '/form/:org', form });
const storing = { json: 'data', file: { name: 'file', description: 'A file', store: true } } as const;
const putFile = contract({ ...base, id: 'putFile', path: '/file/:org', form: storing });

let inHandler = 0;
let letGo: () => void = () => undefined;
async function lengthOf(body: unknown): Promise<{ length: number }> {
  if (body === 'refuse') throw invalid('refused');
  if (body === 'fail') throw new Error('a fault of ours');
  if (typeof body === 'string' && body.startsWith('wait')) {
    inHandler++;
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
    inHandler--;
  }
  return { length: JSON.stringify(body).length };
}
handle(api.app, putJson, async (_ctx, { body }) => lengthOf(body));
handleBytes(api.app, putBytes, async (_ctx, _input, sent) => ({ body: await lengthOf(sent.parse()), wrote: false }));
handlePublic(api.app, putOpenly, async (_ctx, { body }) => lengthOf(body));
handle(api.app, putForm, async (_ctx, { body }) => lengthOf(body));
handle(api.app, putFile, async (_ctx, { body }) => lengthOf(body));

/** A server whose pace check runs on its own timer. */
const impatient = await startApi({ bodyLimits: { tickMs: 1 } });
handle(impatient.app, putJson, async (_ctx, { body }) => lengthOf(body));
const ticking = { port: 0, key: impatient.org.keys.snapshotter };

const listen = async ({ http }: App) => {
  await http.listen({ host: '127.0.0.1', port: 0 });
  return (http.server.address() as AddressInfo).port;
};
let port = 0;
let other: TestOrg;
beforeAll(async () => {
  port = await listen(api.app);
  ticking.port = await listen(impatient.app);
  other = await api.givenOrg('other');
});

const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(() => bodies.figures()).toMatchObject({ heldBytes: 0, arriving: 0 });
});

interface Sending {
  port?: number;
  path?: string;
  org?: string;
  key?: string;
  type?: string;
}

const keyOf = (org: TestOrg) => ({ org: org.name, key: org.keys.snapshotter });

/** Sends the head of a request, and only `sent` of its body. */
async function begin(length: number | 'chunked', sent: string | Buffer = '', sending: Sending = {}): Promise<Socket> {
  const { path = 'json', org = 'acme', key = api.org.keys.snapshotter, type = 'application/json' } = sending;
  const socket = connect(sending.port ?? port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  const head = [
    `PUT /api/v2/${path}/${org} HTTP/1.1`,
    'host: localhost',
    ...(path === 'open' ? [] : [`authorization: Bearer ${key}`]),
    `content-type: ${type}`,
    length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(sent);
  return socket;
}

/** Sends a whole request over a connection of its own. */
async function send(payload: string | Buffer, { path = 'json', ...sending }: Sending = {}): Promise<number> {
  const { org = 'acme', key = api.org.keys.snapshotter } = sending;
  const answer = await fetch(`http://127.0.0.1:${port}/api/v2/${path}/${org}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: payload,
  });
  await answer.arrayBuffer();
  return answer.status;
}

const multipart = 'multipart/form-data; boundary=b';
const filePart = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
const json = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
const arriving = (count: number) => expect.poll(() => bodies.figures().arriving).toBe(count);
const held = (bytes: number) => expect.poll(() => bodies.figures().heldBytes).toBe(bytes);
const heldAtLeast = (bytes: number) => expect.poll(() => bodies.figures().heldBytes).toBeGreaterThanOrEqual(bytes);
const refusedOf = (reason: 'share' | 'full' | 'slow') => bodies.figures().refused[reason];
const ticks = (count: number) => {
  for (let i = 0; i < count; i++) bodies.tick();
};

describe('slow bodies', () => {
  it.each(['json', 'bytes'])('of one org do not keep out the bodies of another: %s', async (path) => {
    const count = isFull ? 1_200 : 120;
    const before = refusedOf('share');
    const answers: Promise<string>[] = [];
    // In waves small enough for the listen backlog.
    while (answers.length < count) {
      const wave = Array.from({ length: 60 }, () => begin(MIB, 'x'.repeat(150 * KIB), { path }));
      answers.push(...(await Promise.all(wave)).map((socket) => text(socket).catch(() => '')));
      await expect.poll(() => bodies.figures().arriving + refusedOf('share') - before).toBe(answers.length);
    }
    expect(bodies.figures().arriving).toBeLessThanOrEqual(limits.arrivingPerActor);
    expect(bodies.figures().heldBytes).toBeLessThanOrEqual(limits.bytesPerHolder);

    expect(await send(json(MIB), { path: 'bytes', ...keyOf(other) })).toBe(200);
    expect(await send(json(MIB), keyOf(other))).toBe(200);
    expect(await send('{}', keyOf(other))).toBe(200);

    const refused = refusedOf('share') - before;
    ticks(2);
    for (const socket of sockets) socket.end();
    const refusals = (await Promise.all(answers)).filter((answer) => answer.startsWith('HTTP/1.1 503 '));
    expect(refusals.length).toBeGreaterThanOrEqual(refused);
    expect(refusals[0]).toMatch(/retry-after: 1\r\n.*You are sending too many request bodies/s);
  });

  it('of one person count together over all their orgs', async () => {
    const person = await givenPerson(api);
    const orgs = await Promise.all(['one', 'two', 'three', 'four'].map((name) => api.givenOrg(name)));
    for (const { id } of orgs) {
      await setMembership({ ...systemCtx(api.db, id, 'tests', api.app.log) }, person, 'admin', 'script');
    }
    const before = refusedOf('share');
    for (const { name } of orgs) {
      await begin(8 * MIB, 'x'.repeat(MIB), { path: 'bytes', org: name, key: person.key });
    }
    await expect.poll(() => refusedOf('share') - before).toBeGreaterThan(0);
    expect(bodies.figures().heldBytes).toBeLessThanOrEqual(limits.bytesPerHolder);
    expect(await send(json(MIB), { path: 'bytes', ...keyOf(other) })).toBe(200);
  });

  it('without a credential count by address', async () => {
    await Promise.all(Array.from({ length: limits.arrivingPerActor }, () => begin(100, '{', { path: 'open' })));
    await arriving(limits.arrivingPerActor);
    const refused = await begin(2, '{}', { path: 'open' });
    expect(String((await once(refused, 'data'))[0])).toMatch(/^HTTP\/1\.1 503 /);
    expect(await send('{}')).toBe(200);
  });
});

it('reserves nothing for bytes that are only announced', async () => {
  for (let i = 0; i < 16; i++) await begin(i % 2 === 0 ? 8 * MIB : 'chunked', '', { path: 'bytes' });
  await arriving(16);
  expect(bodies.figures().heldBytes).toBe(0);
  expect(await send(json(MIB), { path: 'bytes' })).toBe(200);
});

it('ends the slowest body of the largest holder when a newcomer needs room', async () => {
  const size = 1_200 * KIB;
  const answers: Promise<string>[] = [];
  for (let i = 1; i <= 6; i++) {
    const org = await api.givenOrg(`holder-${i}`);
    const socket = await begin(size, 'x'.repeat(size - 1), { path: 'bytes', ...keyOf(org) });
    answers.push(text(socket).catch(() => ''));
    await heldAtLeast(i * (size - 1));
    if (i === 1) ticks(1);
  }
  expect(await send(json(MIB), keyOf(other))).toBe(200);
  await arriving(5);
  ticks(2);
  expect(await answers[0]).toMatch(
    /^HTTP\/1\.1 503 .*retry-after: 1\r\n.*This server is receiving too many request bodies/s,
  );
});

describe('a body that is too slow', () => {
  const tooSlow = /^HTTP\/1\.1 408 .*connection: close\r\n.*The body arrived too slowly/s;

  it.each(['json', 'bytes', 'open'])('is answered with 408: %s', async (path) => {
    const answer = text(await begin(MIB, '{', { path }));
    await arriving(1);
    ticks(BODY_LIMITS.paceTicks);
    expect(bodies.figures().arriving).toBe(1);
    ticks(1);
    expect(await answer).toMatch(tooSlow);
    expect(bodies.figures()).toMatchObject({ heldBytes: 0, arriving: 0 });
  });

  it.each(['form', 'file'])('is answered with 408, once the server waits for it: %s', async (path) => {
    const answer = text(await begin(MIB, `${filePart}x`, { path, type: multipart }));
    await arriving(1);
    // Ticks do not count while the server is busy with earlier chunks.
    const tickAndCount = () => {
      bodies.tick();
      return bodies.figures().arriving;
    };
    await expect.poll(tickAndCount).toBe(0);
    expect(await answer).toMatch(tooSlow);
  });

  it('is found without a call to tick', async () => {
    const { port, key } = ticking;
    expect(await text(await begin(MIB, '{', { port, key }))).toMatch(tooSlow);
  });

  it('may go on while it keeps the pace', async () => {
    const socket = await begin(20 * KIB, '"');
    await arriving(1);
    let received = 1;
    for (let i = 0; i < 3; i++) {
      socket.write('x'.repeat(BODY_LIMITS.paceBytes));
      received += BODY_LIMITS.paceBytes;
      await heldAtLeast(received);
      ticks(BODY_LIMITS.paceTicks);
    }
    socket.write(`${'x'.repeat(20 * KIB - received - 1)}"`);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('memory of a body', () => {
  const { server } = api.app.http;
  const countConnections = promisify(server.getConnections.bind(server));
  const connections = () => {
    server.closeIdleConnections();
    return countConnections();
  };
  const large = 'x'.repeat(100 * KIB);

  it('is free again after every response, whatever its status', async () => {
    const statuses = [];
    for (const path of ['json', 'bytes', 'open']) {
      for (const payload of [`"${large}"`, large, '"refuse"', '"fail"', json(9 * MIB)]) {
        statuses.push(await send(payload, { path }).catch(() => 413));
      }
    }
    expect(statuses).toEqual([1, 2, 3].flatMap(() => [200, 400, 400, 500, 413]));
    await held(0);
  });

  it('is free again when a body without an announced length is too large', async () => {
    const socket = await begin('chunked', `${(64 * KIB).toString(16)}\r\n${'x'.repeat(64 * KIB)}\r\n`);
    await heldAtLeast(64 * KIB);
    const answer = once(socket, 'data');
    socket.write(`${MIB.toString(16)}\r\n${'x'.repeat(MIB)}`);
    expect(String((await answer)[0])).toMatch(/^HTTP\/1\.1 413 /);
    await held(0);
  });

  it.each(['json', 'bytes', 'open'])('is free again when the client leaves: %s', async (path) => {
    const socket = await begin(MIB, large, { path });
    await heldAtLeast(large.length);
    socket.destroy();
    await arriving(0);
    await held(0);
  });

  it.each(['json', 'bytes'])('is held while a handler has the body, even if its client has left: %s', async (path) => {
    const payload = `"wait${large}"`;
    const socket = await begin(payload.length, payload, { path });
    await expect.poll(() => inHandler).toBe(1);
    socket.destroy();
    await expect.poll(() => connections()).toBe(0);
    expect(bodies.figures().arriving).toBe(0);
    expect(bodies.figures().heldBytes).toBeGreaterThanOrEqual(payload.length);
    letGo();
    await held(0);
  });

  it('counts parts of a form that are held in memory', async () => {
    const socket = await begin(2 * MIB, filePart + 'x'.repeat(500 * KIB), { path: 'form', type: multipart });
    await heldAtLeast(500 * KIB);
    socket.destroy();
    await held(0);
  });
});
