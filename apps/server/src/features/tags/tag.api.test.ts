import { getFlow, patchTags, putFlow } from '@waymark/contract';
import { beforeEach, expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
let name = '';
let count = 0;
beforeEach(async () => {
  name = `flow-${++count}`;
  await api.call(putFlow, { body: { name } });
});

const patch = (set_tags: Record<string, string> | null, remove_tags: string[] | null = null, type = 'flow') =>
  api.call(patchTags, { params: { type, id: name }, body: { set_tags, remove_tags } });
const tagsOf = async () => ((await api.call(getFlow, { params: { flow_name: name } })).body as { tags: unknown }).tags;
const changes = async () =>
  (await api.journal())
    .filter((entry) => entry.type === 'flow.tagged' && (entry.payload as { name: string }).name === name)
    .map((entry) => entry.payload);

it('sets, changes and removes tags, and records only real changes', async () => {
  expect((await patch({ team: 'blue', risk: 'high' })).status).toBe(200);
  expect((await patch({ team: 'red', risk: 'high' }, ['absent'], 'flows')).status).toBe(200);
  expect((await patch({ team: 'red' }, [])).status).toBe(200);
  expect((await patch(null, ['risk', 'risk'])).status).toBe(200);
  expect(await tagsOf()).toEqual({ team: 'red' });
  expect(await changes()).toEqual([
    { name, set: { team: 'blue', risk: 'high' }, removed: [] },
    { name, set: { team: 'red' }, removed: [] },
    { name, set: {}, removed: ['risk'] },
  ]);
});

it('takes a tag away by key=value too, as clients send it', async () => {
  await patch({ tier: '1', team: 'a' });
  expect((await patch(null, ['tier=1', 'team=whatever'])).status).toBe(200);
  expect(await tagsOf()).toEqual({});
});

it('records a change once when identical requests race, and every change when different ones do', async () => {
  const same = await Promise.all(Array.from({ length: 16 }, () => patch({ team: 'blue' })));
  expect(same.every((answer) => answer.status === 200)).toBe(true);
  expect(await changes()).toHaveLength(1);
  const different = await Promise.all(Array.from({ length: 16 }, (_, i) => patch({ [`key-${i}`]: 'x' })));
  expect(different.every((answer) => answer.status === 200)).toBe(true);
  expect(await changes()).toHaveLength(17);
  expect(Object.keys((await tagsOf()) as object)).toHaveLength(17);
});

it('refuses what it cannot do, and names the field', async () => {
  expect(await patch({ a: '1' }, ['a'])).toMatchObject({
    status: 400,
    body: { errors: { remove_tags: "names 'a', which is also in set_tags" } },
  });
  expect(await patch({ '-bad': 'x' })).toMatchObject({
    status: 400,
    body: { errors: { 'set_tags.-bad': expect.stringMatching(/^is no valid name/) } },
  });
  expect(await patch({ a: 'x' }, null, 'planet')).toMatchObject({
    status: 400,
    body: { errors: { type: 'must be one of flow, flows' } },
  });
  const missing = await api.call(patchTags, { params: { type: 'flow', id: 'nobody' }, body: { set_tags: { a: 'b' } } });
  expect(missing).toMatchObject({ status: 404, body: { message: "Flow 'nobody' does not exist in this org" } });
});
