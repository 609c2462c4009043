import { contract } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startApi } from '../../../test/harness.ts';
import { invalid } from '../errors.ts';
import { handleBytes } from './bytes-body.ts';
import { handle } from './handle.ts';

const MAX = 8 * 1024 * 1024;
const api = await startApi();

const base = {
  summary: 'Takes bytes',
  tag: 'Test',
  method: 'PUT',
  access: 'report_environments',
  params: z.strictObject({ org: z.string() }),
  query: z.strictObject({ page: z.coerce.number().int().optional() }),
  body: z.unknown(),
  bodyMaxBytes: MAX,
  status: 200,
  reply: z.object({ length: z.number(), parsed: z.unknown() }),
  errors: [400, 413],
} as const;
const putBytes = contract({ ...base, id: 'putBytes', path: '/bytes/:org' });
const putUnread = contract({ ...base, id: 'putUnread', path: '/unread/:org' });
const putParsed = contract({ ...base, id: 'putParsed', path: '/parsed/:org', reply: z.number() });

let woken = 0;
Object.assign(api.app, { onWrite: () => woken++ });
handleBytes(api.app, putBytes, async (_ctx, _input, sent, out) => {
  out.header('waymark-snapshot', '1; created');
  const parsed = sent.parse();
  if (parsed === 'refuse') throw invalid('refused');
  return { body: { length: sent.bytes.length, parsed, secret: 'column' } as never, wrote: true };
});
handleBytes(api.app, putUnread, async (_ctx, _input, sent) => ({
  body: { length: sent.bytes.length, parsed: null },
  wrote: false,
}));
handle(api.app, putParsed, async (_ctx, { body }) => JSON.stringify(body).length);

interface Sending {
  path?: string;
  key?: string;
  'content-type'?: string;
  'content-length'?: string;
}

/** The body of a refusal, without what differs between requests. */
function withoutRequestId({ body }: { readonly body: unknown }): object {
  const { request_id: _, ...rest } = body as { request_id?: unknown };
  return rest;
}

const put = (payload: string | Buffer, { path = 'bytes', key = api.org.keys.snapshotter, ...headers }: Sending = {}) =>
  api.inject({
    method: 'PUT',
    url: `/api/v2/${path}/acme`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    payload,
  });

describe('bytes', () => {
  it('are handed over as they were sent, and parsed when asked to', async () => {
    expect(await put('{"b" : 1,\n"a":2}')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8', 'waymark-snapshot': '1; created' },
      body: { length: 16, parsed: { b: 1, a: 2 } },
    });
    expect(await put('this is no JSON', { path: 'unread' })).toMatchObject({ status: 200, body: { length: 15 } });
  });

  it('keep their meaning under a content type with a charset', async () => {
    const answer = await put('{"a":1}', { 'content-type': 'application/json; charset=utf-8' });
    expect(answer).toMatchObject({ status: 200, body: { length: 7, parsed: { a: 1 } } });
  });

  it.each([
    ['', null],
    [' \n', null],
    ['null', null],
    ['{"constructor":1}', { constructor: 1 }],
    [Buffer.from([0x22, 0xff, 0x22]), '\ufffd'],
    ['\ufeff[1]', [1]],
  ])('%#: are read as every body is', async (payload, parsed) => {
    expect(await put(payload)).toMatchObject({ status: 200, body: { parsed } });
  });

  it('may be absent, with the content type', async () => {
    const authorization = `Bearer ${api.org.keys.snapshotter}`;
    const answer = await api.inject({ method: 'PUT', url: '/api/v2/bytes/acme', headers: { authorization } });
    expect(answer).toMatchObject({ status: 200, body: { length: 0, parsed: null } });
  });

  it.each(['{', '[1,]', '{"a":{"__proto__":{"x":1}}}', '{"constructor":{"prototype":{}}}', '[['.repeat(17)])(
    '%j is refused as by other operations',
    async (payload) => {
      const answer = await put(payload);
      expect(answer).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(/^The body (is not valid JSON|is nested|contains the key)/) },
      });
      expect(withoutRequestId(answer)).toEqual(withoutRequestId(await put(payload, { path: 'parsed' })));
    },
  );

  it.each(['text/plain', 'application/xml', 'nonsense', 'multipart/form-data; boundary=x'])(
    'of type %s are refused as by other operations',
    async (type) => {
      const answer = await put('{}', { 'content-type': type });
      expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(/application\/json/) } });
      expect(withoutRequestId(answer)).toEqual(
        withoutRequestId(await put('{}', { path: 'parsed', 'content-type': type })),
      );
    },
  );

  it.each(['bytes', 'parsed'])('may be as many as the contract says: %s', async (path) => {
    const fits = `"${'x'.repeat(MAX - 2)}"`;
    expect((await put(fits, { path })).status).toBe(200);
    const message = 'The body is too large: the maximum is 8 MiB';
    expect(await put(`${fits} `, { path })).toMatchObject({ status: 413, body: { message } });
  });
});

describe('an operation on bytes', () => {
  it('is entered as any other', async () => {
    expect((await put('{}', { key: '' })).status).toBe(401);
    expect((await put('{}', { key: api.org.keys.reader })).status).toBe(403);
    const other = await api.givenOrg('other');
    expect((await put('{}', { key: other.keys.admin })).status).toBe(403);
    expect((await put('{}')).headers).toMatchObject({ 'ratelimit-limit': String(api.app.rateLimit.burst) });
  });

  it('has its address checked, shows what its contract names and no headers when it refuses', async () => {
    const answer = await api.call(putBytes, { query: { page: 'x' }, body: {} });
    expect(answer).toMatchObject({ status: 400, body: { errors: { 'query.page': 'must be a number' } } });
    expect((await put('1')).body).toEqual({ length: 1, parsed: 1 });
    const refused = await put('"refuse"');
    expect(refused).toMatchObject({ status: 400, body: { message: 'refused' } });
    expect(refused.headers['waymark-snapshot']).toBeUndefined();
  });

  it('wakes the sequencer only when it wrote', async () => {
    const before = woken;
    await put('{}', { path: 'unread' });
    await put('"refuse"');
    expect(woken).toBe(before);
    await put('{}');
    expect(woken).toBe(before + 1);
  });
});
