import { ApiError, createClient } from '@waymark/client';
import { getFlow, listFlows, patchTags, putFlow, putFlowTemplate } from '@waymark/contract';
import { expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
const address = await api.app.http.listen({ host: '127.0.0.1', port: 0 });
const client = createClient({ baseUrl: `${address}/api/v2`, apiKey: api.org.keys.admin });
const params = { org: 'acme' };

it('calls operations over the wire with their types', async () => {
  expect(await client.call(putFlow, { params, body: { name: 'web' } })).toBe("Flow 'web' created");
  const content = new Blob(['version: 1\n']);
  await client.call(putFlowTemplate, { params, body: { name: 'web' }, file: { name: 't.yml', content } });
  await client.call(patchTags, { params: { ...params, type: 'flow', id: 'web' }, body: { set_tags: { team: 'a b' } } });
  const flow = await client.call(getFlow, { params: { ...params, flow_name: 'web' } });
  expect(flow.tags).toEqual({ team: 'a b' });
  expect(await client.call(listFlows, { params, query: { tag: ['team:a b'] } })).toHaveLength(1);
});

it("throws the server's error, with the request id", async () => {
  const failure = await client.call(putFlow, { params, body: { name: '' } }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({
    status: 400,
    fields: { name: expect.stringContaining('must start with a letter') },
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});
