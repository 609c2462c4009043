import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { ENGINE_VERSION } from '@waymark/compliance';
import {
  archiveAttestationType,
  attestCustom,
  attestOverride,
  beginTrail,
  postAttestationType,
  recordApproval,
} from '@waymark/contract';
import canonicalize from 'canonicalize';
import { sql } from 'kysely';
import { extract } from 'tar-stream';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  attest,
  attestationIdOf,
  commit,
  fingerprint,
  givenArtifact,
  givenFlow,
  givenTrail,
} from '../../../../test/given/evidence.ts';
import { startApi } from '../../../../test/harness.ts';

const api = await startApi();
let flow = '';
let count = 0;

beforeEach(async () => {
  flow = `flow-${++count}`;
  await givenFlow(api, flow);
  await givenTrail(api, flow, 't');
  api.clock.now = new Date('2026-11-01T12:00:00.123Z');
});

const params = () => ({ flow_name: flow, trail_name: 't' });

async function attested(name: string, more: object = {}, headers: Record<string, string> = {}) {
  const answer = await attest(api, flow, 't', { attestation_name: name, is_compliant: true, ...more }, headers);
  expect(answer.status).toBe(201);
  return attestationIdOf(answer);
}

async function overridden(name: string, reason: string) {
  const body = { attestation_name: name, reason, new_compliance_status: true, original_attestation_type: 'generic' };
  const answer = await api.call(attestOverride, { params: params(), body });
  expect(answer.status).toBe(201);
  return attestationIdOf(answer);
}

/** The text of each file of a package, by path. */
async function packageOf(path = `/trails/acme/${flow}/t/audit_package`) {
  const headers = { authorization: `Bearer ${api.org.keys.reader}` };
  const answer = await api.app.http.inject({ url: `/api/v2${path}`, headers });
  expect(answer.statusCode).toBe(200);
  const files = new Map<string, string>();
  const tar = extract();
  tar.end(gunzipSync(answer.rawPayload));
  for await (const entry of tar) files.set(entry.header.name, await text(entry));
  return {
    paths: [...files.keys()],
    page: files.get('index.html') ?? '',
    json: (name: string) => JSON.parse(files.get(name) ?? '{}') as Record<string, unknown>,
  };
}

/** The table as a reader sees it: one line per row, with bars between cells. */
function rowsOf(page: string, title: string): string[] {
  const [, table = ''] = page.split(`<h2>${title}</h2>`);
  const [body = ''] = table.split('</tbody>');
  return [...body.matchAll(/<tr>(<td.*?)<\/tr>/gs)].map(([, cells = '']) =>
    cells.split('</td>').slice(0, -1).map(visible).join(' | ').replace(/ +/g, ' ').trim(),
  );
}

function visible(markup: string): string {
  const spaced = markup.replace(/<\/div>/g, '; ').replace(/<[^>]*>/g, '');
  return spaced.replaceAll('&#39;', "'").replace(/\s+/g, ' ').replace(/; *$/, '').trim();
}

const tail = (id: string) => id.slice(-12);

