import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';
import { readWebFiles } from './web-files.ts';

const directory = await mkdtemp(join(tmpdir(), 'waymark-web-'));
await mkdir(join(directory, 'assets'));
await writeFile(join(directory, 'index.html'), '<meta property="csp-nonce" nonce="__NONCE__">the page');
await writeFile(join(directory, 'assets/main-x1.js'), 'export {};'.repeat(100));
await writeFile(join(directory, 'assets/secret.env'), 'no type, so not served');
await writeFile(join(directory, 'secret.js'), 'not among the assets');
afterAll(() => rm(directory, { recursive: true }));

const api = await startApi({ web: await readWebFiles(directory) });
const PAGE = { accept: 'text/html,application/xhtml+xml' };
const get = (url: string, headers: Record<string, string> = {}) => api.inject({ method: 'GET', url, headers });

describe('a page of the web application', () => {
  it.each(['/', '/acme', '/acme/flows/web/trails/9f14efa?attestation_id=1', '/acme/environments/a%2Fb'])(
    'is the same at %s, with a nonce of its own',
    async (url) => {
      const first = await get(url, PAGE);
      const second = await get(url, PAGE);
      expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
      const [, nonce = ''] = /nonce="([^"]+)"/.exec(String(first.body)) ?? [];
      expect(nonce).toMatch(/^[A-Za-z0-9+/]{22}==$/);
      expect(first.headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
          "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(second.body).not.toBe(first.body);
    },
  );

  it.each(['/api', '/api/v2/nothing', '/api/v2', '/assets/none.js', '/scim/v2'])(
    'is not at %s, whatever is asked for there',
    async (url) => {
      const answer = await get(url, PAGE);
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ message: `Nothing found at GET ${url}` });
    },
  );

  it('is there for whoever takes anything, and at / for everybody', async () => {
    const anything = { accept: '*/*' };
    for (const url of ['/', '/acme', '/acme?x=1']) expect((await get(url, anything)).body).toContain('the page');
    for (const url of ['/', '/?x=1']) expect((await get(url)).body).toContain('the page');
  });

  it('is not for programs', async () => {
    const nothing = { status: 404, body: { message: 'Nothing found at GET /acme' } };
    expect(await get('/acme')).toMatchObject(nothing);
    expect(await get('/acme', { accept: 'application/json, text/plain, */*' })).toMatchObject(nothing);
    expect((await get('/', { accept: 'application/json' })).status).toBe(404);
    const posted = await api.inject({ method: 'POST', url: '/acme', headers: PAGE });
    expect(posted.status).toBe(404);
  });
});

describe('a file of it', () => {
  it('is cached for ever, and compressed for clients that accept it', async () => {
    const plain = await get('/assets/main-x1.js');
    expect(plain).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      },
    });
    const answer = await api.app.http.inject({
      url: '/assets/main-x1.js',
      headers: { 'accept-encoding': 'br, gzip' },
    });
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(answer.rawPayload).toString()).toBe(plain.body);
  });

  it.each(['/assets/secret.env', '/assets/../secret.js', '/assets/..%2fsecret.js', '/secret.js', '/assets/'])(
    'is not at %s',
    async (url) => expect((await get(url)).status).toBe(404),
  );
});

it('says how to build it where it was not built', async () => {
  expect(await readWebFiles(join(directory, 'assets'))).toBeUndefined();
});
