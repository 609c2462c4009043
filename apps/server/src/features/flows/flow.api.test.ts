import { archiveFlow, getFlow, listFlows, putFlow, putFlowTemplate, renameFlow } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
let name = '';
let count = 0;
beforeEach(() => {
  name = `flow-${++count}`;
});

const entriesOf = async (flow: string) =>
  (await api.journal())
    .filter((entry) => JSON.stringify(entry.payload).includes(`"${flow}"`))
    .map((entry) => entry.type);

function form(parts: Record<string, string | { filename: string; content: string }>) {
  const body = new FormData();
  for (const [part, value] of Object.entries(parts)) {
    if (typeof value === 'string') body.append(part, value);
    else body.append(part, new Blob([value.content], { type: 'application/octet-stream' }), value.filename);
  }
  return body;
}

async function putForm(parts: Parameters<typeof form>[0]) {
  const request = new Request('http://x', { method: 'PUT', body: form(parts) });
  return api.inject({
    method: 'PUT',
    url: '/api/v2/flows/acme/template_file',
    headers: {
      authorization: `Bearer ${api.org.keys.member}`,
      'content-type': request.headers.get('content-type') ?? '',
    },
    payload: Buffer.from(await request.arrayBuffer()),
  });
}

describe('putting a flow', () => {
  it('creates, then updates only what is sent, then changes nothing', async () => {
    const create = await api.call(putFlow, { body: { name, description: 'ours', template: 'version: 1\n' } });
    expect(create).toMatchObject({ status: 201, body: `Flow '${name}' created` });
    const update = await api.call(putFlow, { body: { name, visibility: 'public' } });
    expect(update).toMatchObject({ status: 200, body: `Flow '${name}' updated` });
    const repeat = await api.call(putFlow, { body: { name, visibility: 'public', description: null } });
    expect(repeat).toMatchObject({ status: 200, body: `Flow '${name}' unchanged` });

    expect((await api.call(getFlow, { params: { flow_name: name } })).body).toMatchObject({
      org: 'acme',
      description: 'ours',
      visibility: 'public',
      template: 'version: 1\n',
      tags: {},
      created_by: 'acme-admin',
      html_url: `http://waymark.test/acme/flows/${name}`,
    });
    expect(await entriesOf(name)).toEqual(['flow.created', 'flow.updated']);
  });

  it('clears a description with an empty text', async () => {
    await api.call(putFlow, { body: { name, description: 'old' } });
    await api.call(putFlow, { body: { name, description: '' } });
    expect((await api.call(getFlow, { params: { flow_name: name } })).body).toMatchObject({ description: '' });
  });

  it('creates once when 64 identical requests race', async () => {
    const body = { name, description: 'same', template: 'version: 1\n' };
    const answers = await Promise.all(Array.from({ length: 64 }, () => api.call(putFlow, { body })));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200, 201]));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(await entriesOf(name)).toEqual(['flow.created']);
  });

  it('counts the entries about a flow without gaps when different updates race', async () => {
    await api.call(putFlow, { body: { name } });
    const updates = Array.from({ length: 16 }, (_, i) => api.call(putFlow, { body: { name, description: `d${i}` } }));
    expect((await Promise.all(updates)).every((answer) => answer.status === 200)).toBe(true);
    const id = ((await api.call(getFlow, { params: { flow_name: name } })).body as { id: string }).id;
    const rows = await api.db
      .selectFrom('journal')
      .select('subject_seq')
      .where('org_id', '=', api.org.id)
      .where('subject_id', '=', id)
      .orderBy('subject_seq')
      .execute();
    expect(rows.map((row) => row.subject_seq)).toEqual(Array.from({ length: 17 }, (_, i) => i + 1));
  });

  it('has its creation before its changes in the journal, when different requests race', async () => {
    for (let round = 0; round < 25; round++) {
      const contested = `${name}-${round}`;
      const puts = Array.from({ length: 12 }, (_, i) =>
        api.call(putFlow, { body: { name: contested, description: `d${i}` } }),
      );
      await Promise.all(puts);
      const { rows } = await sql<{ subject_seq: number }>`
        select subject_seq from journal where org_id = ${api.org.id} and payload like ${`%"${contested}"%`}
        order by seq`.execute(api.db);
      expect(rows.map((row) => row.subject_seq)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    }
  });

  it('stores a deprecated list of names as sent', async () => {
    await api.call(putFlow, { body: { name, template: ['artifact', 'unit-test'] } });
    const got = await api.call(getFlow, { params: { flow_name: name } });
    expect(got.body).toMatchObject({ template: ['artifact', 'unit-test'] });
    await api.call(putFlow, { body: { name, template: 'version: 1' } });
    expect((await api.call(getFlow, { params: { flow_name: name } })).body).toMatchObject({ template: 'version: 1' });
  });

  it.each([
    [{}, { name: 'is required' }],
    [{ name: '-x' }, { name: 'must start with a letter or digit and contain only letters, digits, and . - _ ~' }],
    [{ name: 'a'.repeat(256) }, { name: 'must be at most 255 characters long' }],
    [{ name: 'ok', visibility: 'secret' }, { visibility: 'must be one of private, public' }],
    [{ name: 'ok', colour: 'red' }, { colour: 'is unknown' }],
    [{ name: 'ok', description: 7 }, { description: 'must be text' }],
    [{ name: 'ok', description: 'a\u0000b' }, { description: 'must not contain U+0000 or invalid Unicode characters' }],
  ])('refuses %j and names the field', async (body, errors) => {
    expect(await api.call(putFlow, { body: body as never })).toMatchObject({ status: 400, body: { errors } });
  });

  it('refuses an invalid template, with line and column', async () => {
    const template = 'version: 1\ntrail:\n  atestations: []\n';
    const { status, body } = await api.call(putFlow, { body: { name, template } });
    expect(status).toBe(400);
    expect((body as unknown as { errors: { template: string } }).errors.template).toMatch(/line 3, column 3/);
    expect(await entriesOf(name)).toEqual([]);
  });

  it('can reuse an old name of another flow', async () => {
    await api.call(putFlow, { body: { name, description: 'first' } });
    await api.call(renameFlow, { params: { flow_name: name }, body: { new_name: `${name}-moved` } });
    expect((await api.call(putFlow, { body: { name, description: 'second' } })).status).toBe(201);
    expect((await api.call(getFlow, { params: { flow_name: name } })).body).toMatchObject({ description: 'second' });
    const moved = await api.call(getFlow, { params: { flow_name: `${name}-moved` } });
    expect(moved.body).toMatchObject({ description: 'first' });
  });
});

