import {
  archiveAttestationType,
  getAttestationType,
  listAttestationTypes,
  postAttestationType,
} from '@waymark/contract';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApi } from '../../../../test/harness.ts';
import { findTypeVersion } from './attestation-type.reads.ts';

const api = await startApi();
let name = '';
let count = 0;
beforeEach(() => {
  name = `type-${++count}`;
});

// Starts the threads first, as their start is not measured.
beforeAll(() => api.call(postAttestationType, { body: { name: 'warm' } }));

const SCHEMA = { type: 'object', required: ['line'], properties: { line: { type: 'number' } } };
const JQ = { content_type: 'jq' as const, rules: ['.line >= 80', '.line <= 100'] };
const SUMMARY = [{ name: 'Lines', expression: '.line' }];

const get = (version?: number) =>
  api.call(getAttestationType, { params: { name }, ...(version && { query: { version: String(version) } }) });
const archive = () => api.call(archiveAttestationType, { params: { name } });

const entriesOf = async (type: string) =>
  (await api.journal()).filter((entry) => (entry.payload as { name?: string }).name === type);

async function postForm(
  parts: Record<string, string | { filename: string; content: string | Uint8Array<ArrayBuffer> }>,
) {
  const body = new FormData();
  for (const [part, value] of Object.entries(parts)) {
    if (typeof value === 'string') body.append(part, value);
    else body.append(part, new Blob([value.content], { type: 'application/octet-stream' }), value.filename);
  }
  const request = new Request('http://x', { method: 'POST', body });
  return api.inject({
    method: 'POST',
    url: '/api/v2/custom-attestation-types/acme',
    headers: {
      authorization: `Bearer ${api.org.keys.member}`,
      'content-type': request.headers.get('content-type') ?? '',
    },
    payload: Buffer.from(await request.arrayBuffer()),
  });
}

