import { allowArtifact, getSnapshot, listSnapshotArtifacts, type Reply, renameFlow } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { fingerprint, givenArtifact, givenFlow } from '../../../../test/given/evidence.ts';
import { givenAttached, givenPolicy } from '../../../../test/given/policies.ts';
import { givenReport } from '../../../../test/given/reports.ts';
import { givenRunning } from '../../../../test/given/runs.ts';
import { startApi } from '../../../../test/harness.ts';

const api = await startApi();
const START = Date.parse('2026-10-01T12:00:00Z');
const at = (hours: number) => {
  api.clock.now = new Date(START + hours * 3_600_000);
};

type Page = Reply<typeof listSnapshotArtifacts>;

async function list(query: Record<string, string | string[]> = {}, expression = '-1'): Promise<Page> {
  const params = { env_name: 'prod', snapshot_expression: expression };
  const { status, body } = await api.call(listSnapshotArtifacts, { params, query, key: api.org.keys.reader });
  expect(status).toBe(200);
  // The reply is written as text, so nothing else compares it with the contract.
  expect(listSnapshotArtifacts.reply.parse(body)).toEqual(body);
  return body;
}

const namesOf = ({ artifacts }: Page) => artifacts.map(({ name }) => name);

// Snapshot 1: `leaves` and `web`. Snapshot 2: all of them, in the order in which they started: `web`, then the others.
at(0);
await givenFlow(api, 'shop', 'version: 1\n');
await givenFlow(api, 'office', 'version: 1\n');
await givenArtifact(api, 'shop', '1', { trail_name: 't' });
await givenArtifact(api, 'office', '1', { trail_name: 't' });
await givenArtifact(api, 'shop', '2', { trail_name: 't' });
await givenPolicy(api, 'provenance');
await givenEnvironment(api, 'prod');
await givenAttached(api, 'prod', ['provenance']);
await api.call(allowArtifact, {
  params: { env_name: 'prod' },
  body: { artifact_fingerprint: fingerprint('4'), artifact_name: 'batch', description: 'known' },
});
await givenRunning(api, 'prod', { leaves: '9', web: '1' });
at(1);
await givenRunning(api, 'prod', { web: '1', 'API-gateway': '2', 'bad-api': '3', batch: '4' });

