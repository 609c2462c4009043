import { archiveFlow, type Flow, getFlow, listFlows, patchTags } from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { TEXTS } from '../../test/given/declared.ts';
import { sendForm } from '../../test/given/evidence.ts';
import { type Answer, startApi } from '../../test/harness.ts';

const api = await startApi();
let name = '';
let count = 0;
beforeEach(() => {
  name = `flow-${++count}`;
});

const put = (data: object, template?: string) =>
  sendForm(
    api,
    'PUT',
    '/flows/acme/template_file',
    { data_json: { name, visibility: 'private', ...data } },
    template === undefined ? undefined : { part: 'template_file', name: 'template.yml', content: template },
  );
const get = () => api.call(getFlow, { params: { flow_name: name } }) as Promise<Answer<Flow>>;
const read = async () => (await get()).body;

const TEMPLATES = [
  'version: 1\n',
  'version: 1',
  '# first\r\nversion: 1\r\ntrail:\r\n  attestations:\r\n    - name: zeta\r\n      type: generic\r\n',
  'version: 1\n\n\ntrail:\n  attestations:\n    - name: b # ünï 漢字 🚀\n      type: "*"\n    - name: a\n      type: junit\n\n\n',
];

describe('a flow as a declared resource', () => {
  it('is read back by its name alone as it was created, and is listed the same', async () => {
    expect((await put({ description: 'the shop' }, TEMPLATES[0])).status).toBe(201);
    const { status, body } = await get();
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { name, description: 'the shop', visibility: 'private', template: TEMPLATES[0], tags: {} },
    });
    const listed = (await api.call(listFlows)).body as Flow[];
    expect(listed.find((flow) => flow.name === name)).toEqual(body);
  });

  it.each(TEMPLATES)('keeps a template byte for byte: %j', async (template) => {
    await put({ description: '' }, template);
    expect((await read()).template).toBe(template);
    await put({ description: '' }, 'version: 1\n# other\n');
    await put({ description: '' }, template);
    expect((await read()).template).toBe(template);
  });

  it.each(TEXTS)('keeps a description byte for byte: %j', async (description) => {
    await put({ description }, TEMPLATES[0]);
    expect((await read()).description).toBe(description);
  });

  it('clears a description with an empty one, and keeps it when it is absent or null', async () => {
    await put({ description: 'given' }, TEMPLATES[0]);
    await put({}, TEMPLATES[0]);
    await put({ description: null }, TEMPLATES[0]);
    expect((await read()).description).toBe('given');
    await put({ description: '' }, TEMPLATES[0]);
    expect((await read()).description).toBe('');
  });

  it('is the same after an apply that changes nothing', async () => {
    await put({ description: 'x' }, TEMPLATES[3]);
    const before = await read();
    expect((await put({ description: 'x' }, TEMPLATES[3])).status).toBe(200);
    expect(await read()).toEqual(before);
  });

  it('has tags that are read back', async () => {
    await put({ description: '' }, TEMPLATES[0]);
    const tag = (body: object) => api.call(patchTags, { params: { type: 'flow', id: name }, body: body as never });
    await tag({ set_tags: { zone: 'b', area: 'ünï' }, remove_tags: [] });
    expect((await read()).tags).toEqual({ zone: 'b', area: 'ünï' });
    await tag({ set_tags: { area: '' }, remove_tags: ['zone'] });
    expect((await read()).tags).toEqual({ area: '' });
  });

  it('is gone once it is destroyed, and can be created again', async () => {
    await put({ description: 'first' }, TEMPLATES[0]);
    const { id } = await read();
    expect((await api.call(archiveFlow, { params: { flow_name: name } })).status).toBe(200);
    expect((await get()).status).toBe(404);
    expect((await put({ description: '' }, TEMPLATES[1])).status).toBe(201);
    const again = await read();
    expect([again.template, again.id === id]).toEqual([TEMPLATES[1], false]);
  });
});