describe('posting a type', () => {
  it('creates it, then adds a version each time, newest first', async () => {
    const first = await api.call(postAttestationType, {
      body: { name, description: 'coverage', evaluator: JQ, summary: SUMMARY, type_schema: SCHEMA },
    });
    expect(first).toMatchObject({ status: 201, body: `Attestation type '${name}' has version 1` });
    const second = await api.call(postAttestationType, {
      body: { name, comment: 'no rules' },
      key: api.org.keys.member,
    });
    expect(second).toMatchObject({ status: 201, body: `Attestation type '${name}' has version 2` });

    const now = api.clock.now.getTime() / 1000;
    const versions = [
      {
        version: 2,
        timestamp: now,
        created_by: 'member',
        comment: 'no rules',
        type_schema: null,
        evaluator: { content_type: 'default' },
        summary: null,
      },
      {
        version: 1,
        timestamp: now,
        created_by: 'acme-admin',
        type_schema: SCHEMA,
        evaluator: JQ,
        summary: SUMMARY,
      },
    ];
    const type = {
      name,
      description: 'coverage',
      org: 'acme',
      archived: false,
      created_by: 'acme-admin',
      created_at: now,
      last_modified_at: now,
    };
    expect((await get()).body).toEqual({ ...type, versions });
    expect((await get(1)).body).toEqual({ ...type, versions: versions.slice(1) });
    expect(await entriesOf(name)).toEqual([
      {
        type: 'attestation_type.versioned',
        subject_seq: 1,
        actor: 'acme-admin',
        payload: {
          name,
          version: 1,
          description: 'coverage',
          schema_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          rules: JQ.rules,
          summary: SUMMARY,
        },
      },
      {
        type: 'attestation_type.versioned',
        subject_seq: 2,
        actor: 'member',
        payload: {
          name,
          version: 2,
          description: 'coverage',
          schema_sha256: null,
          rules: null,
          summary: null,
          comment: 'no rules',
        },
      },
    ]);
  });

  it('accepts a form with the schema as a file, and without one', async () => {
    const content = `{ "$schema": "http://json-schema.org/draft-07/schema#",\n  "type": "object" }`;
    const file = { filename: 'schema.json', content };
    expect(
      await postForm({ data_json: JSON.stringify({ name, description: '', evaluator: JQ }), type_schema: file }),
    ).toMatchObject({ status: 201 });
    expect(await postForm({ data_json: JSON.stringify({ name }) })).toMatchObject({ status: 201 });
    expect(
      await postForm({ data_json: JSON.stringify({ name }), type_schema: { filename: 'x', content: 'null' } }),
    ).toMatchObject({ status: 201 });
    expect((await get()).body).not.toHaveProperty('description');
    expect((await get(1)).body).not.toHaveProperty('description');
    expect(((await get()).body as { versions: object[] }).versions).toMatchObject([
      { version: 3, type_schema: null },
      { version: 2, type_schema: null },
      { version: 1, type_schema: { type: 'object' }, evaluator: JQ },
    ]);
    expect(await findTypeVersion(api.db, api.org.id, name, 1)).toMatchObject({ schema: content });
  });

  it('numbers versions without gaps when 16 requests for a new name race', async () => {
    const posts = Array.from({ length: 16 }, (_, i) =>
      api.call(postAttestationType, { body: { name, description: `d${i}`, evaluator: JQ } }),
    );
    expect((await Promise.all(posts)).map((answer) => answer.status)).toEqual(Array(16).fill(201));
    const { versions } = (await get()).body as { versions: { version: number }[] };
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 16 }, (_, i) => 16 - i));
    const entries = await entriesOf(name);
    expect(entries.map((entry) => entry.subject_seq)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
    expect(entries.map((entry) => (entry.payload as { version: number }).version)).toEqual(
      Array.from({ length: 16 }, (_, i) => i + 1),
    );
  });

  it('adds one version for one Idempotency-Key', async () => {
    const post = () =>
      api.call(postAttestationType, { headers: { 'idempotency-key': `once-${name}` }, body: { name, evaluator: JQ } });
    const first = await post();
    expect(await post()).toMatchObject({ status: 201, body: first.body });
    expect((await get()).body).toMatchObject({ versions: [{ version: 1 }] });
    expect(await entriesOf(name)).toHaveLength(1);
  });

  it.each([
    [{}, { name: 'is required' }],
    [{ name: 'a.b' }, { name: 'must start with a letter or digit and contain only letters, digits, and - _ ~' }],
    [{ name: 'ok', colour: 1 }, { colour: 'is unknown' }],
    [{ name: 'ok', evaluator: { content_type: 'rego' } }, { 'evaluator.content_type': 'must be one of default, jq' }],
    [
      { name: 'ok', evaluator: { content_type: 'default', rules: ['true'] } },
      { 'evaluator.rules': 'require the content_type jq' },
    ],
    [
      { name: 'ok', evaluator: { content_type: 'jq', rules: Array(51).fill('true') } },
      { 'evaluator.rules': 'must have at most 50 items' },
    ],
    [
      { name: 'ok', evaluator: { content_type: 'jq', rules: ['true', '.a =='] } },
      { 'evaluator.rules.1': 'does not compile: syntax error, unexpected end of file, line 1, column 4' },
    ],
    [
      { name: 'ok', evaluator: { content_type: 'jq', rules: ['now > 0'] } },
      { 'evaluator.rules.0': 'uses now, which is not allowed' },
    ],
    [
      { name: 'ok', summary: [{ name: 'x', expression: '$ENV' }] },
      { 'summary.0.expression': 'uses $ENV, which is not allowed' },
    ],
    [{ name: 'ok', type_schema: 'text' }, { type_schema: 'must be an object' }],
    [
      { name: 'ok', type_schema: { pattern: '(?<=a)b' } },
      { type_schema: expect.stringMatching(/the pattern \(\?<=a\)b is not valid/) },
    ],
    [
      { name: 'ok', type_schema: { $ref: 'http://169.254.169.254/' } },
      { type_schema: expect.stringMatching(/can't resolve reference/) },
    ],
  ])('refuses %j and names the field', async (body, errors) => {
    expect(await api.call(postAttestationType, { body: body as never })).toMatchObject({
      status: 400,
      body: { errors },
    });
    expect(await entriesOf('ok')).toEqual([]);
  });

  it.each([
    ['not JSON', '{', 400, /^cannot be used as a JSON Schema: Expected property name/],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, /^is not valid UTF-8 text$/],
    ['empty', '', 400, /^cannot be used as a JSON Schema: Unexpected end of JSON input/],
    ['a list', '[]', 400, /^cannot be used as a JSON Schema: it is not a JSON object/],
    ['too deep', `${'{"not":'.repeat(999)}{}${'}'.repeat(999)}`, 400, /nested more than 64 levels deep$/],
  ])('refuses a file that is %s', async (_, content, status, reason) => {
    const answer = await postForm({
      data_json: JSON.stringify({ name }),
      type_schema: { filename: 'schema.json', content },
    });
    expect(answer).toMatchObject({ status, body: { errors: { type_schema: expect.stringMatching(reason) } } });
    expect((await get()).status).toBe(404);
  });

  it('refuses a schema of more than 64 KiB, as a file and in the body', async () => {
    const description = 'x'.repeat(65_536);
    const answer = { status: 413, body: { message: 'type_schema is larger than 65536 bytes' } };
    const file = { filename: 'schema.json', content: JSON.stringify({ description }) };
    expect(await postForm({ data_json: JSON.stringify({ name }), type_schema: file })).toMatchObject(answer);
    expect(await api.call(postAttestationType, { body: { name, type_schema: { description } } })).toMatchObject(answer);
  });

  it.each([
    [
      'a pattern that grows beyond all bounds',
      { type_schema: { pattern: '((((a{1,999}){1,999}){1,999}){1,999}){1,999}' } },
      { errors: { type_schema: expect.stringMatching(/expression too large/) } },
    ],
    [
      'a text that is too long before it is used',
      { evaluator: { content_type: 'jq' as const, rules: ['"x" * 1e9'] } },
      {
        message: 'The schema or an expression takes too much time or memory to compile',
        errors: null,
      },
    ],
  ])('refuses %s and goes on', async (_, definition, body) => {
    const answer = await api.call(postAttestationType, { body: { name, ...definition } });
    expect(answer).toMatchObject({ status: 400, body });
    expect((await api.call(postAttestationType, { body: { name, evaluator: JQ } })).status).toBe(201);
  });

  it('refuses a thousand and first version', async () => {
    await api.call(postAttestationType, { body: { name } });
    await api.db
      .updateTable('custom_attestation_type')
      .set({ revision: 1000 })
      .where('org_id', '=', api.org.id)
      .where('name', '=', name)
      .execute();
    expect(await api.call(postAttestationType, { body: { name } })).toMatchObject({
      status: 400,
      body: { errors: { name: 'already has 1000 versions, which is the maximum: archive the type to start over' } },
    });
  });
});

