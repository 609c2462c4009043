import { createHash } from 'node:crypto';
import {
  archiveEnvironment,
  beginTrail,
  type ComponentDiff,
  diffComponents,
  putFlow,
  reportCloudxApps,
  searchComponents,
  type WhereComponent,
  whereComponent,
} from '@waymark/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { givenArtifact, givenFlow, sendForm } from '../../../test/given/evidence.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
const other = await api.givenOrg('other');
await givenFlow(api, 'web', 'version: 1\ntrail:\n  artifacts:\n    - name: backend\n');

const digestOf = (name: string) => createHash('sha256').update(name).digest('hex');

interface Component {
  readonly name: string;
  readonly version?: string;
  readonly purl?: string;
  readonly licenses?: object[];
}

const npm = (name: string, version: string, license?: string): Component => ({
  ...{ name, version, purl: `pkg:npm/${name.replace('@', '%40')}@${version}` },
  ...(license !== undefined && { licenses: [{ license: { id: license } }] }),
});

const bomOf = (components: readonly Component[]) =>
  JSON.stringify({
    ...{ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 },
    components: components.map((component) => ({ type: 'library', ...component })),
  });

async function givenSbom(about: object, components: readonly Component[], name = 'bom', trail = 't'): Promise<void> {
  const sent = { data_json: { attestation_name: name, ...about } };
  const file = { part: 'attachment_file', name: 'bom.json', content: bomOf(components) };
  const answer = await sendForm(api, 'POST', `/attestations/acme/web/trail/${trail}/sbom`, sent, file);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
}

/** An artifact with an SBOM. Returns its fingerprint. */
async function givenBuilt(name: string, components?: readonly Component[]): Promise<string> {
  const fingerprint = digestOf(name);
  await givenArtifact(api, 'web', 'a', { trail_name: 't', fingerprint, filename: name });
  if (components) await givenSbom({ artifact_fingerprint: fingerprint }, components);
  return fingerprint;
}

async function where(component: string, range?: string, more: Record<string, string> = {}): Promise<WhereComponent> {
  const query = { component, ...(range !== undefined && { range }), ...more };
  const answer = await api.call(whereComponent, { query });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body as WhereComponent;
}

/** Environments with the versions that run there, and whether they are in the range. */
async function found(component: string, range?: string): Promise<unknown[]> {
  const { data } = await where(component, range);
  return data.flatMap(({ environments, components, in_range }) =>
    environments.map(({ environment_name }) => [environment_name, components.map(({ version }) => version), in_range]),
  );
}

