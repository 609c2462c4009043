import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';
import { VERSION } from '../version.ts';
import { faultOfPublicUrl, isOwnPath, withoutBase } from './base-path.ts';
import { readWebFiles } from './web-files.ts';

const directory = await mkdtemp(join(tmpdir(), 'waymark-base-'));
await mkdir(join(directory, 'assets'));
await writeFile(
  join(directory, 'index.html'),
  '<meta name="base-path" content="__BASE__"><meta name="version" content="__VERSION__"><script src="./assets/main-x1.js"></script>',
);
await writeFile(join(directory, 'assets/main-x1.js'), 'export {};');
afterAll(() => rm(directory, { recursive: true }));

const api = await startApi({ publicUrl: 'https://example.test/waymark', web: await readWebFiles(directory) });
const get = (url: string) => api.inject({ method: 'GET', url, headers: { accept: 'text/html' } });

describe.each([
  ['a proxy that forwards the base path', '/waymark'],
  ['a proxy that strips it', ''],
])('behind %s', (_, sent) => {
  it('has links and forms below it on pages', async () => {
    const { status, body } = await get(`${sent}/sign-in`);
    expect(status).toBe(200);
    const addresses = Array.from(String(body).matchAll(/ (?:href|action)="([^"]*)"/g), ([, address]) => address);
    expect(new Set(addresses)).toEqual(new Set(['/waymark/account', '/waymark/sign-in']));
  });

  it('redirects below it, and leaves it out of `next`', async () => {
    const { status, headers } = await get(`${sent}/account`);
    expect({ status, location: headers['location'] }).toEqual({
      status: 303,
      location: '/waymark/sign-in?next=%2Faccount',
    });
  });

  it('tells the web application where it is', async () => {
    for (const path of ['/', '/acme/flows?page=2', '/waymark/flows']) {
      const { body } = await get(`${sent}${path}`);
      expect(body).toBe(
        `<meta name="base-path" content="/waymark"><meta name="version" content="${VERSION}">` +
          '<script src="/waymark/assets/main-x1.js"></script>',
      );
    }
    expect(await get(`${sent}/assets/main-x1.js`)).toMatchObject({ status: 200, body: 'export {};' });
  });

  it('serves the API, which names its own address', async () => {
    const { body } = await get(`${sent}/api/v2/openapi.json`);
    expect(body).toMatchObject({ servers: [{ url: 'https://example.test/waymark/api/v2' }] });
    expect(await get(`${sent}/api/v2/nothing`)).toMatchObject({
      status: 404,
      body: { message: 'Nothing found at GET /api/v2/nothing' },
    });
    expect(await get(`${sent}/ready`)).toMatchObject({ status: 200 });
  });
});

it('keeps cookies for the whole host, as their prefix asks', async () => {
  const { headers } = await get('/waymark/sign-in');
  expect(headers['set-cookie']).toMatch(/^__Host-waymark-browser=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
});

it.each([
  ['/waymark', '/'],
  ['/waymark/', '/'],
  ['/waymark?a=1', '/?a=1'],
  ['/waymark/acme?a=1', '/acme?a=1'],
  ['/waymark/waymark/flows', '/waymark/flows'],
  ['/waymarked', '/waymarked'],
  ['/acme', '/acme'],
])('reads %s as %s', (url, path) => {
  expect(withoutBase('/waymark', url)).toBe(path);
  expect(withoutBase('', url)).toBe(url);
});

it('knows the first part of every route', () => {
  const routes = api.app.http.printRoutes({ commonPrefix: false });
  const firsts = Array.from(routes.matchAll(/^[├└]── \/([\w-]*)/gm), ([, first = '']) => first);
  expect(new Set(firsts)).toContain('sign-in');
  expect(firsts.filter((first) => !isOwnPath(first))).toEqual([]);
});

it.each([
  ['https://example.com', undefined],
  ['https://example.com/', undefined],
  ['http://localhost:8080/tools/waymark/', undefined],
  ['ftp://example.com', 'must begin with https:// or http://'],
  ['https://me:secret@example.com', 'must not have a user, query, or fragment'],
  ['https://example.com/?a=1', 'must not have a user, query, or fragment'],
  ['https://example.com/a%20b', "has the path '/a%20b': use only letters, digits, and . _ ~ - between slashes"],
  ['https://example.com/a//b', "has the path '/a//b': use only letters, digits, and . _ ~ - between slashes"],
  ['https://example.com/api/', "has the path '/api', which Waymark itself uses: choose another one"],
])('says what is wrong with %s', (url, fault) => {
  expect(faultOfPublicUrl(url)).toBe(fault);
});
