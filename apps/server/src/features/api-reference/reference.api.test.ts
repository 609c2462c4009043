import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import {
  attachPolicies,
  contracts,
  detachPolicies,
  getOpenApi,
  getPolicySchema,
  getTemplateSchema,
  putNamedPolicy,
  putPolicy,
  simulatePolicy,
  toOpenApi,
  validatePolicy,
} from '@waymark/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { startApi } from '../../../test/harness.ts';
import { VERSION } from '../../platform/version.ts';
import { exampleOf } from './example-value.ts';
import type { ApiDocument } from './openapi-document.ts';
import { referencePage } from './reference-page.ts';

const api = await startApi();
const document = toOpenApi(contracts, { version: '2.0', serverUrl: 'http://waymark.test/api/v2' });
const POLICY_V1 = 'https://compliance.example.com/schemas/policy/v1';
const HOSTILE = '<img src=x onerror=alert(1)>"\'&';

async function getPage() {
  const { status, headers, body } = await api.inject({ method: 'GET', url: '/docs' });
  return { status, headers, page: String(body) };
}

function all(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** Elements that are opened and not closed in order, or closed and not opened. */
function unbalanced(page: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, slash, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
    if (['meta', 'wbr'].includes(name)) continue;
    if (!slash) open.push(name);
    else if (open.pop() !== name) wrong.push(name);
  }
  return [...wrong, ...open];
}

/** Appends the hostile text to every text and every name that is not OpenAPI's own. */
function poisoned(): Record<string, unknown> {
  const own = new Set(['type', 'in', 'contentMediaType', '$ref']);
  const poison = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return own.has(key) ? value : value + HOSTILE;
    if (Array.isArray(value)) return value.map((item) => poison(item));
    if (typeof value !== 'object' || value === null) return value;
    const named = ['properties', 'content', 'schemas', 'responses', 'paths'].includes(key);
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [named ? name + HOSTILE : name, poison(item, name)]),
    );
  };
  return poison(document) as Record<string, unknown>;
}

