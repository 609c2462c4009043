import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createClient } from '@waymark/client';
import { BinaryReply, contract, toOpenApi } from '@waymark/contract';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { startApi } from '../../../test/harness.ts';
import { notFound } from '../errors.ts';
import { type FileAnswer, handleFile } from './file-reply.ts';

const MiB = 1024 ** 2;
const lines: string[] = [];
const api = await startApi({ log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }) });

const getReport = contract({
  id: 'getReport',
  summary: 'Sends a file',
  tag: 'Test',
  method: 'GET',
  path: '/reports/:org',
  access: 'read',
  params: z.strictObject({ org: z.string() }),
  query: z.strictObject({ kind: z.string().min(1) }),
  headers: z.object({ 'x-mark': z.string().max(5).optional() }),
  status: 200,
  reply: BinaryReply,
  replyType: 'text/csv',
  errors: [400, 404],
});
const getArchive = contract({ ...getReport, id: 'getArchive', path: '/archives/:org', replyType: 'application/gzip' });

let given = 0;
let ended: Promise<unknown> = Promise.resolve();
async function* blocks(count: number, failAfter = count): AsyncGenerator<Buffer> {
  for (given = 0; given < count; given++) {
    if (given === failAfter) throw new Error('the disk is gone');
    yield Buffer.alloc(64 * 1024, 'x');
  }
  if (failAfter < 0) throw new Error('the disk is gone');
}

const answers: Record<string, () => FileAnswer> = {
  small: () => ({ filename: 'ünï "1".csv', size: 4, stream: Readable.from([Buffer.from('a,b\n')]) }),
  unsized: () => ({ filename: 'a.csv', stream: Readable.from(blocks(100)) }),
  empty: () => ({ filename: 'a.csv', size: 0, stream: Readable.from([]) }),
  typed: () => ({ filename: 'a.xml', type: 'text/xml', stream: Readable.from([Buffer.from('<a/>')]) }),
  long: () => ({ filename: 'a.csv', stream: Readable.from(blocks(10_000)) }),
  failsAtOnce: () => ({ filename: 'a.csv', size: 100, stream: Readable.from(blocks(10, 0)) }),
  destroyed: () => ({ filename: 'a.csv', stream: Readable.from(['x']).destroy() }),
  failsLater: () => ({ filename: 'a.csv', stream: Readable.from(blocks(100, 50)) }),
  failsLaterSized: () => ({ filename: 'a.csv', size: 100 * 64 * 1024, stream: Readable.from(blocks(100, 50)) }),
  tooShort: () => ({ filename: 'a.csv', size: 5, stream: Readable.from([Buffer.from('a,b\n')]) }),
  tooLong: () => ({ filename: 'a.csv', size: 3, stream: Readable.from([Buffer.from('a,b'), Buffer.from('\n')]) }),
};

for (const operation of [getReport, getArchive]) {
  handleFile(api.app, operation, async (_, { query, headers }, out) => {
    const answer = answers[query.kind]?.();
    if (!answer) throw notFound('Report', query.kind);
    out.header('x-kind', query.kind);
    if (headers['x-mark']) out.header('x-mark', headers['x-mark']);
    ended = new Promise((resolve) => answer.stream.once('close', () => resolve(answer.stream.errored)));
    return answer;
  });
}

let port = 0;
beforeAll(async () => {
  await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  port = (api.app.http.server.address() as AddressInfo).port;
});

const headers = { authorization: `Bearer ${api.org.keys.reader}` };

