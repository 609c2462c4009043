import { archiveEnvironment, getMatrix, type MatrixService, type Reply, renameFlow } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { givenEnvironment, givenHeartbeat } from '../../../../test/given/environments.ts';
import { commit, fingerprint, givenArtifact, givenFlow } from '../../../../test/given/evidence.ts';
import { givenAttached, givenPolicy } from '../../../../test/given/policies.ts';
import { givenRunning } from '../../../../test/given/runs.ts';
import { startApi } from '../../../../test/harness.ts';

const api = await startApi();
const START = Date.parse('2026-10-01T12:00:00Z');
const at = (hours: number) => {
  api.clock.now = new Date(START + hours * 3_600_000);
};
const seconds = (hours: number) => START / 1000 + hours * 3600;

async function matrix(query: Record<string, string | string[]> = {}): Promise<Reply<typeof getMatrix>> {
  const { status, body } = await api.call(getMatrix, { query, key: api.org.keys.reader });
  expect(status).toBe(200);
  return body;
}

const rowsOf = ({ services }: { services: MatrixService[] }) =>
  services.map(({ service, flow_name, cells, drift }) => [
    service,
    flow_name,
    ...cells.map((cell) => cell && `${cell.artifact_name}${cell.others > 0 ? ` +${cell.others}` : ''}`),
    drift,
  ]);

at(0);
await givenFlow(api, 'shop');
await givenArtifact(api, 'shop', '1', { trail_name: 'one', template_reference_name: 'backend' });
await givenArtifact(api, 'shop', '2', { trail_name: 'two', template_reference_name: 'backend' });
await givenArtifact(api, 'shop', '3', { trail_name: 'two' });
await givenEnvironment(api, 'staging');
await givenEnvironment(api, 'prod', 'server', { expected_report_interval_s: 60 });
await givenEnvironment(api, 'gone');
await givenEnvironment(api, 'all', 'logical', { included_environments: ['staging', 'prod'] });
await givenPolicy(api, 'provenance');
await givenAttached(api, 'prod', ['provenance']);
await givenRunning(api, 'gone', { stray: '9' });
await api.call(archiveEnvironment, { params: { env_name: 'gone' } });
await givenRunning(api, 'prod', { 'shop:1': '1', 'redis:7@sha256:abc': '7', 'reports:1': '3' });
await givenRunning(api, 'staging', { 'shop:1': '1', 'redis:8': '7' });
at(2);
await givenRunning(api, 'staging', { 'shop:1': '1', 'shop:2': '2', 'redis:8': '7' });
await givenHeartbeat(api, 'prod', new Date(START));
await givenHeartbeat(api, 'staging', new Date(START + 2 * 3_600_000));

describe('the matrix', () => {
  it('shows what runs where, and where it differs', async () => {
    const found = await matrix();
    expect(found.environments).toEqual([
      { name: 'prod', type: 'server', stale: true, compliance: 'non-compliant' },
      { name: 'staging', type: 'server', stale: false, compliance: 'unknown' },
    ]);
    expect(rowsOf(found)).toEqual([
      ['backend', 'shop', 'shop:1', 'shop:2 +1', true],
      ['redis', '', 'redis:7@sha256:abc', 'redis:8', false],
      ['reports', 'shop', 'reports:1', null, false],
    ]);
    expect(found.services[0]?.cells).toEqual([
      {
        fingerprint: fingerprint('1'),
        artifact_name: 'shop:1',
        git_commit: commit('1'),
        trail_name: 'one',
        since: seconds(0),
        compliance: 'compliant',
        others: 0,
      },
      {
        fingerprint: fingerprint('2'),
        artifact_name: 'shop:2',
        git_commit: commit('2'),
        trail_name: 'two',
        since: seconds(2),
        compliance: 'unknown',
        others: 1,
      },
    ]);
    expect(found.services[1]?.cells[0]).toMatchObject({ git_commit: '', trail_name: '', compliance: 'non-compliant' });
    expect(found).toMatchObject({ page: 1, per_page: 50, total_count: 3 });
  });

  it('shows environments in the requested order, each once, by any of their names', async () => {
    const found = await matrix({ environment: ['staging', 'prod', 'staging'] });
    expect(found.environments.map(({ name }) => name)).toEqual(['staging', 'prod']);
    expect(rowsOf(found)[0]).toEqual(['backend', 'shop', 'shop:2 +1', 'shop:1', true]);
    const one = await matrix({ environment: 'prod' });
    expect(one.services.map(({ drift }) => drift)).toEqual([false, false, false]);
  });

  it('is filtered by name and by drift', async () => {
    expect(rowsOf(await matrix({ name: 'RED' })).map(([service]) => service)).toEqual(['redis']);
    expect(rowsOf(await matrix({ only: 'drift' })).map(([service]) => service)).toEqual(['backend']);
    expect(await matrix({ only: 'drift', name: 'redis' })).toMatchObject({ total_count: 0, services: [] });
  });

  it('has pages that do not overlap', async () => {
    const pages = await Promise.all(['1', '2', '3'].map((page) => matrix({ page, per_page: '2' })));
    expect(pages.map((page) => page.services.map(({ service }) => service))).toEqual([
      ['backend', 'redis'],
      ['reports'],
      [],
    ]);
  });

  it('uses the current name of a flow', async () => {
    await api.call(renameFlow, { params: { flow_name: 'shop' }, body: { new_name: 'store' } });
    expect((await matrix({ name: 'backend' })).services[0]).toMatchObject({ flow_name: 'store' });
  });

  it('is empty for an org in which nothing runs', async () => {
    const empty = await api.givenOrg('empty');
    const answer = await api.call(getMatrix, { params: { org: 'empty' }, key: empty.keys.reader });
    expect(answer).toMatchObject({ status: 200, body: { environments: [], total_count: 0, services: [] } });
  });
});

describe('what cannot be answered', () => {
  it.each([
    ['page', '0'],
    ['per_page', '101'],
    ['only', 'same'],
    ['environment', 'no such name!'],
    ['nonsense', '1'],
  ])('%s=%s is refused by name', async (field, value) => {
    const answer = await api.call(getMatrix, { query: { [field]: value } });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
  });

  it('is refused for too many, logical or unknown environments, and for other orgs', async () => {
    const call = (environment: string | string[], key = api.org.keys.reader) =>
      api.call(getMatrix, { query: { environment }, key });
    const many = await call(Array.from({ length: 21 }, (_, i) => `e${i}`));
    expect(many).toMatchObject({
      status: 400,
      body: { errors: { 'query.environment': expect.stringContaining('at most 20 times') } },
    });
    const logical = await call('all');
    expect(logical).toMatchObject({
      status: 400,
      body: { errors: { 'query.environment': expect.stringContaining('staging, prod') } },
    });
    expect(await call('none')).toMatchObject({ status: 404 });
    expect(await call('gone')).toMatchObject({ status: 404 });
    const other = await api.givenOrg('other');
    expect(await call('prod', other.keys.admin)).toMatchObject({ status: 403 });
  });
});