describe('putting a flow with a template file', () => {
  const template = 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: pull_request\n';

  it('stores the file as sent', async () => {
    const answer = await putForm({
      data_json: JSON.stringify({ name, description: '' }),
      template_file: { filename: 'template.yml', content: template },
    });
    expect(answer.status).toBe(201);
    expect((await api.call(getFlow, { params: { flow_name: name } })).body).toMatchObject({ template });
  });

  it('accepts the JSON alone, as a form and as plain JSON', async () => {
    expect((await putForm({ data_json: JSON.stringify({ name }) })).status).toBe(201);
    expect((await api.call(putFlowTemplate, { body: { name, description: 'x' } })).status).toBe(200);
  });

  it.each([
    [{}, 400, { data_json: 'is required' }],
    [{ data_json: '{' }, 400, { data_json: expect.stringMatching(/^is not valid JSON/) }],
    [{ data_json: '{"name":"a"}', other: 'x' }, 400, { other: expect.stringMatching(/is not a part of this form/) }],
    [{ data_json: '{"name":"a","x":1}' }, 400, { x: 'is unknown' }],
  ])('refuses the form %j', async (parts, status, errors) => {
    expect(await putForm(parts as never)).toMatchObject({ status, body: { errors } });
  });

  it('refuses a file that is too large', async () => {
    const content = `# ${'x'.repeat(70_000)}\n`;
    const answer = await putForm({
      data_json: JSON.stringify({ name }),
      template_file: { filename: 't.yml', content },
    });
    expect(answer).toMatchObject({ status: 413, body: { message: 'template_file is larger than 65536 bytes' } });
  });
});