describe('a page of what ran in a snapshot', () => {
  it('has what the snapshot has, the worst first and exited artifacts last', async () => {
    const params = { env_name: 'prod', snapshot_expression: '2' };
    const whole = await api.call(getSnapshot, { params });
    const page = await list();

    expect(namesOf(page)).toEqual(['bad-api', 'batch', 'API-gateway', 'web', 'leaves']);
    const byName = new Map(whole.body.artifacts.map((artifact) => [artifact.name, artifact]));
    for (const artifact of page.artifacts) expect(artifact).toEqual(byName.get(artifact.name));
    const {
      artifacts: _,
      applied_policies: [applied],
      ...head
    } = whole.body;
    const { failing_artifacts: failing, ...policy } = applied ?? { failing_artifacts: [] };
    expect(failing).toHaveLength(2);
    expect(page).toMatchObject({
      snapshot: { ...head, applied_policies: [{ ...policy, failing_count: 1, waived_count: 1 }] },
      counts: { compliant: 2, 'non-compliant': 1, unknown: 0, waived: 1, exited: 1 },
      page: 1,
      per_page: 50,
      total_count: 5,
    });
  });

  it('shows an artifact whose predecessor runs on another page as the whole snapshot does', async () => {
    await givenEnvironment(api, 'beside');
    await givenRunning(api, 'beside', { 'app-a': '1' });
    await givenRunning(api, 'beside', { 'app-a': '1', 'app-b': '2' });
    const params = { env_name: 'beside', snapshot_expression: '-1' };
    const whole = await api.call(getSnapshot, { params });
    for (const page of ['1', '2']) {
      const answer = await api.call(listSnapshotArtifacts, { params, query: { page, per_page: '1', sort: 'name' } });
      expect(answer.body.artifacts).toEqual([whole.body.artifacts[Number(page) - 1]]);
    }
  });

  it('shows current instances and flow names', async () => {
    await givenFlow(api, 'first-name', 'version: 1\n');
    await givenArtifact(api, 'first-name', '8', { trail_name: 't' });
    await givenEnvironment(api, 'scaled');
    const params = { env_name: 'scaled', snapshot_expression: '-1' };
    const read = async () => {
      const { body } = await api.call(listSnapshotArtifacts, { params });
      return body.artifacts.map((artifact) => [artifact.flow_name, artifact.annotation.now]);
    };
    await givenReport(api, 'scaled', [['app', fingerprint('8')]]);
    expect(await read()).toEqual([['first-name', 1]]);
    await givenReport(api, 'scaled', [
      ['app', fingerprint('8')],
      ['app', fingerprint('8')],
    ]);
    await api.call(renameFlow, { params: { flow_name: 'first-name' }, body: { new_name: 'second-name' } });
    expect(await read()).toEqual([['second-name', 2]]);
  });

  it('is filtered by name, compliance and flow', async () => {
    expect(namesOf(await list({ name: 'aPi' }))).toEqual(['bad-api', 'API-gateway']);
    expect(namesOf(await list({ compliance: 'compliant' }))).toEqual(['API-gateway', 'web']);
    expect(namesOf(await list({ compliance: ['waived', 'non-compliant'] }))).toEqual(['bad-api', 'batch']);
    expect(namesOf(await list({ compliance: 'unknown' }))).toEqual([]);
    expect(namesOf(await list({ flow: 'shop' }))).toEqual(['API-gateway', 'web']);
    expect(namesOf(await list({ flow: 'office' }))).toEqual(['web']);
    expect(namesOf(await list({ flow: 'nowhere' }))).toEqual([]);
    expect(namesOf(await list({ flow: 'no provenance' }))).toEqual(['bad-api', 'batch', 'leaves']);
    const both = await list({ flow: 'shop', name: 'web', compliance: 'compliant' });
    expect(both).toMatchObject({ total_count: 1, counts: { compliant: 2, 'non-compliant': 1 } });
  });

  it('is sorted as requested', async () => {
    expect(namesOf(await list({ sort: 'name' }))).toEqual(['API-gateway', 'bad-api', 'batch', 'leaves', 'web']);
    expect(namesOf(await list({ sort: 'name', sort_direction: 'desc' }))).toEqual([
      'web',
      'leaves',
      'batch',
      'bad-api',
      'API-gateway',
    ]);
    const newest = namesOf(await list({ sort: 'started_at' }));
    expect(newest).toEqual(['API-gateway', 'bad-api', 'batch', 'leaves', 'web']);
    expect(namesOf(await list({ sort: 'started_at', sort_direction: 'asc' })).slice(0, 2)).toEqual(['leaves', 'web']);
    expect(namesOf(await list({ sort: 'compliance', sort_direction: 'desc' }))[0]).toBe('leaves');
    expect(namesOf(await list({ sort: 'flow' }))).toEqual(['bad-api', 'batch', 'leaves', 'web', 'API-gateway']);
  });

  it('does not overlap with others, and is empty beyond the last', async () => {
    const pages = await Promise.all(['1', '2', '3', '4'].map((page) => list({ page, per_page: '2' })));
    expect(pages.map(namesOf)).toEqual([['bad-api', 'batch'], ['API-gateway', 'web'], ['leaves'], []]);
    for (const page of pages) expect(page).toMatchObject({ total_count: 5, per_page: 2 });
  });

  it('exists for every snapshot', async () => {
    const first = await list({}, '1');
    expect(namesOf(first)).toEqual(['leaves', 'web']);
    expect(first.snapshot).toMatchObject({ index: 1, is_latest: false, timestamp: START / 1000 });
    expect(first.counts).toEqual({ compliant: 1, 'non-compliant': 1, unknown: 0, waived: 0, exited: 0 });
  });
});

describe('what cannot be answered', () => {
  const call = (query: Record<string, string>, params = {}, key = api.org.keys.reader) =>
    api.call(listSnapshotArtifacts, {
      params: { env_name: 'prod', snapshot_expression: '-1', ...params },
      query,
      key,
    });

  it.each([
    ['page', '0'],
    ['per_page', '101'],
    ['compliance', 'good'],
    ['sort', 'size'],
    ['sort_direction', 'up'],
    ['nonsense', '1'],
  ])('%s=%s is refused by name', async (field, value) => {
    const answer = await call({ [field]: value });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
  });

  it('is refused for unknown and logical environments, and for other orgs', async () => {
    await givenEnvironment(api, 'whole', 'logical', { included_environments: ['prod'] });
    const other = await api.givenOrg('other');
    expect(await call({}, { env_name: 'none' })).toMatchObject({ status: 404 });
    expect(await call({}, { snapshot_expression: '7' })).toMatchObject({ status: 404 });
    expect(await call({}, { snapshot_expression: 'soon' })).toMatchObject({ status: 400 });
    const logical = await call({}, { env_name: 'whole' });
    expect(logical).toMatchObject({ status: 400, body: { errors: { env_name: expect.stringContaining('prod') } } });
    expect(await call({}, {}, other.keys.admin)).toMatchObject({ status: 403 });
  });
});