describe('the report of a trail', () => {
  it('says which report counts, which is superseded, and who overrode what and why', async () => {
    const first = await attested('lint', { is_compliant: false });
    const second = await attested('lint');
    const failed = await attested('scan', { is_compliant: false });
    const override = await overridden('scan', 'False <alarm>');
    const { page, json } = await packageOf();
    const [why] = json(`records/attestations/${failed}.json`)['reasons'] as string[];
    const received = '2026-11-01 12:00:00 UTC; by acme-admin';
    expect(rowsOf(page, 'Attestations')).toEqual([
      `scan; override; ${tail(override)} | ✓ COMPLIANT; counts; overrides ${tail(failed)}: False &lt;alarm&gt; | the trail | ${received} | api key |`,
      `scan; generic; ${tail(failed)} | ✗ NON-COMPLIANT; overridden by ${tail(override)}; ${why} | the trail | ${received} | api key |`,
      `lint; generic; ${tail(second)} | ✓ COMPLIANT; counts | the trail | ${received} | api key |`,
      `lint; generic; ${tail(first)} | ✗ NON-COMPLIANT; superseded by a newer report; ${why} | the trail | ${received} | api key |`,
    ]);
    expect(page).toContain(`overrides <a href="records/attestations/${failed}.json">`);
    expect(page).toMatch(
      /<details open><summary><span class="verdict good">✓ COMPLIANT<\/span> Attestation <bdi>scan</,
    );
    expect(page).toMatch(/<details><summary><span class="verdict good">✓ COMPLIANT<\/span> Attestation <bdi>lint</);
  });

  it('does not link what an override replaced when that is not in the package', async () => {
    const failed = await attested('scan', { is_compliant: false });
    const override = await overridden('scan', 'False alarm');
    const { page } = await packageOf(`/attestations/acme/${flow}/trail/t/attestation/${override}/audit_package`);
    expect(rowsOf(page, 'Attestations')[0]).toContain(`counts; overrides ${tail(failed)}: False alarm`);
    expect(page).not.toContain(`records/attestations/${failed}.json`);
  });

  it('shows which artifact report counts, and marks late ones with both times', async () => {
    const claimed = new Date('2026-11-01T11:54:59Z').getTime() / 1000;
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend' });
    await givenArtifact(api, flow, 'b', { trail_name: 't', template_reference_name: 'backend' });
    await attested('late', {}, { 'waymark-claimed-at': String(claimed) });
    await attested('in-time', {}, { 'waymark-claimed-at': String(claimed + 2) });
    const { page } = await packageOf();
    expect(rowsOf(page, 'Artifacts').map((row) => row.replace(/; [0-9a-f]{12} /, ' '))).toEqual([
      `app-b.tgz | ○ INCOMPLETE; counts | ${fingerprint('b')} | backend | ${commit('b')} | 2026-11-01 12:00:00 UTC; by acme-admin`,
      `app-a.tgz | ○ INCOMPLETE; superseded by a newer report | ${fingerprint('a')} | backend | ${commit('a')} | 2026-11-01 12:00:00 UTC; by acme-admin`,
    ]);
    const [inTime, late] = rowsOf(page, 'Attestations');
    expect(late).toContain('2026-11-01 12:00:00 UTC; late, claimed for 2026-11-01 11:54:59 UTC; by acme-admin');
    expect(inTime).toContain('2026-11-01 12:00:00 UTC; by acme-admin');
    expect(inTime).not.toContain('claimed');
  });

  it('describes the history in words, with verdicts', async () => {
    api.clock.now = new Date('2026-11-01T12:00:01Z');
    await api.call(beginTrail, { params: { flow_name: flow }, body: { name: 't', description: 'Now with words' } });
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend' });
    await attested('scan', { is_compliant: false, artifact_fingerprint: fingerprint('a') });
    await attested('lint', { is_compliant: false });
    await overridden('lint', 'False alarm');
    const body = { artifact_fingerprint: fingerprint('a'), src_commit_list: [commit('a')], description: 'go' };
    await api.call(recordApproval, { params: { flow_name: flow }, body });
    const at = '2026-11-01 12:00:01 UTC';
    const { page } = await packageOf();
    expect(rowsOf(page, 'History').slice(0, -1)).toEqual([
      `${at} | Approval 1 requested | | ○ PENDING | acme-admin`,
      `${at} | Verdict overridden | lint | ✓ COMPLIANT | acme-admin`,
      `${at} | Attestation reported | lint of type generic | ✗ NON-COMPLIANT | acme-admin`,
      `${at} | Attestation reported | scan of type generic on backend | ✗ NON-COMPLIANT | acme-admin`,
      `${at} | Artifact reported | app-a.tgz as backend | | acme-admin`,
      `${at} | Trail changed: description | | | acme-admin`,
    ]);
    expect(rowsOf(page, 'History').at(-1)).toContain('| Trail created | | | acme-admin');
  });

  it('begins with its provenance, and shows the verdict once', async () => {
    await api.call(beginTrail, {
      params: { flow_name: flow },
      body: {
        name: 'u',
        description: 'Release of May',
        git_commit_info: { sha1: commit('1'), branch: 'main' },
        repo_info: { name: 'acme/shop', url: 'https://git.example.com/acme/shop' },
      },
    });
    const { page, json } = await packageOf(`/trails/acme/${flow}/u/audit_package`);
    const facts = [...page.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, name, value = '']) => [
      name,
      visible(value),
    ]);
    expect(facts).toEqual([
      ['Org', 'acme'],
      ['Flow', flow],
      ['Trail', 'u'],
      ['Description', 'Release of May'],
      ['Started', '2026-11-01 12:00:00 UTC by acme-admin'],
      ['Commit', commit('1')],
      ['Branch', 'main'],
      ['Repository', 'acme/shop https://git.example.com/acme/shop'],
      ['Exported', '2026-11-01 12:00:00 UTC by reader'],
      ['From', 'http://waymark.test'],
    ]);
    const because = String(json('records/explanation.json')['because']);
    expect(visible(page).split(because)).toHaveLength(2);
  });

  it('names nodes in words, and what filled a slot of any type', async () => {
    const template =
      'version: 1\ntrail:\n  attestations:\n    - name: ticket\n      type: "*"\n    - name: pr\n      type: pull_request\n';
    await api.call(beginTrail, { params: { flow_name: flow }, body: { name: 't', template } });
    await attested('ticket');
    await attested('lint', { target_artifacts: ['wbe'], git_commit_info: { sha1: commit('1') } });
    const { page } = await packageOf();
    const labels = [...page.matchAll(/<summary>(.*?)<\/summary>/gs)].map(([, label = '']) => visible(label));
    expect(labels).toEqual([
      '○ INCOMPLETE Trail t',
      '✓ COMPLIANT Attestation ticket of type generic',
      '○ MISSING Attestation pr of type pull_request',
      '○ MISSING Attestation lint of type generic on artifact wbe of commit 1111111',
    ]);
    expect(rowsOf(page, 'Requirements')).toEqual([
      'the trail | ticket | any type | ✓ COMPLIANT | generic',
      'the trail | pr | pull_request | ○ MISSING |',
    ]);
  });
});