describe('renaming a flow', () => {
  it('keeps resolving the old name', async () => {
    await api.call(putFlow, { body: { name } });
    const answer = await api.call(renameFlow, { params: { flow_name: name }, body: { new_name: `${name}-b` } });
    expect(answer).toMatchObject({ status: 200, body: `Flow renamed to '${name}-b'` });
    expect((await api.call(getFlow, { params: { flow_name: name } })).body).toMatchObject({ name: `${name}-b` });
    await api.call(renameFlow, { params: { flow_name: name }, body: { new_name: `${name}-c` } });
    for (const known of [name, `${name}-b`, `${name}-c`]) {
      expect((await api.call(getFlow, { params: { flow_name: known } })).body).toMatchObject({ name: `${name}-c` });
    }
  });

  it('can take its old name back', async () => {
    await api.call(putFlow, { body: { name } });
    await api.call(renameFlow, { params: { flow_name: name }, body: { new_name: `${name}-b` } });
    await api.call(renameFlow, { params: { flow_name: name }, body: { new_name: name } });
    expect((await api.call(getFlow, { params: { flow_name: `${name}-b` } })).body).toMatchObject({ name });
  });

  it('refuses a taken and an invalid name', async () => {
    await api.call(putFlow, { body: { name } });
    await api.call(putFlow, { body: { name: `${name}-b` } });
    const rename = (new_name: string) => api.call(renameFlow, { params: { flow_name: name }, body: { new_name } });
    expect(await rename(`${name}-b`)).toMatchObject({
      status: 400,
      body: { errors: { new_name: expect.stringMatching(/^is taken/) } },
    });
    expect(await rename('~')).toMatchObject({ status: 400 });
    expect(await api.call(renameFlow, { params: { flow_name: 'nobody' }, body: { new_name: 'x' } })).toMatchObject({
      status: 404,
      body: { message: "Flow 'nobody' does not exist in this org" },
    });
  });

  it('renames once when 32 identical requests race, and one wins when different ones do', async () => {
    await api.call(putFlow, { body: { name } });
    const rename = (new_name: string) => api.call(renameFlow, { params: { flow_name: name }, body: { new_name } });
    const same = await Promise.all(Array.from({ length: 32 }, () => rename(`${name}-z`)));
    expect(same.every((answer) => answer.status === 200)).toBe(true);
    expect(await entriesOf(name)).toEqual(['flow.created', 'flow.renamed']);
    await Promise.all([1, 2].map((i) => api.call(putFlow, { body: { name: `${name}-r${i}` } })));
    const contested = await Promise.all(
      [1, 2].map((i) =>
        api.call(renameFlow, { params: { flow_name: `${name}-r${i}` }, body: { new_name: `${name}-won` } }),
      ),
    );
    expect(contested.map((answer) => answer.status).sort()).toEqual([200, 400]);
  });
});

describe('archiving a flow', () => {
  it('hides it, frees its names and keeps its history', async () => {
    await api.call(putFlow, { body: { name } });
    await api.call(renameFlow, { params: { flow_name: name }, body: { new_name: `${name}-b` } });
    expect((await api.call(archiveFlow, { params: { flow_name: name } })).status).toBe(200);
    for (const known of [name, `${name}-b`]) {
      expect((await api.call(getFlow, { params: { flow_name: known } })).status).toBe(404);
    }
    expect((await api.call(archiveFlow, { params: { flow_name: `${name}-b` } })).status).toBe(404);
    expect((await api.call(putFlow, { body: { name: `${name}-b` } })).status).toBe(201);
    expect(await entriesOf(`${name}-b`)).toEqual(['flow.renamed', 'flow.archived', 'flow.created']);
  });

  it('accepts the JSON null that clients send as no body, and archives once in a race', async () => {
    await api.call(putFlow, { body: { name } });
    const archive = () =>
      api.call(archiveFlow, {
        params: { flow_name: name },
        body: 'null',
        headers: { 'content-type': 'application/json' },
      });
    const answers = await Promise.all(Array.from({ length: 8 }, archive));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
  });
});

