import {
  archiveControl,
  type Control,
  createControl,
  getControl,
  getControlVersion,
  listControls,
  listControlTags,
  listControlVersions,
  patchTags,
  roles,
  unarchiveControl,
  updateControl,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
const others = await api.givenOrg('control-others');
const FOREIGN = { status: 403, body: { message: 'There is no such org, or you are not a member of it' } };
const RACERS = Array.from({ length: 16 }, (_, i) => i);

let identifier = '';
let count = 0;
beforeEach(() => {
  identifier = `SDLC-${++count}`;
});

const create = (more: object = {}, id = identifier) =>
  api.call(createControl, { body: { identifier: id, name: `Control ${id}`, ...more } });
const edit = (body: { name?: string | null; description?: string | null; links?: Record<string, string> | null }) =>
  api.call(updateControl, { params: { identifier }, body });
const archive = (id = identifier) => api.call(archiveControl, { params: { identifier: id } });
const unarchive = () => api.call(unarchiveControl, { params: { identifier } });
const read = async (id = identifier) =>
  ((await api.call(getControl, { params: { identifier: id } })) as Answer<Control>).body;
const versionsOf = async (query: Record<string, string> = {}) =>
  (await api.call(listControlVersions, { params: { identifier }, query })).body;
const kindsOf = async () => (await versionsOf({ sort_direction: 'asc' })).versions.map((version) => version.kind);
const entries = async () =>
  (await api.journal()).filter(
    (entry) => entry.type.startsWith('control.') && (entry.payload as { identifier: string }).identifier === identifier,
  );
const entryTypes = async () => (await entries()).map((entry) => entry.type);
const missing = () => ({ status: 404, body: { message: `Control '${identifier}' does not exist in this org` } });

describe('creating a control', () => {
  it('answers with all of it and records the first version', async () => {
    const links = { runbook: 'https://example.com/runbook', law: 'http://example.com/law' };
    const created = await create({ description: 'Two pairs of eyes', links });
    const expected = {
      identifier,
      name: `Control ${identifier}`,
      description: 'Two pairs of eyes',
      links,
      tags: {},
      version: 1,
      created_at: api.clock.now.getTime() / 1000,
      created_by: 'acme-admin',
      archived: false,
      policies_referencing: [],
    };
    expect(created).toMatchObject({ status: 201, body: expected });
    expect(await read()).toEqual(expected);
    expect(await entries()).toEqual([
      {
        type: 'control.created',
        subject_seq: 1,
        actor: 'acme-admin',
        payload: { identifier, version: 1, name: expected.name, description: expected.description, links },
      },
    ]);
  });

  it('needs an identifier and a name only', async () => {
    expect((await create({ description: null, links: null })).body).toMatchObject({ description: '', links: {} });
  });

  it('takes the longest there may be, in any script', async () => {
    const han = Array.from({ length: 255 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000))).join('');
    const id = `~.-_${'x'.repeat(252)}`;
    expect((await create({ name: han }, id)).status).toBe(201);
    expect((await read(id)).name).toBe(han);
  });

  it('is refused when the identifier is taken, also by an archived control', async () => {
    await create();
    const refusal = (more: string) => ({
      status: 409,
      body: { message: `Control '${identifier}' already exists${more}` },
    });
    expect(await create()).toMatchObject(refusal(''));
    await archive();
    expect(await create()).toMatchObject(refusal(', and is archived'));
    expect(await entryTypes()).toEqual(['control.created', 'control.archived']);
  });

  it('names the field that is wrong', async () => {
    const refused = async (body: object) => (await create(body)).body as unknown as { errors: Record<string, string> };
    expect((await refused({ identifier: 'a b' })).errors).toEqual({
      identifier: 'must contain only letters, digits, and - . _ ~, and at least one of them',
    });
    for (const unreachable of ['.', '..', 'tags']) {
      expect((await refused({ identifier: unreachable })).errors).toEqual({
        identifier: 'must not be one of ., .., tags',
      });
    }
    expect((await refused({ identifier: 'x'.repeat(257) })).errors).toEqual({
      identifier: 'must be at most 256 characters long',
    });
    expect((await refused({ name: ' ' })).errors).toEqual({ name: 'must not be empty' });
    expect((await refused({ name: undefined })).errors).toEqual({ name: 'is required' });
    expect((await refused({ name: 'x'.repeat(256) })).errors).toEqual({ name: 'must be at most 255 characters long' });
    expect((await refused({ links: { bad: 'javascript:alert(1)' } })).errors).toEqual({
      'links.bad': 'must begin with http:// or https://',
    });
    expect((await refused({ links: { '': 'https://a.example' } })).errors).toEqual({
      links: 'is not a valid name: it must not be empty',
    });
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`l${i}`, 'https://a.example']));
    expect((await refused({ links: many })).errors).toEqual({ links: 'must have at most 100 keys' });
    expect((await refused({ tags: {} })).errors).toEqual({ tags: 'is unknown' });
    expect(await entries()).toEqual([]);
  });

  it('lets one of many racing requests win', async () => {
    const answers = await Promise.all(RACERS.map(() => create()));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(15).fill(409)]);
    expect(await entryTypes()).toEqual(['control.created']);
    expect(await kindsOf()).toEqual(['Created']);
  });

  it('is answered as before when it is repeated with its Idempotency-Key', async () => {
    const send = () =>
      api.call(createControl, {
        body: { identifier, name: 'once' },
        headers: { 'idempotency-key': identifier },
      });
    const first = await send();
    expect(first.status).toBe(201);
    expect(await send()).toMatchObject({ status: 201, body: first.body });
    expect(await entryTypes()).toEqual(['control.created']);
  });

  it('gives two orgs the same identifier', async () => {
    await create();
    const theirs = await api.call(createControl, {
      params: { org: others.name },
      key: others.keys.admin,
      body: { identifier, name: 'theirs' },
    });
    expect(theirs.status).toBe(201);
    expect((await read()).name).toBe(`Control ${identifier}`);
  });
});

