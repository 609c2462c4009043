import { type Contract, contract, getFlow, listFlows, putFlow, putNotificationConfig } from '@waymark/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startApi } from '../../../test/harness.ts';
import { invalid } from '../errors.ts';
import { handle } from './handle.ts';
import { newKeyText } from './key-text.ts';

const api = await startApi();

const params = z.strictObject({ org: z.string() });
const postNote = contract({
  id: 'postNote',
  summary: 'Counts how often it really ran',
  tag: 'Test',
  method: 'POST',
  path: '/notes/:org',
  access: 'record_evidence',
  basicAuth: true,
  params,
  body: z.strictObject({ text: z.string(), fail: z.boolean().optional(), waitMs: z.number().optional() }),
  status: 201,
  reply: z.strictObject({ run: z.number() }),
  errors: [400],
});
const leak = contract({
  id: 'leak',
  summary: 'Returns more than it should',
  tag: 'Test',
  method: 'GET',
  path: '/leaks/:org',
  access: 'read',
  params,
  status: 200,
  reply: z.object({ shown: z.string() }),
  errors: [400],
});
const headed = contract({
  ...leak,
  id: 'headed',
  path: '/headed/:org',
  headers: z.strictObject({ 'x-count': z.coerce.number().int().max(10), 'x-note': z.string().optional() }),
  reply: z.object({ count: z.number(), note: z.string().nullable() }),
});
const old = contract({ ...leak, id: 'old', path: '/old/:org', deprecated: true });
const broken = contract({ ...leak, id: 'broken', path: '/broken/:org' });

let runs = 0;
handle(api.app, postNote, async (ctx, { body }) => {
  await ctx.db
    .insertInto('tag')
    .values({ org_id: ctx.org, subject_kind: 'note', subject_id: ctx.newId(), key: 'k', value: body.text })
    .execute();
  if (body.waitMs) await sql`select pg_sleep(${body.waitMs / 1000})`.execute(ctx.db);
  if (body.fail) throw invalid('refused');
  return { run: ++runs };
});
handle(api.app, leak, async () => ({ shown: 'yes', secret: 'column' }) as never);
handle(api.app, headed, async (_, { headers }) => ({ count: headers['x-count'], note: headers['x-note'] ?? null }));
handle(api.app, old, async () => ({ shown: 'yes' }));
handle(api.app, broken, async () => {
  throw new Error('select secret from table');
});

const notes = async (text: string) =>
  (await api.db.selectFrom('tag').select('value').where('org_id', '=', api.org.id).where('value', '=', text).execute())
    .length;

describe('credentials', () => {
  const list = (authorization: string) => api.call(listFlows, { key: '', headers: { authorization } });

  it.each([
    ['', 'An API key is required: send it as "Authorization: Bearer <key>"'],
    ['Bearer', 'Not a valid API key: it looks mistyped or truncated'],
    ['Bearer nonsense', 'Not a valid API key: it looks mistyped or truncated'],
    [`Bearer ${newKeyText('e')}`, 'The API key is unknown, expired, or revoked'],
    ['Digest abc', 'Only "Authorization: Bearer <key>" is accepted here'],
    [
      `Basic ${Buffer.from(`${api.org.keys.admin}:x`).toString('base64')}`,
      'Only "Authorization: Bearer <key>" is accepted here',
    ],
  ])('refuses %s', async (authorization, message) => {
    expect(await list(authorization)).toMatchObject({
      status: 401,
      body: { message },
      headers: { 'www-authenticate': 'Bearer' },
    });
  });

  it('takes the key as HTTP Basic user name where the contract says so', async () => {
    const authorization = `Basic ${Buffer.from(`${api.org.keys.member}:whatever`).toString('base64')}`;
    expect((await api.call(postNote, { key: '', headers: { authorization }, body: { text: 'basic' } })).status).toBe(
      201,
    );
  });

  it('advertises HTTP Basic where it is taken, but not to a browser, which would ask for a password', async () => {
    const challenged = async (headers: Record<string, string>) =>
      (await api.call(postNote, { key: '', headers, body: { text: 'none' } })).headers['www-authenticate'];
    expect(await challenged({})).toBe('Bearer, Basic realm="Waymark"');
    expect(await challenged({ 'sec-fetch-site': 'same-origin' })).toBe('Bearer');
  });

  it('refuses a key from the moment it expires or is revoked', async () => {
    const org = await api.givenOrg('keys');
    const call = () => api.call(listFlows, { params: { org: 'keys' }, key: org.keys.reader });
    expect((await call()).status).toBe(200);
    const expires_at = new Date(api.clock.now.getTime() + 1000);
    await api.db.updateTable('api_key').set({ expires_at }).where('org_id', '=', org.id).execute();
    expect((await call()).status).toBe(200);
    api.clock.now = expires_at;
    expect((await call()).status).toBe(401);
    await api.db
      .updateTable('api_key')
      .set({ expires_at: null, revoked_at: new Date() })
      .where('org_id', '=', org.id)
      .execute();
    expect((await call()).status).toBe(401);
  });
});

