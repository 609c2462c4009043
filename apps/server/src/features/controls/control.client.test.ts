import { createClient } from '@waymark/client';
import { createControl, getControl } from '@waymark/contract';
import { expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
const address = await api.app.http.listen({ host: '127.0.0.1', port: 0 });
const client = createClient({ baseUrl: `${address}/api/v2`, apiKey: api.org.keys.admin });

it('a client asks for what is beta by calling it', async () => {
  const identifier = '~SDLC-7.a_b';
  await client.call(createControl, { params: { org: 'acme' }, body: { identifier, name: 'Reviewed' } });
  expect((await client.call(getControl, { params: { org: 'acme', identifier } })).name).toBe('Reviewed');
});