describe('editing a control', () => {
  it('changes what is given and leaves the rest, one version at a time', async () => {
    await create({ description: 'old', links: { a: 'https://a.example', b: 'https://b.example' } });
    expect(await edit({ name: 'New', description: null })).toMatchObject({
      status: 200,
      body: { name: 'New', description: 'old', version: 2 },
    });
    expect((await edit({ links: { c: 'https://c.example' } })).body).toMatchObject({
      links: { c: 'https://c.example' },
      version: 3,
    });
    expect((await edit({ description: '', links: {} })).body).toMatchObject({ description: '', links: {}, version: 4 });
    const common = { type: 'control.edited', actor: 'acme-admin' };
    expect((await entries()).slice(1)).toEqual([
      { ...common, subject_seq: 2, payload: { identifier, version: 2, name: 'New' } },
      { ...common, subject_seq: 3, payload: { identifier, version: 3, links: { c: 'https://c.example' } } },
      { ...common, subject_seq: 4, payload: { identifier, version: 4, description: '', links: {} } },
    ]);
  });

  it('records nothing when nothing is different', async () => {
    const links = { b: 'https://b.example', a: 'https://a.example' };
    await create({ description: 'd', links });
    const before = await read();
    const same = { name: before.name, description: 'd', links: { a: links.a, b: links.b } };
    for (const body of [{}, { name: null, description: null, links: null }, same]) {
      expect(await edit(body)).toMatchObject({ status: 200, body: before });
    }
    expect(await entryTypes()).toEqual(['control.created']);
  });

  it('refuses what is wrong and what is missing', async () => {
    expect(await edit({ name: 'x' })).toMatchObject(missing());
    await create();
    expect(await edit({ name: '' })).toMatchObject({ status: 400, body: { errors: { name: 'must not be empty' } } });
    const other = { params: { identifier }, body: { identifier: 'other' } as object };
    expect(await api.call(updateControl, other)).toMatchObject({
      status: 400,
      body: { errors: { identifier: 'is unknown' } },
    });
    expect(await entryTypes()).toEqual(['control.created']);
  });

  it('is one version when identical requests race, and one each when different ones do', async () => {
    await create();
    const same = await Promise.all(RACERS.map(() => edit({ name: 'Raced' })));
    expect(same.map((answer) => answer.status)).toEqual(Array(16).fill(200));
    expect(await kindsOf()).toEqual(['Created', 'Edited']);
    const different = await Promise.all(RACERS.map((i) => edit({ name: `Raced ${i}` })));
    expect(different.map((answer) => answer.status)).toEqual(Array(16).fill(200));
    expect((await entries()).map((entry) => entry.subject_seq)).toEqual(Array.from({ length: 18 }, (_, i) => i + 1));
    expect((await read()).version).toBe(18);
  });
});