describe('the description of the API', () => {
  it('is the emitted document, for everyone', async () => {
    const answer = await api.call(getOpenApi, { key: '' });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it.each(['/api/v2/openapi.json', '/docs'])('%s is written once, compressed, and not sent twice', async (url) => {
    const ask = (headers: Record<string, string> = {}) => api.app.http.inject({ method: 'GET', url, headers });
    const plain = await ask();
    const gzipped = await ask({ 'accept-encoding': 'br, gzip' });
    expect(gzipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(gzipped.rawPayload)).toEqual(plain.rawPayload);
    expect(gzipped.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
    expect(plain.headers['waymark-version']).toBe(url === '/docs' ? undefined : VERSION);
    const etag = String(plain.headers['etag']);
    const known = await ask({ 'if-none-match': etag });
    expect([known.statusCode, known.body, known.headers['etag']]).toEqual([304, '', etag]);
  });

  it.each([
    { contract: getTemplateSchema, accepted: { version: 1 } },
    { contract: getPolicySchema, accepted: { _schema: POLICY_V1, artifacts: { provenance: { required: true } } } },
  ])('serves a JSON Schema with $contract.id, for everyone', async ({ contract, accepted }) => {
    const { status, body } = await api.call(contract, { key: '' });

    expect(status).toBe(200);
    expect(body['$id']).toBe(`http://waymark.test/api/v2${contract.path}`);
    const accepts = new Ajv2020().compile(body);
    expect(accepts(accepted)).toBe(true);
    expect(accepts({ ...accepted, surprise: true })).toBe(false);
  });
});

describe('the reference page', () => {
  it('is open to everyone, and may load and run nothing', async () => {
    const { status, headers, page } = await getPage();
    const [style = ''] = all(/<style>(.*?)<\/style>/gs, page);

    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page).not.toMatch(/<script|<link|\ssrc=|\sstyle=|\son\w+=/i);
  });

  it('has an anchor for every operation and every schema, and no link that leads nowhere', async () => {
    const { page } = await getPage();
    const ids = all(/\sid="([^"]*)"/g, page);

    expect(ids).toEqual(expect.arrayContaining(contracts.map((contract) => contract.id)));
    expect(ids).toContain('schema-FlowInput');
    expect(new Set(ids).size).toBe(ids.length);
    expect(all(/href="#([^"]*)"/g, page).filter((target) => !ids.includes(target))).toEqual([]);
  });

  it('shows what to send, in words and as a command', async () => {
    const { page } = await getPage();
    const [article = ''] = all(/<article class="split" id="putFlowTemplate">(.*?)<\/article>/gs, page);
    const text = article
      .replace(/<[^>]*>/g, '')
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"');

    expect(text).toContain('PUT /flows/{org}/template_file');
    expect(text).toContain('Required role: member');
    expect(text).toMatch(/org\s+path, required\s+text \(at most 64 characters; letters, digits, and/);
    expect(text).toMatch(/visibility\s+optional\s+one of private, public or null/);
    expect(text).toMatch(/data_json\s+required\s+FlowInput/);
    expect(text).toContain(`curl -X PUT \\
  -H "Authorization: Bearer $WAYMARK_KEY" \\
  -F 'data_json={"name":"my-name"}' \\
  -F 'template_file=@my-template-file' \\
  'http://waymark.test/api/v2/flows/my-org/template_file'`);
  });

  it('says in words what may be null or empty, what a pattern means and what headers come back', async () => {
    const { page } = await getPage();
    const textOf = (id: string) => {
      const [article = ''] = all(new RegExp(`<article[^>]* id="${id}">(.*?)</article>`, 'gs'), page);
      return article.replace(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
    };

    expect(textOf('schema-CreateEnvironmentPutInput')).toContain('include_scaling optional boolean or null');
    expect(textOf('schema-EnvironmentPatch')).toContain('0 or whole number (30 to 31,536,000) or null');
    expect(textOf('listEnvironmentEvents')).toContain(
      'start_ts query, optional number (0 to 253,402,300,799), or empty',
    );
    expect(textOf('listEnvironmentEvents')).toContain('reverse query, optional one of true, false, or empty');
    expect(textOf('listEnvironmentEvents')).toContain('Header x-total-count: Total number of events');
    expect(textOf('reportK8s')).toContain('Header waymark-snapshot: ');
    for (const id of ['reportK8s', 'schema-K8sReport', 'putEnvironment', 'schema-CreateEnvironmentPutInput']) {
      expect(textOf(id)).not.toContain('matching ');
    }
  });

  it.each(contracts.filter((contract) => contract.body))('has an example that $id accepts', ({ id, body }) => {
    const { paths, components } = document as unknown as ApiDocument;
    const operation = Object.values(paths)
      .flatMap((path) => Object.values(path))
      .find(({ operationId }) => operationId === id);
    const { content = {} } = operation?.requestBody ?? {};
    const { schema = {} } = content['application/json'] ?? content['application/scim+json'] ?? {};

    expect(body?.safeParse(exampleOf(schema, 'body', components.schemas))).toMatchObject({ success: true });
  });

  it('has examples with which a policy is put, tried and attached', async () => {
    const { paths, components } = document as unknown as ApiDocument;
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const exampleFor = ({ id }: { id: string }) => {
      const operation = operations.find(({ operationId }) => operationId === id);
      const { schema = {} } = operation?.requestBody?.content['application/json'] ?? {};
      return exampleOf(schema, 'body', components.schemas) as never;
    };

    const named = await api.call(putNamedPolicy, { body: exampleFor(putNamedPolicy) });
    expect(named).toMatchObject({ status: 201, body: { name: 'my-policy', versions: [{ version: 1 }] } });
    const same = await api.call(putPolicy, { params: { name: 'my-policy' }, body: exampleFor(putPolicy) });
    expect(same).toMatchObject({ status: 200, body: { versions: [{ version: 1 }] } });
    const validated = await api.call(validatePolicy, { body: exampleFor(validatePolicy) });
    expect(validated).toMatchObject({ status: 200, body: { valid: true } });
    expect(await api.call(simulatePolicy, { body: exampleFor(simulatePolicy) })).toMatchObject({ status: 200 });
    await givenEnvironment(api, 'my-env');
    for (const contract of [attachPolicies, detachPolicies]) {
      const answer = await api.call(contract, { params: { env_name: 'my-env' }, body: exampleFor(contract) });
      expect(answer).toMatchObject({ status: 200 });
    }
  });

  it('says that an answer can be had in lines as well', async () => {
    const { page } = await getPage();
    const [article = ''] = all(/<article class="split" id="simulatePolicy">(.*?)<\/article>/gs, page);

    expect(article.replace(/<[^>]*>/g, '')).toContain('Simulation or text application/x-ndjson');
  });

  it('is well formed', async () => {
    expect(unbalanced('<p><b>not</p></b><i>')).toEqual(['p', 'b', 'i']);
    expect(unbalanced((await getPage()).page)).toEqual([]);
  });

  it('escapes every text it is given', () => {
    const page = referencePage(poisoned());

    expect(page).toContain('Create or update a flow&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;');
    expect(page).not.toContain('<img');
    expect(page).not.toContain('alert(1)>');
    expect(unbalanced(page)).toEqual([]);
  });
});