describe('getting a type', () => {
  it('says which is unknown, the type or the version', async () => {
    expect(await get()).toMatchObject({
      status: 404,
      body: { message: `Attestation type '${name}' does not exist in this org` },
    });
    await api.call(postAttestationType, { body: { name } });
    expect(await get(2)).toMatchObject({
      status: 404,
      body: { message: `Attestation type '${name}@v2' does not exist in this org` },
    });
    const answer = await api.call(getAttestationType, { params: { name }, query: { version: '0' } });
    expect(answer).toMatchObject({ status: 400, body: { errors: { 'query.version': 'must be at least 1' } } });
  });
});

describe('archiving a type', () => {
  it('frees the name, and the versions stay findable', async () => {
    await api.call(postAttestationType, { body: { name, description: 'old', evaluator: JQ } });
    await api.call(postAttestationType, { body: { name, evaluator: JQ } });
    expect(await archive()).toMatchObject({ status: 200, body: `Attestation type '${name}' archived` });
    expect((await archive()).status).toBe(404);
    expect((await get()).body).toMatchObject({ archived: true, versions: [{ version: 2 }, { version: 1 }] });
    expect((await get(2)).body).toMatchObject({ archived: true, versions: [{ version: 2 }] });

    const again = await api.call(postAttestationType, { body: { name, description: 'new' } });
    expect(again).toMatchObject({ status: 201, body: `Attestation type '${name}' has version 1` });
    expect((await get()).body).toMatchObject({ description: 'new', archived: false, versions: [{ version: 1 }] });
    expect((await get(1)).body).toMatchObject({ description: 'new' });
    expect((await get(2)).body).toMatchObject({ description: 'old', archived: true });
    expect((await entriesOf(name)).map((entry) => [entry.type, entry.subject_seq])).toEqual([
      ['attestation_type.versioned', 1],
      ['attestation_type.versioned', 2],
      ['attestation_type.archived', 3],
      ['attestation_type.versioned', 1],
    ]);
  });

  it('happens once when 8 requests race, and never fails against a racing post', async () => {
    await api.call(postAttestationType, { body: { name } });
    const answers = await Promise.all(Array.from({ length: 8 }, archive));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
    const mixed = await Promise.all(
      Array.from({ length: 16 }, (_, i) => (i % 2 ? archive() : api.call(postAttestationType, { body: { name } }))),
    );
    expect(mixed.filter((answer) => ![200, 201, 404].includes(answer.status))).toEqual([]);
  });
});