describe('archiving a control', () => {
  it('takes it out of the catalog and back, with a version each time', async () => {
    await create();
    expect(await archive()).toMatchObject({ status: 200, body: { identifier, archived: true, version: 2 } });
    expect(await read()).toMatchObject({ archived: true });
    expect((await edit({ name: 'Changed while archived' })).body).toMatchObject({ archived: true, version: 3 });
    expect(await unarchive()).toMatchObject({ status: 200, body: { archived: false, version: 4 } });
    expect(await kindsOf()).toEqual(['Created', 'Archived', 'Edited', 'Unarchived']);
    expect(await entries()).toMatchObject([
      { type: 'control.created' },
      { type: 'control.archived', subject_seq: 2, payload: { identifier, version: 2 } },
      { type: 'control.edited', subject_seq: 3 },
      { type: 'control.unarchived', subject_seq: 4, payload: { identifier, version: 4 } },
    ]);
  });

  it('records nothing when it is so already, also in a race', async () => {
    await create();
    expect(await unarchive()).toMatchObject({ status: 200, body: { archived: false, version: 1 } });
    const archived = await Promise.all(RACERS.map(() => archive()));
    expect(archived.map((answer) => answer.status)).toEqual(Array(16).fill(200));
    expect(await archive()).toMatchObject({ status: 200, body: { archived: true, version: 2 } });
    const active = await Promise.all(RACERS.map(() => unarchive()));
    expect(active.map((answer) => answer.status)).toEqual(Array(16).fill(200));
    expect(await entryTypes()).toEqual(['control.created', 'control.archived', 'control.unarchived']);
  });

  it('takes the null that clients send for no body', async () => {
    await create();
    const answer = await api.inject({
      method: 'POST',
      url: `/api/v2/controls/acme/${identifier}/archive`,
      headers: {
        authorization: `Bearer ${api.org.keys.admin}`,
        'waymark-beta': 'controls',
        'content-type': 'application/json; charset=utf-8',
      },
      payload: 'null',
    });
    expect(answer).toMatchObject({ status: 200, body: { archived: true } });
  });

  it('of what is not there is a 404', async () => {
    expect(await archive()).toMatchObject(missing());
    expect(await unarchive()).toMatchObject(missing());
  });
});

describe('versions', () => {
  it('are the control as it was, newest first', async () => {
    await create({ description: 'first' });
    const createdAt = api.clock.now.getTime() / 1000;
    api.clock.now = new Date(api.clock.now.getTime() + 60_000);
    await edit({ description: 'second', links: { a: 'https://a.example' } });
    const first = {
      version: 1,
      kind: 'Created',
      identifier,
      name: `Control ${identifier}`,
      description: 'first',
      links: {},
      created_at: createdAt,
      created_by: 'acme-admin',
    };
    const second = {
      ...first,
      version: 2,
      kind: 'Edited',
      description: 'second',
      links: { a: 'https://a.example' },
      created_at: createdAt + 60,
    };
    expect(await versionsOf()).toMatchObject({ versions: [second, first], page: 1, per_page: 15, total_count: 2 });
    expect(await versionsOf({ page: '2', per_page: '1' })).toMatchObject({ versions: [first], total_pages: 2 });
    const one = (version: string) => api.call(getControlVersion, { params: { identifier, version } });
    expect(await one('1')).toMatchObject({ status: 200, body: first });
    expect(await one('2')).toMatchObject({ status: 200, body: second });
    expect(await one('3')).toMatchObject({
      status: 404,
      body: { message: `Control '${identifier}', version '3' does not exist in this org` },
    });
    for (const wrong of ['0', '1.5', 'x', '2147483648']) {
      expect(await one(wrong)).toMatchObject({ status: 400, body: { errors: { version: expect.any(String) } } });
    }
  });

  it('of what is not there are a 404', async () => {
    const params = { identifier, version: '1' };
    expect(await api.call(listControlVersions, { params })).toMatchObject(missing());
    expect(await api.call(getControlVersion, { params })).toMatchObject(missing());
  });
});

