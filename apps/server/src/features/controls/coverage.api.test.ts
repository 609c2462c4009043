import {
  archiveControl,
  archiveEnvironment,
  createControl,
  getControl,
  getControlCoverage,
  listControls,
  putEnvironment,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { attestationPolicy, givenAttached, givenPolicy as givenRealPolicy } from '../../../test/given/policies.ts';
import { givenRunning, reevaluateAll } from '../../../test/given/runs.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();
const params = { identifier: 'SDLC-7' };

/** A policy, by the controls for which each of its versions has a rule. */
async function givenPolicy(name: string, versions: readonly string[][], org: TestOrg = api.org): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    insert into policy (org_id, id, name, description, version, revision, created_at, created_by, last_modified_at)
    values (${org.id}, gen_random_uuid(), ${name}, '', ${versions.length}, 1, now(), 'x', now())
    returning id`.execute(api.db);
  for (const [i, controls] of versions.entries()) {
    await sql`
      insert into policy_version (org_id, policy_id, version, policy_yaml, comment, controls, reads, created_at, created_by)
      values (${org.id}, ${rows[0]?.id}, ${i + 1}, '', '', ${controls}::text[], '{}', now(), 'x')`.execute(api.db);
  }
}

async function givenEnvironment(name: string, policies: readonly string[], type = 'server'): Promise<void> {
  const body = { name, type: type as 'server', ...(type === 'logical' && { included_environments: ['prod-eu'] }) };
  const { status } = await api.call(putEnvironment, { body });
  if (status !== 201) throw new Error(`environment ${name}: ${status}`);
  await sql`
    insert into environment_policy (org_id, environment_id, policy_id, attached_at, attached_by)
    select environment.org_id, environment.id, policy.id, now(), 'x'
    from environment join policy on policy.org_id = environment.org_id and policy.name = any(${policies}::text[])
    where environment.org_id = ${api.org.id} and environment.name = ${name}`.execute(api.db);
}

type Query = Record<string, string>;
const read = async (query: Query = {}) => (await api.call(getControlCoverage, { params, query })).body;
const names = async (query: Query) => (await read(query)).environments.map((environment) => environment.name);

beforeAll(async () => {
  const others = await api.givenOrg('coverage-others');
  await api.call(createControl, { body: { identifier: 'SDLC-7', name: 'Reviewed' } });
  await givenPolicy('strict', [[], ['SDLC-7', 'SDLC-8']]);
  await givenPolicy('also', [['SDLC-7']]);
  await givenPolicy('former', [['SDLC-7'], ['SDLC-8']]);
  await givenPolicy('alike', [['SDLC-77', 'sdlc-7']]);
  await givenPolicy('theirs', [['SDLC-7']], others);
  await givenPolicy('gone', [['SDLC-7']]);
  await sql`update policy set archived_at = now() where org_id = ${api.org.id} and name = 'gone'`.execute(api.db);
  await givenEnvironment('prod-eu', ['strict', 'also', 'former']);
  await givenEnvironment('prod-us', ['strict']);
  await givenEnvironment('stage-eu', ['former', 'alike']);
  await givenEnvironment('test', []);
  await givenEnvironment('old', ['strict']);
  await api.call(archiveEnvironment, { params: { env_name: 'old' } });
  await givenEnvironment('all', [], 'logical');
});

it('a control names the policies whose latest version asks for it', async () => {
  const expected = { policies_referencing: ['also', 'strict'] };
  expect((await api.call(getControl, { params })).body).toMatchObject(expected);
  expect((await api.call(listControls)).body.controls).toMatchObject([expected]);
});

it('says for each environment whether it covers the control, and by which policies', async () => {
  const type = 'server';
  expect(await read()).toMatchObject({
    environments: [
      { name: 'prod-eu', type, covered: true, policies: ['also', 'strict'] },
      { name: 'prod-us', type, covered: true, policies: ['strict'] },
      { name: 'stage-eu', type, covered: false, policies: [] },
      { name: 'test', type, covered: false, policies: [] },
    ],
    total: 4,
    covered: 2,
    coverage_percent: 50,
    page: 1,
    total_count: 4,
  });
});

it('is searched, filtered and paged; the figures are about all that the search fits', async () => {
  expect(await names({ search: 'EU' })).toEqual(['prod-eu', 'stage-eu']);
  expect(await names({ covered: 'true' })).toEqual(['prod-eu', 'prod-us']);
  expect(await read({ covered: 'false' })).toMatchObject({ total: 4, covered: 2, total_count: 2 });
  expect(await names({ covered: 'false' })).toEqual(['stage-eu', 'test']);
  expect(await read({ search: 'prod', covered: 'false' })).toMatchObject({
    environments: [],
    total: 2,
    covered: 2,
    coverage_percent: 100,
    total_count: 0,
  });
  expect(await names({ page: '2', per_page: '3' })).toEqual(['test']);
  const link = (page: number) => ({
    href: `http://waymark.test/api/v2/controls/acme/SDLC-7/coverage?page=${page}&per_page=3`,
  });
  expect((await read({ page: '2', per_page: '3' }))._links).toEqual({
    self: link(2),
    first: link(1),
    last: link(2),
    prev: link(1),
  });
});

