import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { attest } from '../../../test/given/evidence.ts';
import { givenSealedLedger } from '../../../test/given/sealed.ts';
import { startApi } from '../../../test/harness.ts';
import { commandsOn } from '../../../test/run-command.ts';
import { directoryObjects } from '../../platform/blobs/directory-objects.ts';

const api = await startApi();
const ledger = await givenSealedLedger(api.db, { objects: directoryObjects({ root: api.blobRoot }) });
await attest(api, 'shop', 'release', { attestation_name: 'tests', is_compliant: false });
await ledger.seal();

const run = commandsOn(api.url, 'http://waymark.test', { WAYMARK_BLOB_DIR: api.blobRoot });

const pass = (isCompliant: boolean) =>
  sql`update attestation set is_compliant = ${isCompliant} where org_id = ${api.org.id}`.execute(api.owner);

it('prints one line for each difference, and exits with 3', async () => {
  const { rows } = await sql<{ note: string }>`select note from region_checkpoint`.execute(api.db);
  const stored = join(api.blobRoot, 'kept.txt');
  await writeFile(stored, rows[0]?.note ?? '');
  const whole = await run('ledger', 'check', '--checkpoint', stored);
  expect(whole).toMatchObject({ code: 0, err: '' });
  expect(whole.out).toMatch(/^\d+ entries of \d+ orgs checked, 0 differences$/);
  await pass(true);
  const changed = await run('ledger', 'check', '--org', 'acme');
  expect(changed.code).toBe(3);
  expect(changed.out.split('\n')).toEqual([
    expect.stringMatching(
      /^org 'acme': attestation [0-9a-f-]{36} is_compliant is true, but entry (\d+) \(attestation\.recorded\) records false; entry \1 is in checkpoint 1 of epoch 1$/,
    ),
    expect.stringMatching(/^\d+ entries of 1 org checked, 1 difference$/),
  ]);
  expect((await run('ledger', 'check', '--org', 'acme', '--since', '2020-01-01')).code).toBe(3);
  await pass(false);
  expect(await run('ledger', 'check', '--restart')).toMatchObject({ code: 0 });
});

it('refuses a time and a checkpoint that cannot be read, and an org that does not exist', async () => {
  expect(await run('ledger', 'check', '--since', 'yesterday')).toMatchObject({
    code: 1,
    err: '--since must be a time, such as 2026-11-01 or 2026-11-01T12:00:00Z',
  });
  expect(await run('ledger', 'check', '--org', 'nobody')).toMatchObject({ code: 1, err: "There is no org 'nobody'" });
  const path = join(api.blobRoot, 'none.txt');
  await writeFile(path, 'no checkpoint');
  const { code, err } = await run('ledger', 'check', '--checkpoint', path);
  expect({ code, err: err.slice(0, path.length + 1) }).toEqual({ code: 1, err: `${path}:` });
});