describe('listing flows', () => {
  it('is an array without paging and an envelope with it', async () => {
    const other = await api.givenOrg('lists');
    const key = other.keys.admin;
    for (const flow of ['beta', 'Alpha', 'gamma-alpha']) {
      await api.call(putFlow, { params: { org: 'lists' }, key, body: { name: flow } });
    }
    const list = async (query: Record<string, string | string[]>) =>
      (await api.call(listFlows, { params: { org: 'lists' }, key, query })).body;
    const names = async (query: Record<string, string | string[]>) =>
      ((await list(query)) as { name: string }[]).map((flow) => flow.name);

    expect(await names({})).toEqual(['Alpha', 'beta', 'gamma-alpha']);
    expect(await names({ sort_direction: 'desc' })).toEqual(['gamma-alpha', 'beta', 'Alpha']);
    expect(await names({ search_by_name: 'alpha' })).toEqual(['gamma-alpha']);
    expect(await names({ search_by_name: 'alpha', case_sensitive: 'false' })).toEqual(['Alpha', 'gamma-alpha']);
    expect(await list({ page: '2', per_page: '2' })).toMatchObject({
      data: [{ name: 'gamma-alpha' }],
      pagination: { total: 3, page: 2, per_page: 2, page_count: 2 },
    });
    expect(await list({ page: '9' })).toMatchObject({ data: [], pagination: { total: 3, page: 9, per_page: 20 } });
  });

  it('sorts by latest activity, newest first', async () => {
    const other = await api.givenOrg('active');
    const key = other.keys.admin;
    for (const flow of ['a', 'b', 'c']) {
      api.clock.now = new Date(api.clock.now.getTime() + 1000);
      await api.call(putFlow, { params: { org: 'active' }, key, body: { name: flow } });
    }
    const { body } = await api.call(listFlows, { params: { org: 'active' }, key, query: { sort: 'latest_activity' } });
    expect((body as { name: string }[]).map((flow) => flow.name)).toEqual(['c', 'b', 'a']);
  });

  it.each([
    [{ page: '0' }, { 'query.page': 'must be at least 1' }],
    [{ per_page: '101' }, { 'query.per_page': 'must be at most 100' }],
    [
      { search_by_name: '' },
      { 'query.search_by_name': 'must contain only letters, digits, and . - _ ~, at least one' },
    ],
    [{ sort: 'size' }, { 'query.sort': 'must be one of name, latest_activity' }],
    [{ after: 'rubbish' }, { 'query.after': 'is not a valid cursor: use the one from the Link header unchanged' }],
    [
      { sort: 'latest_activity', after: Buffer.from('["-200000-01-01T00:00:00Z","x"]').toString('base64url') },
      { 'query.after': 'is not a valid cursor of this list' },
    ],
    [{ unknown: '1' }, { 'query.unknown': 'is unknown' }],
  ])('refuses %j', async (query, errors) => {
    expect(await api.call(listFlows, { query: query as never })).toMatchObject({ status: 400, body: { errors } });
  });

  it('continues with a link where an array ends', async () => {
    const other = await api.givenOrg('many');
    await sql`
      insert into flow (org_id, id, name, description, visibility, template, repo_url, revision, created_at, created_by,
        last_modified_at, latest_activity_at)
      select ${other.id}, gen_random_uuid(), 'f' || i, '', 'private', 'version: 1', '', 1, now(), 'x', now(), now()
      from generate_series(1, 10001) as i`.execute(api.db);
    const first = await api.call(listFlows, { params: { org: 'many' }, key: other.keys.reader });
    expect(first.body).toHaveLength(10_000);
    const link = String(first.headers['link']);
    const after = new URL(link.slice(1, link.indexOf('>'))).searchParams.get('after') ?? '';
    const rest = await api.call(listFlows, { params: { org: 'many' }, key: other.keys.reader, query: { after } });
    expect(rest.body).toHaveLength(1);
    expect(rest.headers['link']).toBeUndefined();
  });
});
