import { createClient } from '@waymark/client';
import { beginTrail, getRepo, listLiveArtifacts } from '@waymark/contract';
import { expect, it } from 'vitest';
import { givenFlow } from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
await givenFlow(api, 'web');
const address = await api.app.http.listen({ host: '127.0.0.1', port: 0 });
const client = createClient({ baseUrl: `${address}/api/v2`, apiKey: api.org.keys.member });

it.each(['acme/web', 'acme/../web', 'a b/c?d#e%2F', 'grüße/日本', 'live-artifacts'])(
  'a client reads the repository %s by its name',
  async (name) => {
    const params = { org: 'acme' };
    await client.call(beginTrail, {
      params: { ...params, flow_name: 'web' },
      body: { name: `of-${crypto.randomUUID()}`, repo_info: { name } },
    });
    expect((await client.call(getRepo, { params: { ...params, repo_name: name } })).name).toBe(name);
    expect(await client.call(listLiveArtifacts, { params: { ...params, repo_name: name } })).toEqual([]);
  },
);