describe('an answer', () => {
  it('carries the request id that was sent, or a new one', async () => {
    const sent = await api.call(listFlows, { headers: { 'x-request-id': 'build-7.a' } });
    expect(sent.headers['x-request-id']).toBe('build-7.a');
    const unfit = await api.call(listFlows, { headers: { 'x-request-id': 'a b\u00e9' } });
    expect(unfit.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('shows nothing that its contract does not name', async () => {
    expect((await api.call(leak)).body).toEqual({ shown: 'yes' });
  });

  it('hides what went wrong on our side, and gives the id to ask about', async () => {
    const answer = await api.call(broken, { headers: { 'x-request-id': 'r-1' } });
    expect(answer).toMatchObject({
      status: 500,
      body: { message: 'Internal error. Report it with the request id r-1', request_id: 'r-1' },
    });
  });

  it('that refuses names its request in the body as in the header', async () => {
    const headers = { 'x-request-id': 'build-7' };
    const named = { headers, body: { request_id: 'build-7' } };
    expect(await api.call(putFlow, { headers, body: { name: '' } })).toMatchObject({ status: 400, ...named });
    expect(await api.call(listFlows, { headers, key: '' })).toMatchObject({ status: 401, ...named });
    expect(await api.call(listFlows, { headers, params: { org: 'none' } })).toMatchObject({ status: 403, ...named });
    expect(await api.call(getFlow, { headers, params: { flow_name: 'none' } })).toMatchObject({
      status: 404,
      ...named,
    });
    expect(await api.inject({ method: 'DELETE', url: '/api/v2/flows/acme', headers })).toMatchObject({
      ...{ status: 405, ...named },
    });
    const { body } = await api.call(listFlows, { key: '' });
    expect(body).toEqual({ message: expect.any(String), request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('to an unknown path is JSON', async () => {
    expect(await api.inject({ method: 'GET', url: '/api/v2/nothing?x=1' })).toMatchObject({
      status: 404,
      body: { message: 'Nothing found at GET /api/v2/nothing' },
    });
  });
});

describe('a body', () => {
  const put = (payload: string, type = 'application/json') =>
    api.inject({
      method: 'PUT',
      url: '/api/v2/flows/acme',
      headers: { authorization: `Bearer ${api.org.keys.admin}`, 'content-type': type },
      payload,
    });

  it.each([
    ['{', 400, /^The body is not valid JSON: see line 1, column 2$/],
    ['{"name":}', 400, /^The body is not valid JSON: unexpected '}'$/],
    ['[', 400, /^The body is not valid JSON: it ends too early$/],
    ['', 400, /^Missing body$/],
    ['null', 400, /^Missing body$/],
    ['[]', 400, /^Invalid body$/],
    ['{"name":"a","__proto__":{"x":1}}', 400, /^The body contains the key '__proto__', which is not allowed$/],
    ['{"a":[{"\\u005f_proto__":1}]}', 400, /^The body contains the key '__proto__', which is not allowed$/],
    [
      '{"a":{"constructor":{"prototype":{}}}}',
      400,
      /^The body contains the key 'constructor.prototype', which is not allowed$/,
    ],
    [`{"name":"a","description":${'['.repeat(33)}${']'.repeat(33)}}`, 400, /nested more than 32/],
    [`{"name":"a","description":"${'x'.repeat(1024 * 1024)}"}`, 413, /^The body is too large: the maximum is 1 MiB$/],
  ])('%#: is refused', async (payload, status, message) => {
    const answer = await put(payload);
    expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(message) } });
    expect('errors' in (answer.body as object)).toBe(status === 400);
  });

  it('is not refused for brackets inside of strings', async () => {
    expect((await put(JSON.stringify({ name: 'brackets', description: `"${'[{'.repeat(40)}\\` }))).status).toBe(201);
  });

  it('of another type is refused with a word on what is understood', async () => {
    expect(await put('name=a', 'text/plain')).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/application\/json/) },
    });
  });

  it('may be absent under a JSON content type, as clients send it on GET', async () => {
    await put('{"name":"seen"}');
    const answer = await api.call(getFlow, {
      params: { flow_name: 'seen' },
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect(answer.status).toBe(200);
  });
});

it('prevents caching and sniffing of a response for one caller', async () => {
  const { headers } = await api.call(listFlows, {});
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
});

describe('the message of a refusal says where, the errors say what', () => {
  const put = async (body: object, query = {}) =>
    (await api.call(putFlow, { body: body as never, query })).body as unknown as { message: string; errors: object };

  it('and quotes what was sent', async () => {
    expect(await put({ name: 'foo bar' })).toMatchObject({
      message: `Invalid field 'name': "foo bar"`,
      errors: { name: expect.stringMatching(/^must start with/) },
    });
    expect((await put({ name: 5 })).message).toBe(`Invalid field 'name': 5`);
    expect((await put({ name: 'a b', description: 5 })).message).toBe(`Invalid field 'name': "a b" (and 1 more)`);
  });

  it('and names missing and unknown fields', async () => {
    expect((await put({})).message).toBe("Missing field 'name'");
    expect((await put({ name: 'a', colour: 'red' })).message).toBe("Unknown field 'colour'");
    expect((await put({ name: 'a' }, { colour: 'red' })).message).toBe("Unknown query parameter 'colour'");
  });

  it.each(['hasOwnProperty', 'constructor', 'toString'])('and name %s as any other', async (name) => {
    const { message, errors } = await put(JSON.parse(`{ "name": "a", "${name}": 1 }`));
    expect(message).toBe(`Unknown field '${name}'`);
    expect(Object.entries(errors)).toEqual([[name, 'is unknown']]);
  });

  it('and name the first fifty when there are more', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`x${i}`, 1]));
    const { message, errors } = await put({ name: 'a', ...unknown });
    expect(message).toBe("Unknown field 'x0' (and many more; only the first 50 are listed)");
    expect(Object.keys(errors)).toHaveLength(50);
  });

  it('and keeps what is long short, and what cannot be seen visible', async () => {
    const { message } = await put({ name: `${'x y'.repeat(100)}` });
    expect(message).toMatch(/^Invalid field 'name': "[xy ]{79}…"$/);
    expect((await put({ name: 'a\u202eb' })).message).toBe(`Invalid field 'name': "a\ufffdb"`);
  });

  it('and never repeats what may be a secret', async () => {
    const webhook = 'http://hooks.example.org/s3cret';
    const targets = [{ type: 'WEBHOOK', webhook }];
    const refused = await api.call(putNotificationConfig, {
      params: { notification_type: 'api_key_expiry' },
      body: { targets } as never,
    });
    expect(refused).toMatchObject({ status: 400, body: { message: "Invalid field 'targets.0.webhook'" } });
    expect(JSON.stringify(refused.body)).not.toContain('s3cret');
    const key = newKeyText('e');
    expect(JSON.stringify(await put({ name: `my ${key}` }))).not.toContain(key);
  });
});

