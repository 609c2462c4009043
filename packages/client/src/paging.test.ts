import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';
import { type Behaviour, hangUp, instantPace, json, startFaultyServer } from '../test/faulty-server.ts';
import { getThing, listPlainThings, listScimThings, listThingPages, listThings } from '../test/operations.ts';
import { createPacedClient } from './client.ts';
import { UnexpectedAnswerError } from './errors.ts';

const server = await startFaultyServer();
afterAll(server.close);
const client = createPacedClient({ baseUrl: server.baseUrl, apiKey: 'k' }, instantPace());

const things = (...names: string[]) => names.map((name) => ({ name }));
/** The server's own address may not be reachable from here. */
const far = (query: string) => `https://waymark.internal/api/v2/things?${query}`;
const linked = (query: string, ...names: string[]) =>
  json(200, things(...names), { link: `<${far('page=1')}>; rel="first", <${far(query)}>; rel="next"` });

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of source) found.push(item);
  return found;
}
const queries = () => server.received.map(({ url }) => url.split('?')[1] ?? '');

describe('pages are followed', () => {
  it('by the header Link, at the address of the client', async () => {
    server.behave(linked('after=x%2B1&tag=a&tag=b', 'a', 'b'), linked('tag=a&after=y', 'c'), json(200, things('d')));
    expect(await all(client.items(listThings, { query: { tag: ['a', 'b'] } }))).toEqual(things('a', 'b', 'c', 'd'));
    expect(queries()).toEqual(['tag=a&tag=b', 'after=x%2B1&tag=a&tag=b', 'tag=a&after=y']);
    expect(new Set(server.received.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer k']));
  });

  it('by a header that has only other relations: there are no more', async () => {
    server.behave(json(200, things('a'), { link: `<${far('page=1')}>; rel="first prev"` }));
    expect(await all(client.items(listThings, {}))).toEqual(things('a'));
  });

  it('by _links', async () => {
    const page = (name: string, next?: string) =>
      json(200, { things: things(name), total: 2, _links: { ...(next && { next: { href: far(next) } }) } });
    server.behave(page('a', 'page=2'), page('b'));
    const pages = await all(client.pages(listThings, { query: { page: 1 } }));
    expect(pages).toMatchObject([{ things: things('a') }, { things: things('b') }]);
    expect(queries()).toEqual(['page=1', 'page=2']);
    server.behave(page('a', 'page=2'), page('b'));
    expect(await all(client.items(listThings, { query: { page: 1 } }))).toEqual(things('a', 'b'));
  });

  it('by a cursor', async () => {
    const page = (name: string, next: string | null) => json(200, { data: things(name), pagination: { next } });
    server.behave(page('a', 'x=/'), page('b', null));
    expect(await all(client.items(listThingPages, {}))).toEqual(things('a', 'b'));
    expect(queries()).toEqual(['', 'after=x%3D%2F']);
  });

  it('by the number of pages', async () => {
    const page = (name: string, number: number) =>
      json(200, { data: things(name), pagination: { page: number, page_count: 3 } });
    server.behave(page('a', 1), page('b', 2), page('c', 3));
    expect(await all(client.items(listThingPages, {}))).toEqual(things('a', 'b', 'c'));
    expect(queries()).toEqual(['', 'page=2', 'page=3']);
  });

  it('until a page is empty, where a list has no links', async () => {
    server.behave(json(200, things('a', 'b')), json(200, things('c')), json(200, []));
    expect(await all(client.items(listPlainThings, {}))).toEqual(things('a', 'b', 'c'));
    expect(queries()).toEqual(['', 'page=2', 'page=3']);
    server.behave(json(200, things('a', 'b')), json(200, things('c')));
    expect(await all(client.items(listPlainThings, { query: { page: 4, per_page: 2 } }))).toHaveLength(3);
    expect(queries()).toEqual(['page=4&per_page=2', 'page=5&per_page=2']);
  });

  it('by the position of SCIM', async () => {
    const page = (startIndex: number, ...names: string[]) =>
      json(200, { schemas: ['urn:x'], totalResults: 3, startIndex, Resources: things(...names) });
    server.behave(page(1, 'a', 'b'), page(3, 'c'));
    expect(await all(client.items(listScimThings, {}))).toEqual(things('a', 'b', 'c'));
    expect(queries()).toEqual(['', 'startIndex=3']);
  });
});

it('a page is requested only when it is needed', async () => {
  server.behave(linked('after=1', 'a'), linked('after=2', 'b'));
  for await (const { name } of client.items(listThings, {})) if (name === 'a') break;
  expect(server.received).toHaveLength(1);
});

it('a failed page is retried, and those before it are not', async () => {
  server.behave(linked('after=1', 'a'), hangUp, json(200, things('b')));
  expect(await all(client.items(listThings, {}))).toEqual(things('a', 'b'));
  expect(queries()).toEqual(['', 'after=1', 'after=1']);
});

it('pages end when the caller stops', async () => {
  server.behave(linked('after=1', 'a'), linked('after=2', 'b'));
  const leaving = new AbortController();
  const reading = (async () => {
    for await (const { name } of client.items(listThings, { signal: leaving.signal })) leaving.abort(new Error(name));
  })();
  await expect(reading).rejects.toThrow('a');
  expect(server.received).toHaveLength(1);
});

it.each<[string, number, [Behaviour, ...Behaviour[]]]>([
  ['itself', 2, [linked('after=1', 'a')]],
  ['one of the pages before', 3, [linked('after=1', 'a'), linked('after=2', 'a'), linked('after=1', 'a')]],
  ['the first page', 1, [linked('tag=x', 'a')]],
])('a page that leads to %s ends in an error and not in a circle', async (_, asked, behaviours) => {
  server.behave(...behaviours);
  const failure = await all(client.items(listThings, { query: { tag: ['x'] } })).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UnexpectedAnswerError);
  expect(failure).toMatchObject({ message: expect.stringContaining('do not end'), requestId: 'r-1' });
  expect(server.received).toHaveLength(asked);
});

it('a reply without a list has no elements', async () => {
  server.behave(json(200, { name: 'a' }));
  await expect(all(client.items(getThing, { params: { name: 'a' } }))).rejects.toThrow('use call or pages');
});

it('elements have their type, wherever they are in the page', () => {
  type Thing = { name: string };
  expectTypeOf(client.items(listThings, {})).toEqualTypeOf<AsyncIterable<Thing>>();
  expectTypeOf(client.items(listThingPages, {})).toEqualTypeOf<AsyncIterable<Thing>>();
  expectTypeOf(client.items(listScimThings, {})).toEqualTypeOf<AsyncIterable<Thing>>();
});