describe('where a component runs', () => {
  it('is answered by version range, with the SBOM and when it was recorded', async () => {
    const old = await givenBuilt('old', [npm('where-lib', '4.17.20', 'MIT'), npm('else', '1.0.0')]);
    const fixed = await givenBuilt('fixed', [npm('where-lib', '4.17.21')]);
    const gone = await givenBuilt('gone', [npm('where-lib', '4.0.0')]);
    await givenEnvironment(api, 'prod');
    await givenEnvironment(api, 'test');
    await givenRunning(api, 'prod', { backend: old, gone });
    await givenRunning(api, 'prod', { backend: old });
    await givenRunning(api, 'test', { backend: old, newer: fixed });
    const answer = await where('pkg:npm/where-lib', '<4.17.21');
    expect(answer).toMatchObject({
      version_order: 'semver',
      data: [
        {
          fingerprint: old,
          name: 'backend',
          in_range: true,
          environments: [{ environment_name: 'prod' }, { environment_name: 'test' }],
          has_more_environments: false,
          components: [
            {
              ...{ name: 'where-lib', version: '4.17.20', license: 'MIT', in_range: true },
              purl: 'pkg:npm/where-lib@4.17.20',
            },
          ],
          component_count: 1,
          sboms: [
            {
              ...{ attestation_name: 'bom', flow_name: 'web', trail_name: 't' },
              recorded_at: api.clock.now.getTime() / 1000,
            },
          ],
        },
      ],
      pagination: { next: null },
    });
    expect((await where('pkg:npm/where-lib')).data).toHaveLength(2);
    expect(await found('PKG:npm/Where-Lib?arch=x', '>=4.17.21')).toEqual([['test', ['4.17.21'], true]]);
    expect(await found('pkg:npm/where-lib@4.17.20')).toHaveLength(2);
    expect(await found('pkg:npm/where-lib', '<1')).toEqual([]);
    expect(await found('pkg:pypi/where-lib')).toEqual([]);
  });

  it('counts what runs without an SBOM, and without a fingerprint', async () => {
    const before = (await where('pkg:npm/none')).coverage;
    const bare = await givenBuilt('bare');
    await givenEnvironment(api, 'bare-env');
    await givenRunning(api, 'bare-env', { bare, foreign: digestOf('never reported') });
    await givenEnvironment(api, 'apps', 'cloudx-apps');
    const app = { app_name: 'a', app_kind: 'app', digests_source: 'acr', digests: { a: '' }, creationTimestamp: 0 };
    await api.call(reportCloudxApps, { params: { env_name: 'apps' }, body: { artifacts: [app] } });
    expect((await where('pkg:npm/none')).coverage).toEqual({
      running: (before?.running ?? 0) + 2,
      without_sbom: (before?.without_sbom ?? 0) + 2,
      unidentified: (before?.unidentified ?? 0) + 1,
      is_complete: true,
    });
    for (const env_name of ['bare-env', 'apps']) await api.call(archiveEnvironment, { params: { env_name } });
    expect((await where('pkg:npm/none')).coverage).toEqual(before);
  });

  it('follows the newest SBOM of a name, and all names', async () => {
    const fingerprint = await givenBuilt('twice', [npm('was-there', '1.0.0')]);
    await givenSbom({ artifact_fingerprint: fingerprint }, [npm('is-there', '1.0.0')]);
    await givenSbom({ artifact_fingerprint: fingerprint }, [npm('os-part', '2.0.0')], 'os-bom');
    await givenEnvironment(api, 'twice-env');
    await givenRunning(api, 'twice-env', { twice: fingerprint });
    expect(await found('pkg:npm/was-there')).toEqual([]);
    expect(await found('pkg:npm/is-there')).toHaveLength(1);
    expect(await found('pkg:npm/os-part')).toHaveLength(1);
  });

  it('knows artifacts by name in the template and commit, and not SBOMs of a trail', async () => {
    const fingerprint = digestOf('by target');
    const commit = 'b'.repeat(40);
    await givenArtifact(api, 'web', 'b', { trail_name: 't', fingerprint, template_reference_name: 'backend' });
    const git_commit_info = { sha1: commit, message: 'm', author: 'a', branch: 'main', timestamp: 1, url: '' };
    await givenSbom({ target_artifacts: ['backend'], git_commit_info }, [npm('by-target', '1.0.0')], 'target-bom');
    await givenSbom({}, [npm('of-trail', '1.0.0')], 'trail-bom');
    await givenEnvironment(api, 'target-env');
    await givenRunning(api, 'target-env', { backend: fingerprint });
    expect(await found('pkg:npm/by-target')).toEqual([['target-env', ['1.0.0'], true]]);
    expect(await found('pkg:npm/of-trail')).toEqual([]);
  });

  it('leaves open what is not known', async () => {
    const fingerprint = await givenBuilt('odd', [
      { name: '@odd/named', version: '1.0.0' },
      npm('branched', 'main'),
      { name: 'openssl', version: '3.0.1-1', purl: 'pkg:deb/debian/openssl@3.0.1-1?arch=amd64' },
      { name: 'Django_Rest', version: '4.1', purl: 'pkg:pypi/Django_Rest@4.1' },
    ]);
    await givenEnvironment(api, 'odd-env');
    await givenRunning(api, 'odd-env', { odd: fingerprint });
    expect(await found('pkg:npm/%40odd/named', '<2')).toEqual([['odd-env', ['1.0.0'], null]]);
    expect(await found('pkg:npm/@odd/named', '>=2')).toEqual([]);
    expect(await found('pkg:npm/branched', '<2')).toEqual([['odd-env', ['main'], null]]);
    expect((await where('pkg:deb/debian/openssl', '<3.0.2')).version_order).toBe('exact');
    expect(await found('pkg:deb/debian/openssl', '<3.0.2')).toEqual([['odd-env', ['3.0.1-1'], null]]);
    expect(await found('pkg:deb/debian/openssl', '3.0.1-1')).toEqual([['odd-env', ['3.0.1-1'], true]]);
    expect(await found('pkg:deb/debian/openssl', '3.0.1')).toEqual([]);
    expect(await found('pkg:pypi/django-rest', '<4.2')).toEqual([['odd-env', ['4.1'], true]]);
  });

  it('is answered in pages, by fingerprint', async () => {
    const built = await Promise.all(
      Array.from({ length: 5 }, (_, i) => givenBuilt(`paged-${i}`, [npm('paged', `1.0.${i}`)])),
    );
    await givenEnvironment(api, 'paged-env');
    await givenRunning(api, 'paged-env', Object.fromEntries(built.map((digest, i) => [`p${i}`, digest])));
    const pages: string[][] = [];
    let after: string | null | undefined;
    do {
      const page = await where('pkg:npm/paged', '>0', { per_page: '2', ...(after && { after }) });
      expect(page.coverage === null).toBe(after !== undefined);
      pages.push(page.data.map(({ fingerprint }) => fingerprint));
      after = page.pagination.next;
    } while (after !== null);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(built.toSorted());
  });

  it('says so when one SBOM has too many versions to compare', async () => {
    const many = Array.from({ length: 1_001 }, (_, i) => npm('many', `1.0.${i}`));
    const fingerprint = await givenBuilt('many', many);
    await givenEnvironment(api, 'many-env');
    await givenRunning(api, 'many-env', { many: fingerprint });
    expect(await found('pkg:npm/many', '>=2')).toMatchObject([['many-env', [expect.any(String)], null]]);
    const [first] = (await where('pkg:npm/many', '<2')).data;
    expect(first).toMatchObject({ in_range: true, component_count: 1_000 });
    expect(first?.components).toHaveLength(20);
  });

  it.each<Record<string, string>>([
    {},
    { component: '' },
    { component: 'lodash' },
    { component: 'pkg:npm' },
    { component: 'pkg:npm/' },
    { component: `pkg:npm/${'x'.repeat(2_000)}` },
    { component: 'pkg:npm/a\u0000' },
    { component: 'pkg:npm/a', range: '<' },
    { component: 'pkg:npm/a', range: '<1'.repeat(200) },
    { component: 'pkg:pypi/a', range: '^1' },
    { component: 'pkg:npm/a', after: 'x' },
    { component: 'pkg:npm/a', per_page: '0' },
    { component: 'pkg:npm/a', per_page: '101' },
  ])('is not answered for %o', async (query) => {
    expect(await api.call(whereComponent, { query })).toMatchObject({ status: 400 });
  });

  it('is that of the org', async () => {
    const query = { component: 'pkg:npm/where-lib' };
    const asOther = { query, params: { org: other.name }, key: other.keys.reader };
    expect(await api.call(whereComponent, asOther)).toMatchObject({
      status: 200,
      body: { data: [], coverage: { running: 0, without_sbom: 0, unidentified: 0, is_complete: true } },
    });
    expect(await api.call(whereComponent, { query, key: other.keys.admin })).toMatchObject({ status: 403 });
    expect(await api.call(whereComponent, { query, key: '' })).toMatchObject({ status: 401 });
    expect(await api.call(whereComponent, { query, key: api.org.keys.reader })).toMatchObject({ status: 200 });
  });
});

