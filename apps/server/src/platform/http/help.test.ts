import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';
import { readWebFiles } from './web-files.ts';

const SCRIPT = 'document.title="dark"';
const directory = await mkdtemp(join(tmpdir(), 'waymark-help-'));
await mkdir(join(directory, 'assets'));
await mkdir(join(directory, 'help/assets'), { recursive: true });
await mkdir(join(directory, 'help/adr'));
await writeFile(join(directory, 'index.html'), 'the application');
await writeFile(
  join(directory, 'help/index.html'),
  `<script>${SCRIPT}</script><a href="/help/install.html">Install</a>`,
);
await writeFile(join(directory, 'help/404.html'), 'no such page');
await writeFile(join(directory, 'help/adr/0001.html'), 'a decision');
await writeFile(join(directory, 'help/assets/app.x1.js'), 'const base = "/help/";');
await writeFile(join(directory, 'help/icons.css'), '');
await writeFile(join(directory, 'help/secret.env'), 'no type, so not served');
await writeFile(join(directory, 'secret.html'), 'outside of the folder');
afterAll(() => rm(directory, { recursive: true }));

const web = await readWebFiles(directory);
const api = await startApi({ web });
const PAGE = { accept: 'text/html' };
const get = (url: string, headers: Record<string, string> = PAGE) => api.inject({ method: 'GET', url, headers });

it('serves pages, and lets only their own scripts run', async () => {
  const page = await get('/help/');
  expect(page).toMatchObject({ status: 200, headers: { 'cache-control': 'no-cache' } });
  const hash = createHash('sha256').update(SCRIPT).digest('base64');
  expect(page.headers['content-security-policy']).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(await get('/help/adr/0001.html')).toMatchObject({ status: 200, body: 'a decision' });
  expect(await get('/help/icons.css')).toMatchObject({ status: 200, body: '' });
  expect(await get('/help')).toMatchObject({ status: 302, headers: { location: '/help/' } });
});

it('serves the files of its pages, compressed, for as long as a browser likes', async () => {
  const asset = await api.app.http.inject({ url: '/help/assets/app.x1.js', headers: { 'accept-encoding': 'gzip' } });
  expect(asset.headers).toMatchObject({
    'content-encoding': 'gzip',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'text/javascript; charset=utf-8',
  });
  expect(gunzipSync(asset.rawPayload).toString()).toBe('const base = "/help/";');
});

it.each([
  '/help/none.html',
  '/help/..%2fsecret.html',
  '/help/adr/%2e%2e%2f..%2fsecret.html',
  '/help/secret.env',
  '/help//adr',
  '/help/adr',
])('has nothing at %s', async (url) => {
  const answer = await get(url);
  expect(answer.status).toBe(404);
  expect(answer.body).not.toContain('secret');
  expect((await get(url, { accept: 'application/json' })).status).toBe(404);
});

it('is found below the path of the service', async () => {
  const below = await startApi({ web, publicUrl: 'https://example.test/waymark' });
  const page = await below.inject({ method: 'GET', url: '/waymark/help/', headers: PAGE });
  expect(page.body).toContain('href="/waymark/help/install.html"');
  const moved = await below.inject({ method: 'GET', url: '/waymark/help', headers: PAGE });
  expect(moved.headers['location']).toBe('/waymark/help/');
});
