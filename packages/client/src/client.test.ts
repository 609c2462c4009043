import { afterAll, describe, expect, it } from 'vitest';
import { hangUp, html, instantPace, json, startFaultyServer } from '../test/faulty-server.ts';
import { addPublicThing, addThing, deleteThing, getThing } from '../test/operations.ts';
import { createClient, createPacedClient } from './client.ts';
import { ApiError, InvalidInputError, UnexpectedAnswerError } from './errors.ts';
import type { Exchange } from './options.ts';

const server = await startFaultyServer();
afterAll(server.close);
const client = createPacedClient({ baseUrl: server.baseUrl, apiKey: 'secret-key' }, instantPace());
const thing = json(200, { name: 'a' });
const input = { params: { name: 'a' } };
const body = { name: 'a' };

const failureOf = (call: Promise<unknown>) => call.then(() => undefined).catch((error: unknown) => error);

describe('a request', () => {
  it('has its names and values escaped, and lists repeated', async () => {
    server.behave(thing);
    await client.call(getThing, { params: { name: 'a/b ü?#%' }, query: { tag: ['x y', 'z&'] } });
    expect(server.received[0]?.url).toBe('/api/v2/things/a%2Fb%20%C3%BC%3F%23%25?tag=x+y&tag=z%26');
  });

  it.each(['', '.', '..', '\ud800'])('is not sent with the name %j, which would change its path', async (name) => {
    server.behave(thing);
    expect(await failureOf(client.call(getThing, { params: { name } }))).toMatchObject({
      name: 'InvalidInputError',
      field: 'name',
    });
    expect(server.received).toEqual([]);
  });

  it('carries the key, what it accepts, and who sends it', async () => {
    server.behave(thing);
    const named = createClient({ baseUrl: `${server.baseUrl}/`, apiKey: async () => 'found', userAgent: 'test/1' });
    await named.call(getThing, input);
    expect(server.received[0]).toMatchObject({
      url: '/api/v2/things/a',
      headers: { authorization: 'Bearer found', 'user-agent': 'test/1', accept: 'application/json' },
    });
  });

  it('asks for the key before each attempt, and not where none is needed', async () => {
    let asked = 0;
    const apiKey = async () => `key-${++asked}`;
    const { call } = createPacedClient({ baseUrl: server.baseUrl, apiKey }, instantPace());
    server.behave(hangUp, thing);
    await call(getThing, input);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-1', 'Bearer key-2']);
    server.behave(json(201, 'done'));
    await call(addPublicThing, { body });
    expect(server.received[0]?.headers.authorization).toBeUndefined();
    expect(asked).toBe(2);
  });

  it('fails with the error of the key provider', async () => {
    const apiKey = () => Promise.reject(new Error('no identity token'));
    await expect(createClient({ baseUrl: server.baseUrl, apiKey }).call(getThing, input)).rejects.toThrow(
      'no identity token',
    );
  });

  it.each(['secret\n', '"secret" ', 'sécret'])(
    'is not sent with the key %j, and does not reveal it',
    async (apiKey) => {
      server.behave(thing);
      const exchanges: Exchange[] = [];
      const { call } = createClient({
        baseUrl: server.baseUrl,
        apiKey,
        onExchange: (exchange) => exchanges.push(exchange),
      });
      const failure = await failureOf(call(getThing, input));
      expect(failure).toBeInstanceOf(InvalidInputError);
      expect(String(failure)).toContain('apiKey must be visible ASCII characters');
      expect(`${failure} ${JSON.stringify(exchanges)}`).not.toMatch(/s.cret/);
    },
  );

  it.each([
    ['waymark.example.com', 'must be an http(s) address'],
    ['ftp://waymark.example.com', 'must be an http(s) address'],
    ['https://me:secret@waymark.example.com', 'must not hold a user name or password'],
    ['https://waymark.example.com/api/v2?x=1', 'must end with its path'],
  ])('cannot be made for the address %s', (baseUrl, reason) => {
    expect(() => createClient({ baseUrl })).toThrow(`baseUrl ${reason}`);
  });
});