describe('a query', () => {
  it.each([
    ['that takes none', leak],
    ['that takes others', listFlows],
    ['that changes something', postNote],
  ])('of an operation %s is refused when it is not known', async (_, operation) => {
    const answer = await api.call(operation as Contract, { query: { bogus: '1' }, body: { text: 'query' } });
    expect(answer).toMatchObject({ status: 400, body: { errors: { 'query.bogus': 'is unknown' } } });
    expect(await notes('query')).toBe(0);
  });
});

describe('declared headers', () => {
  it('are read as the contract says, whatever else is sent', async () => {
    const answer = await api.call(headed, { headers: { 'X-Count': '3', 'x-note': 'n', 'x-other': 'o' } });
    expect(answer).toMatchObject({ status: 200, body: { count: 3, note: 'n' } });
    expect((await api.call(headed, { headers: { 'x-count': '1' } })).body).toEqual({ count: 1, note: null });
  });

  it.each([
    [{}, { 'header.x-count': 'must be a number' }],
    [{ 'x-count': '11' }, { 'header.x-count': 'must be at most 10' }],
  ])('are refused by name: %j', async (headers, errors) => {
    expect(await api.call(headed, { headers })).toMatchObject({ status: 400, body: { errors } });
  });
});

it('a deprecated operation says so on every answer, others do not', async () => {
  const deprecation = { deprecation: '@1785196800' };
  expect(await api.call(old)).toMatchObject({ status: 200, headers: deprecation });
  expect(await api.call(old, { key: '' })).toMatchObject({ status: 401, headers: deprecation });
  expect(await api.call(old, { params: { org: 'nobody' } })).toMatchObject({ status: 403, headers: deprecation });
  expect((await api.call(leak)).headers['deprecation']).toBeUndefined();
});

