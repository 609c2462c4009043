import {
  archiveControl,
  archiveEnvironment,
  archiveFlow,
  archivePolicy,
  beginTrail,
  createControl,
  type Reply,
  searchNames,
} from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { fingerprint, givenArtifact, givenFlow, givenTrail } from '../../../test/given/evidence.ts';
import { givenAttached, givenPolicy } from '../../../test/given/policies.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();

async function search(q: string, limit?: string): Promise<Reply<typeof searchNames>> {
  const query = { q, ...(limit !== undefined && { limit }) };
  const { status, body } = await api.call(searchNames, { query, key: api.org.keys.reader });
  expect(status).toBe(200);
  return body;
}

const NOTHING = { flows: [], environments: [], policies: [], controls: [], trails: [], artifacts: [] };

for (const name of ['pay-web', 'web', 'Web-shop', 'old-web']) await givenFlow(api, name, 'version: 1\n');
await givenArtifact(api, 'old-web', 'f', { trail_name: 'release-old', filename: 'Web-old.tgz' });
await api.call(archiveFlow, { params: { flow_name: 'old-web' } });
await givenTrail(api, 'web', 'Release-7');
await givenTrail(api, 'web', 'release-8');
await givenTrail(api, 'pay-web', 'release_7');
await givenArtifact(api, 'web', 'a', { trail_name: 'release-8', filename: 'Web-app:1.2' });
await givenArtifact(api, 'web', 'a', { trail_name: 'Release-7', filename: 'Web-app:1.2' });
await givenArtifact(api, 'pay-web', 'b', { trail_name: 'release_7', filename: `web-${'x'.repeat(300)}` });
await givenArtifact(api, 'web', 'c', {
  trail_name: 'release-8',
  filename: 'registry.example.com/shop/Checkout:1.10.0',
});
await givenArtifact(api, 'web', 'd', {
  trail_name: 'release-8',
  filename: 'registry.example.com/shop/Checkout:1.12.3',
});
await givenArtifact(api, 'web', 'e', {
  trail_name: 'release-8',
  filename: 'registry.example.com/pinned:9.9@sha256:00',
});
for (const name of ['prod', 'eu-prod', 'gone-prod']) await givenEnvironment(api, name);
await api.call(archiveEnvironment, { params: { env_name: 'gone-prod' } });
await givenEnvironment(api, 'Prod-all', 'logical', { included_environments: ['prod', 'eu-prod'] });
for (const name of ['prod-release', 'gone-prod']) await givenPolicy(api, name);
await api.call(archivePolicy, { params: { name: 'gone-prod' } });
await givenAttached(api, 'prod', ['prod-release']);
await givenRunning(api, 'prod', { stray: '9' });
for (const [identifier, name] of [
  ['SDLC-1', 'Peer review'],
  ['REV-2', 'Scan'],
  ['SDLC-3', 'Review of prod'],
] as const)
  await api.call(createControl, { body: { identifier, name } });
await api.call(archiveControl, { params: { identifier: 'SDLC-3' } });

