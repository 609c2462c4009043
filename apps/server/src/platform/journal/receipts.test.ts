import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { attest, givenFlow } from '../../../test/given/evidence.ts';
import { noLog, startApi } from '../../../test/harness.ts';
import { recordLife } from './life.ts';
import { sequenceAll } from './pass.ts';

const api = await startApi();
await givenFlow(api, 'web', 'version: 1');

const report = () => attest(api, 'web', 'build-1', { attestation_name: 'tests', is_compliant: true });

async function newestReceipt(): Promise<number> {
  const { rows } = await sql<{ newest: number }>`
    select max(receipt) as newest from attestation where org_id = ${api.org.id}`.execute(api.db);
  return rows[0]?.newest ?? 0;
}

const setReceipt = (value: number) => sql`select setval('receipt', ${value})`.execute(api.owner);

/** The database is found in another cluster: logical replication, for example, copies rows and no sequences. */
async function moveCluster(): Promise<void> {
  await api.db.updateTable('sequencer').set({ system_identifier: 'another' }).execute();
  await recordLife(api.db, noLog);
}

beforeEach(async () => {
  await report();
  await sequenceAll(api.db);
});

it('draws receipts above those of sequenced evidence in another cluster', async () => {
  const before = await newestReceipt();
  await setReceipt(1);
  await moveCluster();
  await report();
  expect(await newestReceipt()).toBeGreaterThan(before);
});

it('draws receipts above those of evidence that was not sequenced yet', async () => {
  await setReceipt(5_000_000);
  await report();
  const before = await newestReceipt();
  expect(before).toBeGreaterThan(5_000_000);
  await setReceipt(1);
  await moveCluster();
  await report();
  expect(await newestReceipt()).toBeGreaterThan(before);
});

it('never draws receipts below those that were drawn', async () => {
  await setReceipt(7_000_000);
  await moveCluster();
  await sql`select raise_receipt(3)`.execute(api.owner);
  await report();
  expect(await newestReceipt()).toBeGreaterThan(7_000_000);
});

it('lets no server choose how far receipts are', async () => {
  await expect(sql`select raise_receipt(1000000000000)`.execute(api.db)).rejects.toThrow('permission denied');
  expect(await newestReceipt()).toBeLessThan(1_000_000_000);
});

it('lets no server mark an entry as one that processors pass by', async () => {
  const marked = sql`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, actor_digest, payload_digest, is_imported)
    values (${api.org.id}, gen_random_uuid(), now(), 'test.hidden', 1, 'system', 'x', 'test', gen_random_uuid(), 1,
      sha256(''), sha256(''), true)`;
  await expect(marked.execute(api.db)).rejects.toThrow('permission denied');
  const changed = sql`update journal set is_imported = true where org_id = ${api.org.id}`;
  await expect(changed.execute(api.db)).rejects.toThrow('permission denied');
});
