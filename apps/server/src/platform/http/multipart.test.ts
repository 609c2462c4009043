import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { contract } from '@waymark/contract';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { startApi } from '../../../test/harness.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { handle } from './handle.ts';

const MiB = 1024 ** 2;
const api = await startApi();

const attach = contract({
  id: 'attach',
  summary: 'Takes a file for the evidence store',
  tag: 'Test',
  method: 'POST',
  path: '/attach/:org',
  access: 'record_evidence',
  params: z.strictObject({ org: z.string() }),
  query: z.strictObject({ limit: z.coerce.number().optional() }),
  body: z.strictObject({ name: z.string(), fail: z.boolean().optional() }),
  form: { json: 'data_json', file: { name: 'attachment_file', description: 'Evidence', store: true } },
  status: 201,
  reply: z.strictObject({
    name: z.string(),
    file: z.strictObject({ filename: z.string(), sha256: z.string(), size: z.number() }).nullable(),
  }),
  errors: [400, 413],
});
const attachSmall = contract({
  ...attach,
  id: 'attachSmall',
  path: '/attach-small/:org',
  form: { json: 'data_json', file: { name: 'attachment_file', description: 'Evidence', store: true, maxBytes: 1000 } },
});
const noForm = contract({
  id: 'noForm',
  summary: 'Takes JSON alone',
  tag: 'Test',
  method: 'POST',
  path: '/no-form/:org',
  access: 'record_evidence',
  params: z.strictObject({ org: z.string() }),
  body: z.strictObject({ name: z.string() }),
  status: 201,
  reply: z.string(),
  errors: [400],
});

let runs = 0;
for (const operation of [attach, attachSmall]) {
  handle(api.app, operation, async (_, { body, file }) => {
    runs++;
    if (body.fail) throw new Error('a failure of ours');
    return { name: body.name, file: file ?? null };
  });
}
handle(api.app, noForm, async () => 'done');

let port = 0;
/** How each put to the evidence store ended. */
const puts: Promise<unknown>[] = [];
beforeAll(async () => {
  await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  port = (api.app.http.server.address() as AddressInfo).port;
  const { put } = api.app.blobs;
  const watched: BlobStore['put'] = (...args) => {
    const stored = put(...args);
    puts.push(stored.catch((error: unknown) => error));
    return stored;
  };
  Object.assign(api.app.blobs, { put: watched });
});

const BOUNDARY = 'test-boundary';
const json = (value: unknown = { name: 'x' }) => part('data_json', undefined, JSON.stringify(value));
const file = (content: Buffer | string, filename = 'report.xml') => part('attachment_file', filename, content);

function part(name: string, filename: string | undefined, content: Buffer | string): Buffer {
  const named = filename === undefined ? '' : `; filename="${filename}"`;
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${named}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
}