describe('the components of an SBOM', () => {
  const rowsOf = async (name: string) =>
    (
      await api.db
        .selectFrom('component')
        .select('attestation_id')
        .where('org_id', '=', api.org.id)
        .where('name', '=', name)
        .execute()
    ).length;

  it('are stored once for equal lists, in any order', async () => {
    const [a, b] = [npm('stored-a', '1.0.0'), npm('stored-b', '1.0.0')];
    await givenBuilt('stored-1', [a, b]);
    await givenBuilt('stored-2', [b, a, b]);
    expect(await rowsOf('stored-a')).toBe(1);
    expect(await rowsOf('stored-b')).toBe(1);
    const answer = await api.call(searchComponents, { query: { name: 'stored-a' } });
    expect((answer.body as { data: object[] }).data).toHaveLength(2);
  });

  it('are stored once by reports at the same time', async () => {
    const digests = Array.from({ length: 6 }, (_, i) => digestOf(`racing-${i}`));
    for (const fingerprint of digests) {
      await givenArtifact(api, 'web', 'a', { trail_name: 't', fingerprint, filename: 'racing' });
    }
    const components = Array.from({ length: 50 }, (_, i) => npm(`racing-${i}`, '1.0.0'));
    await Promise.all(digests.map((digest) => givenSbom({ artifact_fingerprint: digest }, components)));
    expect(await rowsOf('racing-7')).toBe(1);
    const { rows } = await sql<{ stored: number }>`
      select sum(stored_rows)::integer as stored from sbom
      where org_id = ${api.org.id} and fingerprint = any(${digests})`.execute(api.db);
    expect(rows).toEqual([{ stored: 50 }]);
  });
});

