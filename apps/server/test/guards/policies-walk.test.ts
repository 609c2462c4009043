import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { givenVerdictWorker } from '../given/worker.ts';
import { startApi } from '../harness.ts';
import { complaintsAbout, readCommands } from './pages/shell.ts';

const api = await startApi();

it('the walk through policies works as written, from an empty org', { timeout: 600_000 }, async () => {
  await givenVerdictWorker(api);
  await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.app.http.server.address() as AddressInfo;
  const [setting, ...commands] = await readCommands('policies.md');
  expect(setting?.text).toContain('export WAYMARK_KEY=');
  expect(commands.length).toBeGreaterThan(10);

  const env = { WAYMARK: `http://127.0.0.1:${port}/api/v2`, WAYMARK_KEY: api.org.keys.admin };
  expect(await complaintsAbout(commands, env)).toEqual([]);
});
