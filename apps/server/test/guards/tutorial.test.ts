import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { startApi } from '../harness.ts';
import { fits } from './pages/page-blocks.ts';
import { complaintsAbout, readCommands } from './pages/shell.ts';

it('the tutorial works as written, from an empty org', async () => {
  const api = await startApi();
  await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.app.http.server.address() as AddressInfo;
  const [setting, ...commands] = await readCommands('tutorial.md');
  expect(setting?.text).toContain('export WAYMARK_KEY=');
  expect(commands.length).toBeGreaterThan(10);

  const env = { WAYMARK: `http://127.0.0.1:${port}/api/v2`, WAYMARK_KEY: api.org.keys.admin };
  expect(await complaintsAbout(commands, env)).toEqual([]);
});

it('another output is noticed', () => {
  expect(fits('a\n… c\n', 'a\nb c\n\n')).toBe(true);
  expect(fits('a\n… c\n', 'a\nb d\n')).toBe(false);
  expect(fits('true\n', 'true false')).toBe(false);
});