describe('the list of controls', () => {
  const list = async (query: Record<string, string | string[]>) => (await api.call(listControls, { query })).body;
  const found = async (query: Record<string, string | string[]>) =>
    (await list(query)).controls.map((control) => control.identifier);

  it('is one page by name, with links to the others, and finds part of a name or identifier in any case', async () => {
    await create({ name: 'Zebra pages' }, 'PAGED-1');
    await create({ name: 'Ape pages' }, 'PAGED-2');
    await create({ name: 'Mouse' }, 'paged-3');
    expect(await found({ search: 'Paged-' })).toEqual(['PAGED-2', 'paged-3', 'PAGED-1']);
    expect(await found({ search: 'paged-', sort_direction: 'desc' })).toEqual(['PAGED-1', 'paged-3', 'PAGED-2']);
    expect(await found({ search: 'paged-', sort: 'identifier' })).toEqual(['PAGED-1', 'PAGED-2', 'paged-3']);
    expect(await found({ search: 'paged-', sort: 'identifier', sort_direction: 'desc' })).toEqual([
      'paged-3',
      'PAGED-2',
      'PAGED-1',
    ]);
    expect(await api.call(listControls, { query: { sort: 'version' as 'name' } })).toMatchObject({
      status: 400,
      body: { errors: { 'query.sort': expect.any(String) } },
    });
    expect(await found({ search: 'PAGES' })).toEqual(['PAGED-2', 'PAGED-1']);
    expect(await found({ search: '%' })).toEqual([]);
    const link = (page: number) => ({
      href: `http://waymark.test/api/v2/controls/acme?page=${page}&per_page=1&search=paged-`,
    });
    expect(await list({ search: 'paged-', page: '2', per_page: '1' })).toEqual({
      controls: [await read('paged-3')],
      page: 2,
      per_page: 1,
      total_pages: 3,
      total_count: 3,
      _links: { self: link(2), first: link(1), last: link(3), prev: link(1), next: link(3) },
    });
  });

  it('has 15 per page by default, and 100 at most', async () => {
    for (const i of RACERS) await create({}, `MANY-${i}`);
    expect(await list({ search: 'MANY-' })).toMatchObject({ page: 1, per_page: 15, controls: { length: 15 } });
    expect((await list({ search: 'MANY-', per_page: '100' })).controls).toHaveLength(16);
    expect(await api.call(listControls, { query: { per_page: '101' } })).toMatchObject({
      status: 400,
      body: { errors: { 'query.per_page': expect.any(String) } },
    });
  });

  it('has the active ones, or the archived ones instead', async () => {
    await create({}, 'CATALOG-a');
    await create({}, 'CATALOG-b');
    await archive('CATALOG-b');
    expect(await found({ search: 'CATALOG-' })).toEqual(['CATALOG-a']);
    expect(await found({ search: 'CATALOG-', archived: 'false' })).toEqual(['CATALOG-a']);
    expect(await found({ search: 'CATALOG-', archived: 'true' })).toEqual(['CATALOG-b']);
  });

  it('has nothing of another org', async () => {
    const owner = await api.givenOrg('control-empty');
    const theirs = { params: { org: owner.name }, key: owner.keys.reader };
    expect((await api.call(listControls, theirs)).body).toMatchObject({ total_count: 0, controls: [] });
    expect((await api.call(listControlTags, theirs)).body).toEqual({ tags: [] });
  });
});

