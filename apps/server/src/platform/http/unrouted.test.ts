import { type AddressInfo, connect } from 'node:net';
import { getAuditLog, streamEvents } from '@waymark/contract';
import type { HTTPMethods } from 'fastify';
import { describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
await api.app.http.listen({ host: '127.0.0.1', port: 0 });
const { port } = api.app.http.server.address() as AddressInfo;
const asAdmin = { authorization: `Bearer ${api.org.keys.admin}` };

const ask = (method: string, url: string, headers: Record<string, string> = {}) =>
  api.inject({ method: method as HTTPMethods, url, headers });

describe('a method that a path does not take', () => {
  it.each([
    ['DELETE', '/api/v2/flows/acme', 'GET, HEAD, PUT'],
    ['POST', '/api/v2/flows/acme/web', 'GET, HEAD'],
    ['GET', '/api/v2/flows/acme/web/rename', 'PUT'],
    ['OPTIONS', '/api/v2/flows/acme', 'GET, HEAD, PUT'],
    ['PUT', '/api/v2/openapi.json', 'GET, HEAD'],
    ['PUT', '/sign-in', 'GET, HEAD, POST'],
    ['DELETE', '/ready', 'GET, HEAD'],
    ['POST', '/assets/main.js', 'GET, HEAD'],
  ])('%s %s is 405 and says which it takes', async (method, url, allow) => {
    expect(await ask(method, `${url}?x=1`)).toMatchObject({
      status: 405,
      headers: { allow, 'content-type': 'application/json; charset=utf-8' },
      body: { message: `${method} is not allowed at ${url}. Allowed: ${allow}.` },
    });
  });

  it('is answered alike for an org of others and one that never was, with a key and without', async () => {
    await api.givenOrg('others');
    for (const headers of [{}, asAdmin]) {
      for (const org of ['acme', 'others', 'never-was'])
        expect(await ask('DELETE', `/api/v2/flows/${org}`, headers)).toMatchObject({ status: 405 });
    }
  });

  it('is reported in the form of SCIM below SCIM', async () => {
    expect(await ask('PUT', '/api/v2/scim/v2/acme/Schemas')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD', 'content-type': 'application/scim+json; charset=utf-8' },
      body: { status: '405', detail: expect.stringContaining('PUT is not allowed at') },
    });
  });

  it.each(['QUERY', 'PROPFIND', 'TRACE'])('%s is no exception, also where there is nothing', async (method) => {
    const text = async (url: string) =>
      /^HTTP\/1.1 (\d+)[\s\S]*?\r\n\r\n([\s\S]*)$/.exec(await raw(method, url))?.slice(1);
    expect(await text('/api/v2/flows/acme')).toEqual([
      '405',
      expect.stringContaining(`${method} is not allowed at /api/v2/flows/acme. Allowed: GET, HEAD, PUT.`),
    ]);
    expect(await text('/api/v2/none')).toEqual([
      '404',
      expect.stringContaining(`Nothing found at ${method} /api/v2/none`),
    ]);
  });

  it('is refused in our words when HTTP does not know it', async () => {
    expect(await raw('FETCH', '/api/v2/flows/acme')).toMatch(/^HTTP\/1.1 400 [\s\S]*Unknown HTTP method/);
  });

  it('is refused before the body is read', async () => {
    const answer = await api.inject({
      method: 'PATCH',
      url: '/api/v2/flows/acme',
      headers: { 'content-type': 'text/plain' },
      payload: 'no JSON',
    });
    expect(answer.status).toBe(405);
  });
});

describe('HEAD', () => {
  it.each(['/live', '/ready', '/', '/docs', '/sign-in', '/api/v2/openapi.json', '/api/v2/flows/acme'])(
    '%s is answered as GET is, without the body',
    async (url) => {
      // The length before and after compression differs.
      const headers = { ...asAdmin, 'accept-encoding': 'identity' };
      const got = await fetch(`http://127.0.0.1:${port}${url}`, { headers });
      const headed = await fetch(`http://127.0.0.1:${port}${url}`, { method: 'HEAD', headers });
      expect(headed.status).toBe(got.status);
      expect(headed.headers.get('content-type')).toBe(got.headers.get('content-type'));
      expect(headed.headers.get('content-length')).toBe(String((await got.arrayBuffer()).byteLength));
      expect(await headed.text()).toBe('');
    },
  );

  it('needs the same credential and role', async () => {
    const head = async (url: string, headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}/api/v2${url}`, { method: 'HEAD', headers })).status;
    expect(await head('/flows/acme', {})).toBe(401);
    expect(await head('/flows/never-was', asAdmin)).toBe(403);
    expect(await head('/flows/acme/none', asAdmin)).toBe(404);
  });

  it.each([
    ['a stream of events', streamEvents.path, 'text/event-stream'],
    ['a file', getAuditLog.path, 'text/csv; charset=utf-8'],
  ])('of %s is answered at once', async (_, path, type) => {
    await givenEnvironment(api, 'prod', 'server');
    const url = `/api/v2${path.replace(':org', 'acme').replace(':env_name', 'prod')}`;
    const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
      method: 'HEAD',
      headers: asAdmin,
      signal: AbortSignal.timeout(120_000),
    });
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, type, '']);
  });
});

it.each([
  ['/api/v2/flows/acme', 'application/json', { message: expect.stringContaining('16 KiB') }],
  ['/api/v2/scim/v2/acme/Users', 'application/scim+json', { status: '431', detail: expect.stringContaining('16 KiB') }],
])('too large a head at %s is 431 in the form of that address', async (url, type, body) => {
  const [head, sent = ''] = (await raw('GET', `${url}?filter=${'a'.repeat(17_000)}`)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 431 [\\s\\S]*Content-Type: ${type.replace('+', '\\+')};`));
  expect(JSON.parse(sent)).toMatchObject(body);
});

it.each(['/live', '/api/v2/flows/acme', '/api/v2/scim/v2/acme/Users', '/nowhere'])(
  'two Host headers at %s are 400, whatever their case',
  async (url) => {
    expect(await raw('GET', url, 'hOST: other.test\r\n')).toMatch(/^HTTP\/1.1 400 [\s\S]*more than one Host header/);
  },
);

/** Not every client sends every method: these bytes are written by hand. */
function raw(method: string, url: string, more = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes;
    });
    socket.on('error', reject).on('end', () => resolve(answer));
    socket.write(`${method} ${url} HTTP/1.1\r\nHost: waymark.test\r\n${more}Connection: close\r\n\r\n`);
  });
}