describe('the report of an artifact', () => {
  it('has the requirements for that artifact alone', async () => {
    const asked = (name: string) =>
      `    - name: ${name}\n      attestations:\n        - name: unit\n          type: generic\n`;
    await givenFlow(api, flow, `version: 1\ntrail:\n  artifacts:\n${asked('web')}${asked('cli')}`);
    await givenTrail(api, flow, 'two');
    for (const [digit, name] of ['aw', 'bc'].map((pair) => [pair[0] ?? '', pair[1] === 'w' ? 'web' : 'cli'] as const))
      await givenArtifact(api, flow, digit, { trail_name: 'two', template_reference_name: name });
    await attest(api, flow, 'two', {
      attestation_name: 'unit',
      is_compliant: true,
      artifact_fingerprint: fingerprint('b'),
    });
    const { page } = await packageOf(`/artifacts/acme/${flow}/${fingerprint('b')}/audit_package`);
    expect(rowsOf(page, 'Requirements')).toEqual([
      'cli | the artifact itself | | ✓ COMPLIANT | bbbbbbbbbbbb',
      'cli | unit | generic | ✓ COMPLIANT | generic',
    ]);
    expect(page).toContain(`<dt>Commit</dt><dd><code class="digest">${commit('b')}</code></dd>`);
    const whole = await packageOf(`/trails/acme/${flow}/two/audit_package`);
    expect(rowsOf(whole.page, 'Requirements')).toEqual([
      'web | the artifact itself | | ○ INCOMPLETE | aaaaaaaaaaaa',
      'web | unit | generic | ○ MISSING |',
      'cli | the artifact itself | | ✓ COMPLIANT | bbbbbbbbbbbb',
      'cli | unit | generic | ✓ COMPLIANT | generic',
    ]);
  });
});

