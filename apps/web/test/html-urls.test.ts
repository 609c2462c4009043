import { createClient } from '@waymark/client';
import {
  type Contract,
  explainEnvironment,
  getSnapshot,
  listArtifacts,
  listAttestations,
  listDeployments,
  listEnvironments,
  listFlows,
  listSnapshots,
  listTrails,
  searchSha,
} from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { isFull } from '../../../tools/test-size.ts';
import { settle } from './settle.ts';
import { openStage, type WatchedPage, watch } from './stage.ts';

const stage = await openStage();
const client = createClient({ baseUrl: `${stage.url}/api/v2`, apiKey: stage.org.keys.ada });
const org = stage.org.name;
/** How many addresses of each kind are opened; a full run opens all of them. */
const OPENED_MAX = isFull ? Number.POSITIVE_INFINITY : 3;

/** Every address of this installation in a response, whatever its field is called. */
function addressesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith(`${stage.url}/`) && !value.includes('/api/') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(addressesIn);
}

async function answers(): Promise<unknown[]> {
  const all: unknown[] = [];
  const lists = [listEnvironments, listFlows, listTrails, listArtifacts, listAttestations, listDeployments] as const;
  for (const list of lists)
    for await (const page of client.pages(list as Contract, { params: { org } } as never)) all.push(page);
  for (const env_name of stage.org.environments) {
    all.push(await client.call(getSnapshot, { params: { org, env_name, snapshot_expression: '-1' } }));
    all.push(await client.call(listSnapshots, { params: { org, env_name }, query: { per_page: 100 } }));
    all.push(await client.call(explainEnvironment, { params: { org, env_name } }));
  }
  const sha = stage.org.violation.release.fingerprint;
  all.push(await client.call(searchSha, { params: { org, sha } }));
  return all;
}

/** The address with `*` for each name in it. */
function kindOf(address: string): string {
  const { pathname, searchParams } = new URL(address);
  const parts = pathname.split('/').map((part, place) => (place === 1 || (place > 2 && place % 2 === 1) ? '*' : part));
  return [parts.join('/'), ...searchParams.keys()].join(' ');
}

const addresses = [...new Set(addressesIn(await answers()))];
const byKind = Object.entries(Object.groupBy(addresses, kindOf)).map(
  ([kind, found = []]) => [kind, found.slice(0, OPENED_MAX)] as const,
);
const profile = await stage.profile('carl');

/** A browser page holds memory for each address it opened: after thousands it is slow. */
const OPENED_BY_ONE_PAGE = 40;
const idle: { readonly watched: WatchedPage; readonly opened: number }[] = [];

async function inPage(work: (watched: WatchedPage) => Promise<void>): Promise<void> {
  const { watched, opened } = idle.pop() ?? { watched: watch(await profile.newPage()), opened: 0 };
  await work(watched);
  if (opened + 1 === OPENED_BY_ONE_PAGE) await watched.page.close();
  else idle.push({ watched, opened: opened + 1 });
}

it('the API returns addresses of every kind', () => {
  expect(byKind.map(([kind]) => kind).sort()).toEqual([
    '/*/environments/*',
    '/*/environments/*/snapshots/*',
    '/*/flows/*',
    '/*/flows/*/artifacts/* artifact_id',
    '/*/flows/*/trails/*',
    '/*/flows/*/trails/* attestation_id',
  ]);
});

describe.each(byKind)('%s', (_, found) => {
  // Several at once, as most of the time is waiting.
  it.concurrent.each(found)('%s opens what it names', (address) =>
    inPage(async ({ page, troubles }) => {
      await page.goto(address);
      await settle(page);
      const { pathname, searchParams } = new URL(address);
      const name = decodeURIComponent(pathname.split('/').at(-1) ?? '');
      const text = await page.getByRole('main').textContent();
      expect(text).toContain(pathname.includes('/artifacts/') ? name.slice(0, 7) : name);
      expect(await page.getByRole('alert').allTextContents()).toEqual([]);
      if (searchParams.has('attestation_id')) await page.getByRole('dialog').waitFor();
      expect(page.url()).toBe(address);
      expect(troubles).toEqual([]);
    }),
  );
});