describe('an Idempotency-Key', () => {
  const post = (key: string, body: { text: string; fail?: boolean; waitMs?: number }) =>
    api.call(postNote, { headers: { 'idempotency-key': key }, body });

  it('makes a repeat answer as the first did, and run once', async () => {
    const first = await post('k-1', { text: 'once' });
    const again = await post('k-1', { text: 'once' });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(await notes('once')).toBe(1);
  });

  it('refuses another request under the same key', async () => {
    await post('k-2', { text: 'two' });
    expect(await post('k-2', { text: 'other' })).toMatchObject({
      status: 400,
      body: { errors: { 'Idempotency-Key': expect.any(String) } },
    });
  });

  it('says to retry while the first is still running, and runs once in a race', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('k-3', { text: 'race', waitMs: 200 })));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses[0]).toBe(201);
    for (const answer of answers.filter((answer) => answer.status !== 201)) {
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    }
    expect((await post('k-3', { text: 'race', waitMs: 200 })).status).toBe(201);
    expect(await notes('race')).toBe(1);
  });

  it('leaves nothing behind when the request is refused, so it can be repeated', async () => {
    expect((await post('k-4', { text: 'refused', fail: true })).status).toBe(400);
    expect(await notes('refused')).toBe(0);
    expect((await post('k-4', { text: 'refused' })).status).toBe(201);
  });

  it('belongs to its caller', async () => {
    await post('k-5', { text: 'mine' });
    const other = await api.call(postNote, {
      key: api.org.keys.member,
      headers: { 'idempotency-key': 'k-5' },
      body: { text: 'theirs' },
    });
    expect(other.status).toBe(201);
  });

  it.each(['', 'with space', 'x'.repeat(256)])('of a wrong form is refused: %j', async (key) => {
    expect((await post(key, { text: 'form' })).status).toBe(400);
  });
});

describe('health', () => {
  it('is reported in plain words', async () => {
    expect(await api.inject({ method: 'GET', url: '/live' })).toMatchObject({ status: 200, body: 'OK' });
    expect(await api.inject({ method: 'GET', url: '/ready' })).toMatchObject({ status: 200, body: 'OK' });
  });
});

it('a write wakes the sequencer, a read does not', async () => {
  let woken = 0;
  Object.assign(api.app, { onWrite: () => woken++ });
  await api.call(listFlows);
  expect(woken).toBe(0);
  await api.call(putFlow, { body: { name: 'wakes' } });
  expect(woken).toBe(1);
});
