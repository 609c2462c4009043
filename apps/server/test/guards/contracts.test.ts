import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atLeast, type Contract, contracts, listFlows, putFlow, type Role, roles, toOpenApi } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { routeUrl } from '../../src/platform/http/route-url.ts';
import { startApi } from '../harness.ts';

const SOURCES = join(import.meta.dirname, '../../src');
const OPENAPI = join(import.meta.dirname, '../../../../docs/api/openapi.json');

const api = await startApi();
const stranger = await api.givenOrg('stranger');
const guarded = contracts.filter((contract) => contract.access !== 'public');

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

describe('every operation', () => {
  it('has an API test', async () => {
    expect(await untested(contracts)).toEqual([]);
    expect(await untested([{ ...guarded[0], id: 'canary' } as Contract])).toEqual(['canary']);
  });

  it('is described, and its id is its own', () => {
    expect(undescribed(contracts)).toEqual([]);
    expect(new Set(contracts.map(({ id }) => id)).size).toBe(contracts.length);
    expect(undescribed([{ ...guarded[0], id: 'canary', summary: '' } as Contract])).toEqual(['canary']);
  });

  it('is served: nothing is described that does not exist', () => {
    for (const contract of contracts) {
      const { method, path } = contract;
      expect(api.app.http.hasRoute({ method, url: routeUrl(contract) }), `${method} ${path}`).toBe(true);
    }
  });
});

describe.each(guarded.map((contract) => [contract.id, contract] as const))('%s', (_, contract) => {
  it('is refused without a credential', async () => {
    const answer = await api.call(contract, { key: '', headers: {} });
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(Object.keys(answer.body as object)).toEqual(['message']);
  });

  it('is refused alike to another org and for an org that never was', async () => {
    expect(await isRefusedLikeNoOrg(contract, api.org.name)).toBe(true);
  });

  it.each(roles)('is open to the role %s exactly when the contract says so', async (role) => {
    expect(await accessDiffers(contract, role)).toBe(false);
  });
});

/** Whether an org answers a stranger's admin exactly as an org that does not exist. */
async function isRefusedLikeNoOrg(contract: Contract, org: string): Promise<boolean> {
  const query = contract.replyType === 'text/event-stream' ? { topics: '?' } : {};
  const there = await api.call(contract, { key: stranger.keys.admin, params: { org }, query });
  const absent = await api.call(contract, { key: stranger.keys.admin, params: { org: 'never-was' }, query });
  return there.status === 403 && absent.status === 403 && JSON.stringify(there.body) === JSON.stringify(absent.body);
}

it('the check of orgs notices an org that lets the caller in', async () => {
  expect(await isRefusedLikeNoOrg(putFlow, stranger.name)).toBe(false);
});

/** Whether the server lets a role in where the contract keeps it out, or the other way round. */
async function accessDiffers(contract: Contract, role: Role): Promise<boolean> {
  const allowed = contract.access === 'public' || atLeast(role, contract.access);
  // An open event stream would not end; its query is broken on purpose, which is looked at after the role.
  const query = contract.replyType === 'text/event-stream' ? { topics: '?' } : {};
  const { status, body } = await api.call(contract, { key: api.org.keys[role], query });
  if (allowed) return status === 401 || status === 403;
  const message = `This needs the role ${contract.access}; yours is ${role}`;
  return status !== 403 || JSON.stringify(body) !== JSON.stringify({ message });
}

it('the check of roles notices a contract that says something else than the server does', async () => {
  expect(await accessDiffers({ ...putFlow, access: 'reader' }, 'reader')).toBe(true);
  expect(await accessDiffers({ ...listFlows, access: 'admin' }, 'member')).toBe(true);
});

describe('the API description', () => {
  it('in docs/api/openapi.json is the one the code gives', async () => {
    const emitted = toOpenApi(contracts, { version: '2.0', serverUrl: '/api/v2' });
    const checkedIn: unknown = JSON.parse(await readFile(OPENAPI, 'utf8'));
    expect(checkedIn, 'run `pnpm generate`').toEqual(emitted);
    expect(checkedIn).not.toEqual(toOpenApi(contracts.slice(1), { version: '2.0', serverUrl: '/api/v2' }));
  });
});