describe('the components of two artifacts', () => {
  const diff = (query: Record<string, string>) => api.call(diffComponents, { query });
  const differ = async (query: Record<string, string>) => {
    const answer = await diff(query);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body as ComponentDiff;
  };

  it('differ in what was added, removed, and has another version or license', async () => {
    const from = await givenBuilt('diff-from', [
      npm('same', '1.0.0', 'MIT'),
      npm('upgraded', '1.0.0', 'MIT'),
      npm('relicensed', '1.0.0', 'MIT'),
      npm('removed', '1.0.0'),
      npm('twice', '1.0.0'),
      npm('twice', '2.0.0'),
    ]);
    const to = await givenBuilt('diff-to', [
      npm('same', '1.0.0', 'MIT'),
      npm('upgraded', '1.1.0', 'ISC'),
      npm('relicensed', '1.0.0', 'GPL-3.0-only'),
      npm('added', '3.0.0', 'MIT'),
      npm('twice', '2.0.0'),
    ]);
    const answer = await differ({ from, to });
    expect(answer).toEqual({
      from: { fingerprint: from, has_sbom: true, component_count: 5 },
      to: { fingerprint: to, has_sbom: true, component_count: 5 },
      counts: { added: 1, removed: 1, version: 2, license: 1, unchanged: 1 },
      data: [
        { component: 'pkg:npm/added', kind: 'added', from: null, to: { versions: ['3.0.0'], licenses: ['MIT'] } },
        {
          ...{ component: 'pkg:npm/relicensed', kind: 'license' },
          from: { versions: ['1.0.0'], licenses: ['MIT'] },
          to: { versions: ['1.0.0'], licenses: ['GPL-3.0-only'] },
        },
        { component: 'pkg:npm/removed', kind: 'removed', from: { versions: ['1.0.0'], licenses: [] }, to: null },
        {
          ...{ component: 'pkg:npm/twice', kind: 'version' },
          from: { versions: ['1.0.0', '2.0.0'], licenses: [] },
          to: { versions: ['2.0.0'], licenses: [] },
        },
        {
          ...{ component: 'pkg:npm/upgraded', kind: 'version' },
          from: { versions: ['1.0.0'], licenses: ['MIT'] },
          to: { versions: ['1.1.0'], licenses: ['ISC'] },
        },
      ],
      pagination: { per_page: 100, next: null },
    });
    expect((await differ({ from, to, kind: 'license' })).data.map(({ component }) => component)).toEqual([
      'pkg:npm/relicensed',
    ]);
    expect((await differ({ from, to: from })).data).toEqual([]);
    const first = await differ({ from, to, per_page: '3' });
    expect(first.data).toHaveLength(3);
    const second = await differ({ from, to, per_page: '3', after: first.pagination.next ?? '' });
    expect(second.data.map(({ component }) => component)).toEqual(['pkg:npm/twice', 'pkg:npm/upgraded']);
    expect(second.pagination.next).toBeNull();
  });

  it('are not known without an SBOM', async () => {
    const [from, to] = [await givenBuilt('diff-none'), await givenBuilt('diff-some', [npm('some', '1.0.0')])];
    expect(await differ({ from, to })).toMatchObject({
      from: { has_sbom: false, component_count: 0 },
      to: { has_sbom: true, component_count: 1 },
    });
  });

  it('are those of the org', async () => {
    const from = await givenBuilt('diff-own', [npm('own', '1.0.0')]);
    const query = { from, to: from };
    expect(await diff({ from, to: digestOf('nothing') })).toMatchObject({ status: 404 });
    const asOther = { query, params: { org: other.name }, key: other.keys.reader };
    expect(await api.call(diffComponents, asOther)).toMatchObject({ status: 404 });
    expect(await api.call(diffComponents, { query, key: other.keys.admin })).toMatchObject({ status: 403 });
    expect(await api.call(diffComponents, { query, key: '' })).toMatchObject({ status: 401 });
  });

  it.each<Record<string, string>>([
    {},
    { from: 'a'.repeat(64) },
    { from: 'x', to: 'y' },
    { from: 'a'.repeat(64), to: 'a'.repeat(64), kind: 'x' },
    { from: 'a'.repeat(64), to: 'a'.repeat(64), per_page: '501' },
  ])('are not compared for %o', async (query) => {
    expect(await diff(query)).toMatchObject({ status: 400 });
  });
});