describe('tags of a control', () => {
  const tag = (set_tags: Record<string, string> | null, remove_tags: string[] | null = null, type = 'control') =>
    api.call(patchTags, { params: { type, id: identifier }, body: { set_tags, remove_tags } });

  it('are set and removed, and only real changes are recorded, none of them as a version', async () => {
    await create();
    expect(await tag({ framework: 'soc2', tier: '1' })).toMatchObject({
      status: 200,
      body: `Tags of control '${identifier}' updated`,
    });
    expect((await tag({ framework: 'soc2' }, ['absent'], 'controls')).status).toBe(200);
    expect((await tag(null, ['tier'])).status).toBe(200);
    expect(await read()).toMatchObject({ tags: { framework: 'soc2' }, version: 1 });
    expect((await entries()).slice(1)).toMatchObject([
      {
        type: 'control.tagged',
        subject_seq: 2,
        payload: { identifier, set: { framework: 'soc2', tier: '1' }, removed: [] },
      },
      { type: 'control.tagged', subject_seq: 3, payload: { identifier, set: {}, removed: ['tier'] } },
    ]);
    expect((await edit({ name: 'Edited after tagging' })).body).toMatchObject({ version: 2 });
    expect((await entries()).at(-1)).toMatchObject({ subject_seq: 4, payload: { version: 2 } });
  });

  it('narrow the list down, and are listed themselves', async () => {
    await create();
    await tag({ line: 'red', area: 'a:b' });
    const first = identifier;
    identifier = `SDLC-${++count}`;
    await create();
    await tag({ line: 'blue' });
    const found = async (wanted: string[]) =>
      (await api.call(listControls, { query: { tag: wanted } })).body.controls.map((control) => control.identifier);
    expect(await found(['line'])).toEqual([first, identifier]);
    expect(await found(['line:blue'])).toEqual([identifier]);
    expect(await found(['line', 'area:a:b'])).toEqual([first]);
    const { tags } = (await api.call(listControlTags)).body;
    expect(tags).toContainEqual({ key: 'line', values: ['blue', 'red'] });
    expect(tags).toContainEqual({ key: 'area', values: ['a:b'] });
  });

  it('are for admins, and of a control that is there', async () => {
    expect(await tag({ a: 'b' })).toMatchObject(missing());
    await create();
    for (const role of roles) {
      const answer = await api.call(patchTags, {
        params: { type: 'control', id: identifier },
        key: api.org.keys[role],
        body: { set_tags: { by: role } },
      });
      expect(answer.status).toBe(role === 'admin' ? 200 : 403);
      if (role === 'member') {
        expect(answer.body).toMatchObject({ message: 'Tagging a control requires the admin role; yours is member' });
      }
    }
    expect((await read()).tags).toEqual({ by: 'admin' });
    const foreign = { params: { type: 'control', id: identifier }, key: others.keys.admin, body: { set_tags: {} } };
    expect(await api.call(patchTags, foreign)).toMatchObject(FOREIGN);
  });

  it('are recorded once when identical requests race', async () => {
    await create();
    const answers = await Promise.all(RACERS.map(() => tag({ team: 'red' })));
    expect(answers.map((answer) => answer.status)).toEqual(Array(16).fill(200));
    expect(await entryTypes()).toEqual(['control.created', 'control.tagged']);
  });
});

describe('who may', () => {
  const writes = [
    ['create', () => ({ contract: createControl, body: { identifier: `${identifier}-new`, name: 'n' } })],
    ['update', () => ({ contract: updateControl, body: { name: 'n' } })],
    ['archive', () => ({ contract: archiveControl })],
    ['unarchive', () => ({ contract: unarchiveControl })],
  ] as const;

  it.each(writes)('%s: an admin alone, and nobody of another org', async (_, request) => {
    await create();
    const { contract, ...rest } = request();
    const params = { identifier };
    const before = (await api.journal()).length;
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      expect(await api.call(contract, { params, key: api.org.keys[role], ...rest })).toMatchObject({
        status: 403,
        body: { message: `This requires the admin role; yours is ${role}` },
      });
    }
    expect(await api.call(contract, { params, key: others.keys.admin, ...rest })).toMatchObject(FOREIGN);
    expect(await api.journal()).toHaveLength(before);
    expect((await api.call(contract, { params, ...rest })).status).toBeLessThan(300);
  });

  it('read: everybody in the org, and in another org only what is theirs', async () => {
    await create();
    for (const role of roles) {
      const answer = await api.call(getControl, { params: { identifier }, key: api.org.keys[role] });
      expect(answer.status).toBe(200);
    }
    expect(await api.call(getControl, { params: { identifier }, key: others.keys.admin })).toMatchObject(FOREIGN);
    const inTheirs = { params: { org: others.name, identifier }, key: others.keys.admin };
    expect(await api.call(getControl, inTheirs)).toMatchObject(missing());
  });
});