describe('a search for names', () => {
  it('finds parts of names in any case, those that begin so first', async () => {
    expect(await search('WEB')).toMatchObject({
      flows: [
        { name: 'Web-shop', description: '' },
        { name: 'web', description: '' },
        { name: 'pay-web', description: '' },
      ],
      environments: [],
    });
    expect(await search('prod')).toEqual({
      ...NOTHING,
      environments: [
        { name: 'Prod-all', type: 'logical', compliance: 'non-compliant', stale: false },
        { name: 'prod', type: 'server', compliance: 'non-compliant', stale: false },
        { name: 'eu-prod', type: 'server', compliance: 'unknown', stale: false },
      ],
      policies: [{ name: 'prod-release' }],
    });
  });

  it('finds what holds every word', async () => {
    expect((await search(' web  pay ')).flows).toEqual([{ name: 'pay-web', description: '' }]);
    expect(await search('web nowhere')).toEqual(NOTHING);
  });

  it('finds controls by what they are called and by their identifiers', async () => {
    expect((await search('rev')).controls).toEqual([
      { identifier: 'REV-2', name: 'Scan' },
      { identifier: 'SDLC-1', name: 'Peer review' },
    ]);
  });

  it('finds trails by the first six digits of a commit, also of one that built nothing', async () => {
    const ofCommit = { flow_name: 'web', name: 'built-nothing' };
    await api.call(beginTrail, {
      params: { flow_name: 'web' },
      body: { name: ofCommit.name, git_commit_info: { sha1: '9f14efa'.padEnd(40, '0') } },
    });
    for (const digits of ['9f14ef', '9F14EFA', '9f14efa'.padEnd(40, '0')])
      expect((await search(digits)).trails).toEqual([ofCommit]);
    for (const digits of ['9f14e', '9f14eb', '9f14efa1', 'f14efa']) expect((await search(digits)).trails).toEqual([]);
    expect((await search('aaaaaa')).trails).toEqual([
      { flow_name: 'web', name: 'Release-7' },
      { flow_name: 'web', name: 'release-8' },
    ]);
  });

  it('finds trails and artifacts by how they begin, and reads no pattern in it', async () => {
    expect((await search('release-')).trails).toEqual([
      { flow_name: 'web', name: 'Release-7' },
      { flow_name: 'web', name: 'release-8' },
    ]);
    expect((await search('release_')).trails).toEqual([{ flow_name: 'pay-web', name: 'release_7' }]);
    expect((await search('lease')).trails).toEqual([]);
    expect((await search('web-APP')).artifacts).toEqual([
      { fingerprint: fingerprint('a'), name: 'Web-app:1.2', flow_name: 'web' },
    ]);
    expect((await search(`Web-${'x'.repeat(196)}`)).artifacts).toMatchObject([{ fingerprint: fingerprint('b') }]);
    for (const odd of ['%', '_', '\\', "'", '100%']) expect((await search(odd)).trails).toEqual([]);
  });

  it('finds artifacts by their versions, and without the registry', async () => {
    const namesOf = async (q: string) => (await search(q)).artifacts.map(({ name }) => name);
    const [older, newer] = ['1.10.0', '1.12.3'].map((version) => `registry.example.com/shop/Checkout:${version}`);
    for (const q of ['checkout', 'shop', 'CHECKOUT:1', 'checkout 1'])
      expect(await namesOf(q)).toEqual(q === 'shop' ? [] : [older, newer]);
    for (const q of ['1.12', '1.12.3', 'checkout 1.12', 'checkout:1.12.3', 'registry.example.com/shop/checkout:1.12'])
      expect(await namesOf(q)).toEqual([newer]);
    expect(await namesOf('1.1')).toEqual([older, newer]);
    for (const odd of ['2.3', 'check out', '1_12', 'sha256']) expect(await namesOf(odd)).toEqual([]);
    expect(await namesOf('9.9')).toEqual(['registry.example.com/pinned:9.9@sha256:00']);
  });

  it('shows of each kind as many as asked for', async () => {
    const { flows, environments } = await search('o', '1');
    expect([flows, environments].map((found) => found.length)).toEqual([1, 1]);
  });
});

describe('what cannot be answered', () => {
  it.each([
    ['q', { q: '' }],
    ['q', { q: '   ' }],
    ['q', { q: 'x'.repeat(201) }],
    ['q', {}],
    ['limit', { q: 'x', limit: '0' }],
    ['limit', { q: 'x', limit: '21' }],
    ['nonsense', { q: 'x', nonsense: '1' }],
  ])('%s is refused by name: %j', async (field, query) => {
    const answer = await api.call(searchNames, { query: query as Record<string, string> });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
  });

  it('is refused to others, who find nothing of it in their own org', async () => {
    const other = await api.givenOrg('other');
    expect(await api.call(searchNames, { query: { q: 'web' }, key: other.keys.admin })).toMatchObject({ status: 403 });
    const own = { params: { org: 'other' }, query: { q: 'web' }, key: other.keys.reader };
    expect((await api.call(searchNames, own)).body).toEqual(NOTHING);
  });
});
