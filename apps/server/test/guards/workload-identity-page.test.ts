import type { AddressInfo } from 'node:net';
import { putFlow } from '@waymark/contract';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ensureServiceAccount } from '../../src/features/service-accounts/service-account.service.ts';
import { systemCtx } from '../../src/platform/ctx.ts';
import { noLog, startApi } from '../harness.ts';
import { startCiIssuer } from '../oidc/ci-issuer.ts';
import { readBlocks } from './pages/page-blocks.ts';
import { complaintsAbout, readCommands } from './pages/shell.ts';

const api = await startApi();
const issuer = await startCiIssuer({ now: () => api.clock.now, audience: 'http://waymark.test/acme' });
afterAll(() => issuer.close());

it('the page on workload identity works as written', async () => {
  await ensureServiceAccount(systemCtx(api.db, api.org.id, 'tests', noLog), { name: 'builder', privilege: 'member' });
  await api.call(putFlow, { body: { name: 'web' } });
  await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.app.http.server.address() as AddressInfo;
  const [setting, ...commands] = await readCommands('workload-identity.md');
  expect(setting?.text).toContain('export AUDIENCE=');
  expect(commands).toHaveLength(4);

  const env = {
    WAYMARK: `http://127.0.0.1:${port}/api/v2`,
    WAYMARK_KEY: api.org.keys.admin,
    ISSUER: issuer.url,
    AUDIENCE: 'http://waymark.test/acme',
    ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/request?api-version=2`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-this-job',
  };
  expect(await complaintsAbout(commands, env)).toEqual([]);
});

it('the workflow of the page does what is run here', async () => {
  const [github] = (await readBlocks('workload-identity.md')).filter(({ kind }) => kind === 'yaml');
  const commands = await readCommands('workload-identity.md');
  const workflow = parse(github?.text ?? '') as { jobs: { report: { steps: { run: string }[] } } };
  expect(workflow.jobs.report.steps[0]?.run).toBe(commands[3]?.text);
});