describe('an answer', () => {
  it('comes with its status and headers', async () => {
    server.behave(json(201, 'done', { 'waymark-attestation': 'x; bound' }));
    const { status, body: reply, headers } = await client.exchange(addThing, { body });
    expect([status, reply, headers.get('waymark-attestation')]).toEqual([201, 'done', 'x; bound']);
  });

  it('may have no body', async () => {
    server.behave(json(204, undefined));
    expect(await client.call(deleteThing, {})).toBeUndefined();
  });

  it('may have fields that the client does not know', async () => {
    server.behave(json(200, { name: 'a', colour: 'red' }));
    expect(await client.call(getThing, input)).toEqual({ name: 'a' });
  });

  it('that is an error is thrown with all its fields', async () => {
    server.behave(json(400, { message: 'The request is not valid', errors: { name: 'is taken' } }));
    const failure = await failureOf(client.call(addThing, { body }));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({
      status: 400,
      message: 'The request is not valid',
      fields: { name: 'is taken' },
      requestId: 'r-1',
      retryAfterSeconds: null,
    });
    server.behave(json(409, { schemas: [], status: '409', detail: 'is taken', scimType: 'uniqueness' }));
    await expect(client.call(addThing, { body })).rejects.toMatchObject({ status: 409, message: 'is taken' });
  });

  it.each([
    ['a page of something else', html(200), 200, 'is not one of the API but text/html'],
    ['a page that denies', html(403), 403, 'is not one of the API but text/html'],
    ['a page that is not there', html(404), 404, 'is not one of the API but text/html'],
    ['JSON of another API', json(404, { error: 'nothing' }), 404, 'is not one of the API but application/json'],
    ['JSON of another shape', json(200, { name: 7 }), 200, 'has another shape at name (Invalid input: expected string'],
    ['nothing', json(200, undefined), 200, 'has another shape (Invalid input: expected object'],
    ['a list', json(200, []), 200, 'has another shape (Invalid input: expected object'],
  ])('that is %s is not accepted', async (_, behaviour, status, message) => {
    server.behave(behaviour);
    const failure = await failureOf(client.call(getThing, input));
    expect(failure).toBeInstanceOf(UnexpectedAnswerError);
    expect(failure).toMatchObject({ status, message: expect.stringContaining(message) });
    expect(String(failure)).toContain('The answer to getThing');
  });

  it('that redirects is not followed, as a write would get lost on the way', async () => {
    server.behave(html(302, { location: 'https://login.example.com/start?state=secret' }));
    const failure = await failureOf(client.call(addThing, { body }));
    expect(failure).toBeInstanceOf(UnexpectedAnswerError);
    expect(String(failure)).toContain('(302) leads on to https://login.example.com/start: use the address');
    server.behave(html(308, { location: '/api/v3/things' }));
    expect(String(await failureOf(client.call(addThing, { body })))).toContain(
      `${new URL(server.baseUrl).origin}/api/v3`,
    );
    expect(server.received).toHaveLength(1);
  });
});

describe('a dry run', () => {
  it('is asked for in the query', async () => {
    server.behave(json(201, 'done', { 'waymark-dry-run': 'true' }));
    expect(await client.call(addThing, { body, dryRun: true })).toBe('done');
    expect(server.received[0]?.url).toBe('/api/v2/things?dry_run=true');
  });

  it('that the server ignored is reported', async () => {
    server.behave(json(201, 'done'));
    const failure = await failureOf(client.call(addThing, { body, dryRun: true }));
    expect(failure).toBeInstanceOf(UnexpectedAnswerError);
    expect(String(failure)).toContain('is not that of a dry run');
  });
});

it('reports each exchange, without secrets', async () => {
  server.behave(hangUp, json(429, { message: 'no' }), thing);
  const exchanges: Exchange[] = [];
  const onExchange = (exchange: Exchange) => exchanges.push(exchange);
  const { call } = createPacedClient({ baseUrl: server.baseUrl, apiKey: 'secret', onExchange }, instantPace());
  await call(getThing, { ...input, query: { tag: 'x' } });
  const exchange = { method: 'GET', url: `${server.baseUrl}/things/a?tag=x`, ms: expect.any(Number) };
  expect(exchanges).toEqual([
    { ...exchange, error: 'other side closed' },
    { ...exchange, status: 429, requestId: 'r-1', error: 'no' },
    { ...exchange, status: 200, requestId: 'r-1' },
  ]);
  expect(JSON.stringify(exchanges)).not.toContain('secret');
});

it('uses the fetch it was given', async () => {
  const asked: unknown[] = [];
  const { call } = createClient({
    baseUrl: '/api/v2',
    fetch: async (url) => {
      asked.push(url);
      return Response.json({ name: 'a' });
    },
  });
  expect(await call(getThing, input)).toEqual({ name: 'a' });
  expect(asked).toEqual(['/api/v2/things/a']);
});