async function start(kind: string, path = 'reports'): Promise<IncomingMessage> {
  const sent = get({ host: '127.0.0.1', port, agent: false, path: `/api/v2/${path}/acme?kind=${kind}`, headers });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

describe('a file', () => {
  it('comes with its name, its type and its size', async () => {
    const response = await start('small');
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="_n_ _1_.csv"; filename*=UTF-8''%C3%BCn%C3%AF%20%221%22.csv`,
      'x-content-type-options': 'nosniff',
      'content-length': '4',
      'x-kind': 'small',
      'x-request-id': expect.any(String),
      'ratelimit-limit': expect.any(String),
    });
    expect((await buffer(response)).toString()).toBe('a,b\n');
  });

  it('may come without a size, empty, or with a type of its own', async () => {
    const unsized = await start('unsized');
    expect(unsized.headers['content-length']).toBeUndefined();
    expect((await buffer(unsized)).length).toBe(100 * 64 * 1024);
    expect((await buffer(await start('empty'))).length).toBe(0);
    expect((await start('typed')).headers['content-type']).toBe('text/xml');
    expect((await start('small', 'archives')).headers['content-type']).toBe('application/gzip');
  });

  it('is read no faster than the client takes it, and not to its end when the client leaves', async () => {
    const response = await start('long');
    await expect.poll(() => given).toBeGreaterThan(2);
    const held = await settled(() => given);
    expect(held * 64 * 1024).toBeLessThan(32 * MiB);
    response.destroy();
    await ended;
    expect(given).toBeLessThan(held + 10);
    expect(lines).toEqual([]);
  });

  it.each([
    ['failsLater', 'the disk is gone'],
    ['failsLaterSized', 'the disk is gone'],
    ['tooShort', 'the file has not the 5 bytes it was said to have'],
    ['tooLong', 'the file has not the 3 bytes it was said to have'],
  ])('is cut off, and the reason logged, when it %s', async (kind, reason) => {
    lines.length = 0;
    const whole = fetch(`http://127.0.0.1:${port}/api/v2/reports/acme?kind=${kind}`, { headers }).then((response) => {
      expect(response.status).toBe(200);
      return response.arrayBuffer();
    });
    await expect(whole).rejects.toThrow(TypeError);
    await expect.poll(() => lines.join('')).toContain('file could not be sent to its end');
    expect(lines.join('')).toContain(reason);
  });

  it.each(['failsAtOnce', 'destroyed'])('that %s is answered as a failure of ours', async (kind) => {
    const answer = await api.call(getReport, { query: { kind } });
    expect(answer).toMatchObject({
      status: 500,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: { message: expect.stringContaining('Internal error') },
    });
    expect(answer.headers['content-disposition']).toBeUndefined();
  });
});

describe('an operation that sends a file', () => {
  it('checks credential, role, input and existence as the others do', async () => {
    const call = (more: object) => api.call(getReport, { query: { kind: 'small' }, ...more });
    expect((await call({ key: '' })).status).toBe(401);
    expect((await call({ params: { org: 'nobody' } })).status).toBe(403);
    expect(await call({ query: { kind: '' } })).toMatchObject({
      status: 400,
      body: { errors: { 'query.kind': 'must be at least 1 character long' } },
    });
    expect(await call({ query: { kind: 'absent' } })).toMatchObject({
      status: 404,
      body: { message: "Report 'absent' does not exist in this org" },
    });
  });

  it('is called by the client', async () => {
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v2`, apiKey: api.org.keys.reader });
    const params = { org: 'acme' };
    const response = await client.download(getReport, {
      params,
      query: { kind: 'small' },
      headers: { 'x-mark': 'm' },
    });
    expect(response.headers.get('x-mark')).toBe('m');
    expect(await response.text()).toBe('a,b\n');
    const cutOff = await client.download(getReport, { params, query: { kind: 'failsLater' } });
    await expect(cutOff.arrayBuffer()).rejects.toThrow();
    await expect(client.download(getReport, { params, query: { kind: 'absent' } })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('is described as one', () => {
    const { paths } = toOpenApi([getArchive], { version: '1', serverUrl: '/' }) as { paths: Record<string, unknown> };
    expect(paths['/archives/{org}']).toMatchObject({
      get: {
        responses: {
          200: {
            content: { 'application/gzip': { schema: { type: 'string', contentMediaType: 'application/gzip' } } },
          },
        },
      },
    });
  });
});

/** The value once it stops changing. */
async function settled(read: () => number): Promise<number> {
  let last = -1;
  await vi.waitFor(
    () => {
      const before = last;
      last = read();
      expect(last).toBe(before);
    },
    { interval: 200, timeout: 180_000 },
  );
  return last;
}