describe('for those who judge', () => {
  const find = (version?: number) => findTypeVersion(api.db, api.org.id, name, version);

  it('has the newest version of an active type, and any version by number', async () => {
    expect(await find()).toBeUndefined();
    await api.call(postAttestationType, { body: { name, evaluator: JQ, summary: SUMMARY, type_schema: SCHEMA } });
    await api.call(postAttestationType, { body: { name } });
    const typeId = (await find())?.typeId;
    expect(await find()).toEqual({ typeId, name, version: 2, schema: null, rules: [], summary: [] });
    const first = { typeId, name, version: 1, schema: JSON.stringify(SCHEMA), rules: JQ.rules, summary: SUMMARY };
    expect(await find(1)).toEqual(first);
    expect(await find(3)).toBeUndefined();
    await archive();
    expect(await find()).toBeUndefined();
    expect(await find(1)).toEqual(first);
  });
});

describe('listing types', () => {
  it('shows active types by name with all versions, to their org alone', async () => {
    const other = await api.givenOrg('types');
    const call = { params: { org: 'types' }, key: other.keys.member };
    for (const type of ['b', 'a', 'gone', 'b'])
      await api.call(postAttestationType, { ...call, body: { name: type, evaluator: JQ } });
    await api.call(archiveAttestationType, { key: other.keys.member, params: { org: 'types', name: 'gone' } });
    const list = await api.call(listAttestationTypes, { params: { org: 'types' }, key: other.keys.reader });
    expect(list.body).toMatchObject([
      { name: 'a', org: 'types', versions: [{ version: 1 }] },
      { name: 'b', org: 'types', versions: [{ version: 2 }, { version: 1 }] },
    ]);
    expect(list.headers['link']).toBeUndefined();
    expect((await api.call(listAttestationTypes, { key: other.keys.admin })).status).toBe(403);
    const post = await api.call(postAttestationType, { key: other.keys.admin, body: { name: 'b' } });
    expect(post.status).toBe(403);
  });

  it('continues with a link where the schemas get too large', async () => {
    const other = await api.givenOrg('large');
    const call = { params: { org: 'large' }, key: other.keys.admin };
    for (const type of ['a', 'b', 'c']) await api.call(postAttestationType, { ...call, body: { name: type } });
    await api.db
      .updateTable('custom_attestation_type_version')
      .set({ schema: JSON.stringify({ description: 'x'.repeat(5 * 1024 * 1024) }) } as never)
      .where('org_id', '=', other.id)
      .execute();
    const first = await api.call(listAttestationTypes, call);
    expect((first.body as { name: string }[]).map((type) => type.name)).toEqual(['a', 'b']);
    const link = String(first.headers['link']);
    const after = new URL(link.slice(1, link.indexOf('>'))).searchParams.get('after') ?? '';
    const rest = await api.call(listAttestationTypes, { ...call, query: { after } });
    expect((rest.body as { name: string }[]).map((type) => type.name)).toEqual(['c']);
    expect(rest.headers['link']).toBeUndefined();
  });

  it('refuses an invalid cursor', async () => {
    expect(await api.call(listAttestationTypes, { query: { after: 'rubbish' } })).toMatchObject({
      status: 400,
      body: { errors: { 'query.after': 'is not a valid cursor: use the one from the Link header unchanged' } },
    });
  });
});

describe('roles', () => {
  it.each([
    ['reader', 403],
    ['snapshotter', 403],
    ['member', 201],
  ] as const)('a %s gets %i for posting, and may read', async (role, status) => {
    const key = api.org.keys[role];
    expect((await api.call(postAttestationType, { key, body: { name } })).status).toBe(status);
    expect((await api.call(listAttestationTypes, { key })).status).toBe(200);
    const archived = await api.call(archiveAttestationType, { key, params: { name } });
    expect(archived.status).toBe(status === 201 ? 200 : 403);
  });
});