function formOf(...parts: Buffer[]): Buffer {
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

const headers = {
  authorization: `Bearer ${api.org.keys.member}`,
  'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
};

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

async function post(
  body: Buffer,
  options: { path?: string; agent?: Agent; headers?: Record<string, string> } = {},
): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: unknown }> {
  const { path = '/attach/acme', agent = false } = options;
  const sent = httpRequest({
    ...{ host: '127.0.0.1', port, agent, method: 'POST', path: `/api/v2${path}` },
    headers: { ...headers, 'content-length': body.length, ...options.headers },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  // A server that has responded may close the connection before the rest of the body.
  sent.on('error', () => undefined);
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(await text(response)) };
}

const stored = async (content: Buffer) => {
  const found = await api.app.blobs.open(api.org.id, sha256(content));
  return found && buffer(found.stream);
};

describe('a form with a file for the evidence store', () => {
  it.each([
    ['the JSON first', false],
    ['the file first', true],
  ])('stores the file and hands over its digest, %s', async (_, reversed) => {
    const content = randomBytes(3 * MiB + 17);
    const parts = [json({ name: 'build' }), file(content, 'naïve "1".bin'.replaceAll('"', '\\"'))];
    const answer = await post(formOf(...(reversed ? parts.reverse() : parts)));

    expect(answer).toMatchObject({
      status: 201,
      body: { name: 'build', file: { filename: 'naïve "1".bin', sha256: sha256(content), size: content.length } },
    });
    expect((await stored(content))?.equals(content)).toBe(true);
  });

  it('may come without a file, and as plain JSON', async () => {
    expect(await post(formOf(json()))).toMatchObject({ status: 201, body: { name: 'x', file: null } });
    const plain = await api.call(attach, { body: { name: 'plain' } });
    expect(plain).toMatchObject({ status: 201, body: { name: 'plain', file: null } });
  });

  it('stores an empty file', async () => {
    const answer = await post(formOf(json(), file('')));
    expect(answer.body).toMatchObject({ file: { size: 0, sha256: sha256(Buffer.alloc(0)) } });
  });

  it('keeps the file of each org to itself', async () => {
    const content = randomBytes(100);
    await post(formOf(json(), file(content)));
    const others = await api.givenOrg('others');
    expect(await api.app.blobs.stat(others.id, sha256(content))).toBeUndefined();
  });

  it('reads no file when the JSON before it is not valid', async () => {
    const before = puts.length;
    for (const wrong of [{}, { name: 1 }, { name: 'x', more: 1 }, []]) {
      const answer = await post(formOf(json(wrong), file(randomBytes(2 * MiB))));
      expect(answer).toMatchObject({ status: 400, body: { errors: expect.any(Object) } });
    }
    const answer = await post(formOf(json(), file('x')), { path: '/attach/acme?limit=x' });
    expect(answer).toMatchObject({ status: 400, body: { errors: { 'query.limit': expect.any(String) } } });
    expect(puts).toHaveLength(before);
  });

  it('is refused when the file is larger than the installation allows', async () => {
    const content = randomBytes(10 * MiB + 1);
    const answer = await post(formOf(json(), file(content)));
    expect(answer).toMatchObject({
      status: 413,
      body: { message: 'attachment_file is larger than 10485760 bytes' },
    });
    expect(Object.keys(answer.body as object)).toEqual(['message', 'request_id']);
    expect(await stored(content)).toBeUndefined();
    const largest = content.subarray(1);
    expect(await post(formOf(json(), file(largest)))).toMatchObject({
      status: 201,
      body: { file: { size: 10 * MiB } },
    });
  });

  it('is refused when the file is larger than the contract allows', async () => {
    const send = (size: number) => post(formOf(json(), file(randomBytes(size))), { path: '/attach-small/acme' });
    expect((await send(1000)).status).toBe(201);
    expect(await send(1001)).toMatchObject({
      status: 413,
      body: { message: 'attachment_file is larger than 1000 bytes' },
    });
  });

  it('is refused when the JSON is larger than 1 MiB', async () => {
    expect(await post(formOf(json({ name: 'x'.repeat(MiB) })))).toMatchObject({
      status: 413,
      body: { message: 'The JSON part is larger than 1 MiB' },
    });
  });

  it.each<[string, Buffer[], Record<string, string>]>([
    ['no JSON', [file('x')], { data_json: 'is required' }],
    ['the JSON twice', [json(), json()], { data_json: 'was sent twice' }],
    ['the file twice', [json(), file('x'), file('y')], { attachment_file: 'was sent twice' }],
    [
      'an unknown part',
      [json(), part('other', undefined, 'x')],
      { other: 'is not a part of this form: send data_json and attachment_file' },
    ],
    [
      'a prototype as part',
      [json(), part('__proto__', undefined, 'x')],
      JSON.parse('{"__proto__":"is not a part of this form: send data_json and attachment_file"}'),
    ],
    [
      'a file without a name',
      [json(), part('attachment_file', undefined, 'x')],
      { attachment_file: 'must have a file name' },
    ],
    ['a file with an empty name', [json(), file('x', '')], { attachment_file: 'must have a file name' }],
    [
      'a path as file name',
      [json(), file('x', '../../etc/passwd')],
      { attachment_file: 'must have a file name without a path' },
    ],
    [
      'a path of Windows',
      [json(), file('x', 'C:\\\\temp\\\\x')],
      { attachment_file: 'must have a file name without a path' },
    ],
    ['dots as file name', [json(), file('x', '..')], { attachment_file: 'must have a file name without a path' }],
    [
      'U+0000 in a file name',
      [json(), file('x', 'a\0b')],
      { attachment_file: 'must have a file name without control characters' },
    ],
    [
      'a long file name',
      [json(), file('x', 'x'.repeat(256))],
      { attachment_file: 'must have a file name of at most 255 characters' },
    ],
  ])('is refused with %s', async (_, parts, errors) => {
    const answer = await post(formOf(...parts));
    expect(answer.status).toBe(400);
    expect((answer.body as { errors: unknown }).errors).toEqual(errors);
  });

  it.each([
    ['headers of 20 KB', Buffer.from(`--${BOUNDARY}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)],
    ['no end', json()],
    ['a file without an end', Buffer.concat([json(), file('x')])],
    ['nothing in it', Buffer.from('--')],
  ])('is refused with %s', async (_, body) => {
    expect(await post(body)).toMatchObject({
      status: 400,
      body: { message: 'The form cannot be read: its boundary or one of its parts is malformed', errors: null },
    });
  });

  it('is refused where only JSON is taken', async () => {
    expect(await post(formOf(json(), file(randomBytes(MiB))), { path: '/no-form/acme' })).toMatchObject({
      status: 400,
      body: { message: 'This endpoint does not accept forms. Send application/json' },
    });
  });

  it('is known again by its Idempotency-Key and the content of the file', async () => {
    const send = (content: string, filename: string) =>
      post(formOf(json(), file(content, filename)), { headers: { 'idempotency-key': 'upload-1' } });
    const before = runs;
    const first = await send('one', 'a.txt');
    expect(await send('one', 'a.txt')).toMatchObject({ status: 201, body: first.body });
    expect(runs).toBe(before + 1);
    expect((await send('two', 'a.txt')).status).toBe(400);
    expect((await send('one', 'b.txt')).status).toBe(400);
  });
});

describe('the connection of a form', () => {
  it('serves the next request after every kind of refusal', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    let connections = 0;
    const count = () => connections++;
    api.app.http.server.on('connection', count);
    onTestFinished(() => void api.app.http.server.off('connection', count));
    const big = file(randomBytes(8 * MiB));
    const refused: [number, Buffer, string?][] = [
      [400, formOf(json({}), big)],
      [400, formOf(part('other', undefined, 'x'), big)],
      [400, formOf(json(), file(randomBytes(MiB), '..'))],
      [413, formOf(json(), file(randomBytes(11 * MiB)))],
      [400, Buffer.concat([json(), big])],
      [500, formOf(json({ name: 'x', fail: true }), big)],
      [400, formOf(json(), big), '/attach/acme?limit=x'],
      [400, formOf(json(), big), '/no-form/acme'],
      [403, formOf(json(), big), '/attach/nobody'],
    ];
    for (const [status, body, path] of refused) {
      expect((await post(body, { agent, ...(path && { path }) })).status).toBe(status);
      expect((await post(formOf(json()), { agent })).status).toBe(201);
    }
    expect(connections).toBe(1);
  });

  it('is closed on a sender who goes on for too long', async () => {
    const answer = await post(formOf(json(), file(Buffer.alloc(40 * MiB))));
    expect(answer).toMatchObject({ status: 413, headers: { connection: 'close' } });
  });

  it('may break off at any moment, and leaves nothing behind', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const before = { puts: puts.length, runs };
    const content = randomBytes(5 * MiB);
    const body = formOf(json(), file(content));
    const head = `POST /api/v2/attach/acme HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n`;
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    for (const sent of [0, 10, json().length, json().length + 50, MiB, body.length - 5]) {
      const begun = puts.length;
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`${head}${fields.join('')}\r\n`);
      await new Promise((resolve) => socket.write(body.subarray(0, sent), resolve));
      await expect.poll(openConnections).toBe(1);
      // With this much, something is stored once the server gets to it.
      if (sent >= MiB) await expect.poll(() => puts.length).toBeGreaterThan(begun);
      socket.resetAndDestroy();
      await expect.poll(openConnections).toBe(0);
    }
    const ends = await Promise.all(puts.slice(before.puts));
    expect(ends.length).toBeGreaterThanOrEqual(2);
    for (const end of ends) expect(end).toMatchObject({ code: 'invalid' });
    expect(await stored(content)).toBeUndefined();
    expect(await api.app.blobs.sweep(new Date(Date.now() + 60_000))).toBe(0);
    expect(runs).toBe(before.runs);
    expect(unhandled).not.toHaveBeenCalled();
    expect((await post(formOf(json()))).status).toBe(201);
  });
});

function openConnections(): Promise<number> {
  return new Promise((resolve, reject) =>
    api.app.http.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}
