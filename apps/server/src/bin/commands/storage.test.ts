import { attestGeneric, getStorage } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';
import { commandsOn } from '../../../test/run-command.ts';
import { countStorage } from '../../features/org-settings/storage-quotas/storage-quota.processor.ts';
import { sequenceAll } from '../../platform/journal/pass.ts';

const api = await startApi();

const run = commandsOn(api.url, 'http://waymark.test', { WAYMARK_STORAGE_QUOTA_ROWS: '500' });
const storage = async () => (await api.call(getStorage)).body;
const attest = async () => {
  const params = { flow_name: 'shop', trail_name: 't' };
  return (await api.call(attestGeneric, { params, body: { attestation_name: 'x', is_compliant: true } })).status;
};

it('sets the quota of an org and goes back to the default', async () => {
  expect(await attest()).toBe(201);
  expect(await run('storage', 'quota', '--org', 'acme', '--bytes', '0', '--rows', '10')).toEqual({
    code: 0,
    out: "Org 'acme': 0 of 0 bytes, 0 of 10 rows",
    err: '',
  });
  expect(await attest()).toBe(413);
  await run('storage', 'quota', '--org', 'acme', '--bytes', '20GiB', '--rows', '10');
  expect(await attest()).toBe(201);
  expect(await storage()).toMatchObject({ bytes: { quota: 20 * 2 ** 30 }, rows: { quota: 10 } });
  expect((await run('storage', 'quota', '--org', 'acme', '--bytes', 'default', '--rows', 'default')).out).toBe(
    "Org 'acme': 0 bytes, 0 of 500 rows",
  );
  expect(await storage()).toMatchObject({ bytes: { quota: null }, rows: { quota: null } });
});

it('recounts, and lists the orgs that store the most', async () => {
  // As if a worker had counted everything, and then the counts had been lost.
  await sequenceAll(api.db);
  await sql`
    insert into processor_position (processor, lane, position)
    select ${countStorage.name}, lane, position from lane_head`.execute(api.db);
  const { code, out } = await run('storage', 'recount', '--org', 'acme');
  expect(code).toBe(0);
  // Two attestations and the trail.
  expect(out).toMatch(/^Org 'acme': \d+ bytes, 3 of 500 rows$/);
  expect((await run('storage', 'list')).out).toBe(out.replace("Org 'acme'", 'acme'));
});

it('says in one line what is wrong', async () => {
  const quota = (...args: string[]) => run('storage', 'quota', ...args);
  expect(await quota('--org', 'nowhere', '--bytes', '1', '--rows', '1')).toMatchObject({
    code: 1,
    err: "There is no org 'nowhere'",
  });
  expect((await quota('--org', 'acme', '--bytes', '5GB', '--rows', '1')).err).toBe(
    "--bytes must be a number of bytes, a size such as 500MiB, 20GiB, or 1TiB, or 'default'",
  );
  expect((await quota('--org', 'acme', '--bytes', '1', '--rows', '-1')).err).toContain('rows');
});
