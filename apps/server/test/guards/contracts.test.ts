import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Contract, contracts, listFlows, toOpenApi } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { permissionsPage } from '../../src/app/permissions-page.ts';
import { settingsPage } from '../../src/app/settings-page.ts';
import { routeUrl } from '../../src/platform/http/route-url.ts';
import { startApi } from '../harness.ts';

const SOURCES = join(import.meta.dirname, '../../src');
const DOCS = join(import.meta.dirname, '../../../../docs');

const api = await startApi();

/** Operations that no API test mentions. */
async function untested(operations: readonly Contract[]): Promise<string[]> {
  const files = (await readdir(SOURCES, { recursive: true })).filter((file) => file.endsWith('.api.test.ts'));
  const texts = await Promise.all(files.map((file) => readFile(join(SOURCES, file), 'utf8')));
  // Once where it is imported, and once where it is used.
  const isUsed = (id: string) => texts.some((text) => (text.match(new RegExp(`\\b${id}\\b`, 'g')) ?? []).length >= 2);
  return operations.map(({ id }) => id).filter((id) => !isUsed(id));
}

function undescribed(operations: readonly Contract[]): string[] {
  return operations.filter(({ summary, tag, errors }) => !summary || !tag || errors.length === 0).map(({ id }) => id);
}

/**
 * Operations in the route tree that the web server prints: one line per part of the path, four characters per level. A
 * wildcard route does not say what it matches.
 */
function routesIn(tree: string): string[] {
  const parts: string[] = [];
  const routes = tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S+) \(([A-Z, ]+)\)$/.exec(line) ?? [];
    if (methods === '') return [];
    parts.length = indent.length / 4;
    parts.push(part);
    return methods.split(', ').map((method) => `${method} ${parts.join('')}`);
  });
  // HEAD comes with every GET.
  return routes.filter((route) => / \/api\/[^*]+$/.test(route) && !route.startsWith('HEAD '));
}

describe('every operation', () => {
  it('has an API test', async () => {
    expect(await untested(contracts)).toEqual([]);
    expect(await untested([{ ...listFlows, id: 'canary' }])).toEqual(['canary']);
  });

  it('is described, and its id is its own', () => {
    expect(undescribed(contracts)).toEqual([]);
    expect(new Set(contracts.map(({ id }) => id)).size).toBe(contracts.length);
    expect(undescribed([{ ...listFlows, id: 'canary', summary: '' }])).toEqual(['canary']);
  });

  it('is served: nothing is described that does not exist', () => {
    for (const contract of contracts) {
      const { method, path } = contract;
      expect(api.app.http.hasRoute({ method, url: routeUrl(contract) }), `${method} ${path}`).toBe(true);
    }
  });

  it('is described: nothing is served under the address of the API that has no contract', async () => {
    await api.app.http.ready();
    const described = new Set(contracts.map((contract) => `${contract.method} ${routeUrl(contract)}`));
    const undescribed = (tree: string) => routesIn(tree).filter((route) => !described.has(route));
    expect(undescribed(api.app.http.printRoutes({ commonPrefix: false }))).toEqual([]);
    expect(undescribed('├── /api/v2/flows/:org (GET)\n│   └── /canary (GET, PUT)')).toEqual([
      'GET /api/v2/flows/:org/canary',
      'PUT /api/v2/flows/:org/canary',
    ]);
  });
});

describe('the API description', () => {
  it('in docs/api/openapi.json is the one the code gives', async () => {
    const emitted = toOpenApi(contracts, { version: '2.0', serverUrl: '/api/v2' });
    const checkedIn: unknown = JSON.parse(await readFile(join(DOCS, 'api/openapi.json'), 'utf8'));
    expect(checkedIn, 'run `pnpm generate`').toEqual(emitted);
    expect(checkedIn).not.toEqual(toOpenApi(contracts.slice(1), { version: '2.0', serverUrl: '/api/v2' }));
  });
});

it('docs/configuration.md is the page the code gives', async () => {
  expect(await readFile(join(DOCS, 'configuration.md'), 'utf8'), 'run `pnpm generate`').toBe(settingsPage());
});

it('docs/permissions.md is the page the code gives', async () => {
  expect(await readFile(join(DOCS, 'permissions.md'), 'utf8'), 'run `pnpm generate`').toBe(permissionsPage());
});