/** Shared machines are slower than servers. */
const PATIENCE = 3;
const ARTIFACTS = 1_000;

/** Each artifact runs and has an SBOM of a hundred components. */
async function givenMany(org: string, environment: string): Promise<void> {
  const [{ id: environmentId }, trail] = [
    await api.db
      .selectFrom('environment')
      .select('id')
      .where('org_id', '=', org)
      .where('name', '=', environment)
      .executeTakeFirstOrThrow(),
    await api.db.selectFrom('trail').select(['id', 'flow_id']).where('org_id', '=', org).executeTakeFirstOrThrow(),
  ];
  const digest = sql`encode(sha256(convert_to('bulk-' || i, 'UTF8')), 'hex')`;
  const id = sql`md5('bulk-' || i)::uuid`;
  const each = sql`generate_series(1, ${ARTIFACTS}::int) as i`;
  await sql`
    insert into attestation (org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, fingerprint, trust,
      content, verdict, created_at, created_by)
    select ${org}, ${id}, ${trail.flow_id}, ${trail.id}, 'bom', 'sbom', 'sbom', true, ${digest}, 'api_key', '{}', '{}',
      now(), 'x' from ${each}`.execute(api.db);
  await sql`
    insert into sbom (org_id, attestation_id, list_id, size, stored_rows, trail_id, fingerprint)
    select ${org}, ${id}, ${id}, 100, 100, ${trail.id}, ${digest} from ${each}`.execute(api.db);
  await sql`
    insert into component (org_id, attestation_id, position, name, version, purl)
    select ${org}, ${id}, j, 'lib-' || j, '1.' || i || '.0', 'pkg:npm/lib-' || j || '@1.' || i || '.0'
    from ${each}, generate_series(1, 100) as j`.execute(api.db);
  await sql`
    insert into running (org_id, environment_id, no, fingerprint, name, from_index, lineage, started_with, deployments)
    select ${org}, ${environmentId}, 1000 + i, ${digest}, 'bulk-' || i, 1, 'bulk-' || i, 1, '{1}'
    from ${each}`.execute(api.db);
}

it('is found among 100,000 components, beside another org with as many', { timeout: 240_000 }, async () => {
  const asOther = { params: { org: other.name, flow_name: 'web' }, key: other.keys.admin };
  await api.call(putFlow, { ...asOther, body: { name: 'web', template: 'version: 1\n' } });
  await api.call(beginTrail, { ...asOther, body: { name: 't' } });
  await givenBuilt('bulk');
  for (const org of [api.org, other]) {
    await givenEnvironment(api, 'bulk', 'server', {}, org);
    await givenRunning(api, 'bulk', { first: digestOf('first') }, org);
    await givenMany(org.id, 'bulk');
  }
  await sql`analyze`.execute(api.owner);
  const query = { component: 'pkg:npm/lib-50', range: '<1.11.0', per_page: '100' };
  const started = performance.now();
  const answer = await where(query.component, query.range, { per_page: query.per_page });
  const took = performance.now() - started;
  expect(answer.data).toHaveLength(10);
  expect(answer.coverage?.running).toBeGreaterThan(ARTIFACTS);
  expect((await where('pkg:npm/lib-50', '<0')).data).toEqual([]);
  expect(took).toBeLessThan(1_000 * PATIENCE);
});