it('rounds to one decimal, and of no environment is nothing', async () => {
  await givenEnvironment('test-2', []);
  await givenEnvironment('test-3', ['strict']);
  expect(await read({ search: 'test' })).toMatchObject({ total: 3, covered: 1, coverage_percent: 33.3 });
  expect(await read({ search: 'nowhere' })).toMatchObject({ total: 0, covered: 0, coverage_percent: 0 });
});

it('is returned for an archived control, and not for a missing one', async () => {
  await api.call(createControl, { body: { identifier: 'SDLC-8', name: 'Archived soon' } });
  await api.call(archiveControl, { params: { identifier: 'SDLC-8' } });
  const archived = await api.call(getControlCoverage, { params: { identifier: 'SDLC-8' }, query: { search: 'prod' } });
  expect(archived).toMatchObject({ status: 200, body: { covered: 2 } });
  expect(await api.call(getControlCoverage, { params: { identifier: 'NONE' } })).toMatchObject({
    status: 404,
    body: { message: "Control 'NONE' does not exist in this org" },
  });
  expect(await api.call(getControlCoverage, { params, query: { covered: 'maybe' } })).toMatchObject({
    status: 400,
    body: { errors: { 'query.covered': 'must be one of true, false' } },
  });
});

it('counts evidence of any type for a control, and says whether what runs passes', async () => {
  const identifier = 'SBOM-1';
  await api.call(createControl, { body: { identifier, name: 'We know what is inside' } });
  const rules = attestationPolicy(
    `{ name: sbom, type: generic, for_control: ${identifier} }`,
    '{ name: scan, type: generic }',
  );
  await givenRealPolicy(api, 'materials', rules);
  const coverage = async () => {
    const call = { params: { identifier }, query: { search: 'shop', covered: 'true' } };
    return (await api.call(getControlCoverage, call)).body;
  };
  await givenEnvironment('shop-prod', []);
  await givenAttached(api, 'shop-prod', ['materials']);
  expect(await coverage()).toMatchObject({ covered: 1, passing: 0, environments: [{ passing: null, artifacts: 0 }] });
  expect((await api.call(getControl, { params: { identifier } })).body).toMatchObject({
    policies_referencing: ['materials'],
  });

  await givenFlow(api, 'shop', 'version: 1\n');
  for (const digit of ['a', 'b']) {
    await givenArtifact(api, 'shop', digit, { trail_name: 't' });
    const evidence = { attestation_name: 'sbom', is_compliant: true, artifact_fingerprint: fingerprint(digit) };
    if (digit === 'a') await attest(api, 'shop', 't', evidence);
  }
  await givenRunning(api, 'shop-prod', { one: 'a', two: 'b' });
  expect(await coverage()).toMatchObject({
    covered: 1,
    passing: 0,
    environments: [{ name: 'shop-prod', covered: true, passing: false, artifacts: 2, failing_artifacts: 1 }],
  });
  // It breaks another rule of the policy, and none for the control.
  await givenRunning(api, 'shop-prod', { one: 'a' });
  expect(await coverage()).toMatchObject({
    passing: 1,
    environments: [{ passing: true, artifacts: 1, failing_artifacts: 0 }],
  });
  const versioned = attestationPolicy(`{ name: audit, type: generic, for_control: ${identifier} }`);
  await givenRealPolicy(api, 'materials', versioned);
  expect(await coverage()).toMatchObject({ passing: 0, environments: [{ covered: true, passing: null }] });
  await reevaluateAll(api, 'shop-prod');
  expect(await coverage()).toMatchObject({ passing: 0, environments: [{ passing: false, failing_artifacts: 1 }] });
});
