import { attestGeneric, Storage } from '@waymark/contract';
import { expect, it } from 'vitest';
import { countStorage } from '../../../../server/src/features/org-settings/storage-quotas/storage-quota.processor.ts';
import { changeStorageQuota } from '../../../../server/src/features/org-settings/storage-quotas/storage-quota.service.ts';
import { systemCtx } from '../../../../server/src/platform/ctx.ts';
import { givenTurns } from '../../../../server/test/given/turns.ts';
import { noLog, startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const turns = await givenTurns(api, countStorage);
const setQuota = (rows: number | null) =>
  changeStorageQuota(systemCtx(api.db, api.org.id, 'tests', noLog), { bytes: null, rows });

it('shows the storage used and its quota', async () => {
  expect(await cli.run(['storage'])).toMatchObject({
    code: 0,
    stdout: 'acme\n  bytes  0 bytes\n  rows   0\n  quota  none\n',
  });
  const params = { flow_name: 'shop', trail_name: 't' };
  await api.call(attestGeneric, { params, body: { attestation_name: 'x', is_compliant: true } });
  await turns.untilDone();
  await setQuota(1_000);
  expect((await cli.run(['storage'])).stdout).toMatch(/rows +2 of 1,000\n +quota +ok\n$/);
  const { stdout } = await cli.run(['storage', '-o', 'json']);
  expect(Storage.parse(JSON.parse(stdout))).toMatchObject({ rows: { used: 2, quota: 1_000 }, level: 'ok' });
});

it('explains why evidence is refused, and spools none of it', async () => {
  await setQuota(2);
  expect((await cli.run(['storage'])).stdout).toContain('used up: no evidence is accepted');
  const attest = ['attest', 'generic', '--flow', 'shop', '--trail', 't', '--name', 'x', '--compliant'];
  const { code, stderr } = await cli.run(attest);
  expect(code).toBe(2);
  expect(stderr).toContain('The storage quota of this org is exhausted: 2 of 2 rows');
  expect(stderr).toContain("'waymark storage'");
  const spool = await cli.run(['spool', 'status', '-o', 'json']);
  expect(JSON.parse(spool.stdout)).toMatchObject({ waiting: [], refused: [] });
});