describe('the inputs for judging again', () => {
  const RULES = (least: number) => ({ content_type: 'jq' as const, rules: [`.coverage >= ${least}`] });
  const define = async (name: string, least: number) => {
    const summary = [{ name: 'coverage', expression: '.coverage' }];
    const body = { name, evaluator: RULES(least), summary, type_schema: { type: 'object' } };
    expect((await api.call(postAttestationType, { body })).status).toBe(201);
  };
  const judge = async (name: string) => {
    const body = { attestation_name: 'coverage', type_name: name, attestation_data: { coverage: 60 } };
    const answer = await api.call(attestCustom, { params: params(), body });
    expect(answer.status).toBe(201);
    return attestationIdOf(answer);
  };

  it('are each version of a custom type that judged, once', async () => {
    const name = `cover~${count}`;
    await define(name, 80);
    await judge(name);
    await judge(name);
    await define(name, 50);
    await define(name, 40);
    await judge(name);
    const { paths, json, page } = await packageOf();
    const [first, third] = [`records/types/cover_${count}@v1.json`, `records/types/cover_${count}@v3.json`];
    expect(paths.filter((path) => path.startsWith('records/types/')).sort()).toEqual([first, third]);
    expect(json(first)).toEqual({
      type_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name,
      version: 1,
      type_schema: { type: 'object' },
      type_schema_text: '{"type":"object"}',
      rules: ['.coverage >= 80'],
      summary: [{ name: 'coverage', expression: '.coverage' }],
    });
    expect(json(third)).toMatchObject({ type_id: json(first)['type_id'], version: 3, rules: ['.coverage >= 40'] });
    expect(page).toContain(`<a href="${third}">custom:${name}@v3</a>`);
  });

  it('distinguish a type from an archived one of the same name', async () => {
    const name = `again${count}`;
    await define(name, 80);
    const before = await judge(name);
    await api.call(archiveAttestationType, { params: { name } });
    await define(name, 50);
    const after = await judge(name);
    const { paths, json } = await packageOf();
    const types = paths.filter((path) => path.startsWith('records/types/'));
    const typeOf = (id: string) =>
      (json(`records/attestations/${id}.json`)['judged_by'] as { type_id: string }).type_id;
    expect(types).toEqual([`records/types/${name}@v1.json`, `records/types/${name}-${typeOf(before)}@v1.json`]);
    expect(types.map((path) => [json(path)['type_id'], json(path)['rules']])).toEqual([
      [typeOf(after), ['.coverage >= 50']],
      [typeOf(before), ['.coverage >= 80']],
    ]);
  });

  it('find the type by its name when the verdict has no id', async () => {
    const name = `named${count}`;
    await define(name, 70);
    const id = await judge(name);
    await sql`update attestation set verdict = (verdict::jsonb #- '{judged_by,type_id}')::text
      where org_id = ${api.org.id} and id = ${id}`.execute(api.db);
    const { json } = await packageOf();
    expect(json(`records/attestations/${id}.json`)['judged_by']).not.toHaveProperty('type_id');
    expect(json(`records/types/${name}@v1.json`)).toMatchObject({ name, version: 1, rules: ['.coverage >= 70'] });
  });

  it('are the engine, the template and the time, and what was sent with its digest', async () => {
    await givenArtifact(api, flow, 'a', { trail_name: 't' });
    const body = { artifact_fingerprint: fingerprint('a'), src_commit_list: [commit('a')], description: 'go' };
    await api.call(recordApproval, { params: { flow_name: flow }, body });
    await attested('lint');
    const { paths, json } = await packageOf();
    expect(json('records/explanation.json')).toMatchObject({
      judged_by: { compliance: ENGINE_VERSION },
      flow_template_id: json('records/template.json')['id'],
      evaluated_at: api.clock.now.getTime() / 1000,
      id: 'trail',
    });
    expect(json('manifest.json')).toMatchObject({ judged_by: { compliance: ENGINE_VERSION } });
    const records = paths.filter((path) => /^records\/(artifacts|attestations|approvals)\//.test(path));
    expect(records).toHaveLength(3);
    for (const path of records) {
      const { sent, content_sha256: digest, late } = json(path);
      expect([path, digest]).toEqual([
        path,
        createHash('sha256')
          .update(canonicalize(sent) ?? '')
          .digest('hex'),
      ]);
      expect(late).toBe(false);
    }
  });
});
