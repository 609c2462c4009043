import { putFlow } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { noLog, startApi } from '../../../test/harness.ts';
import { systemCtx } from '../ctx.ts';
import { digestOf } from './entry.ts';
import { eraseEntry, lockEntryNear } from './erase.ts';
import { LEAF_HASH } from './leaf.ts';
import { sequenceAll } from './pass.ts';

const api = await startApi();
const ctx = systemCtx(api.db, api.org.id, 'operator', noLog);

const newest = () =>
  api.db
    .selectFrom('journal')
    .selectAll()
    .where('org_id', '=', api.org.id)
    .where('type', '=', 'flow.created')
    .orderBy('seq', 'desc')
    .executeTakeFirstOrThrow();

it('forgets the content, keeps the digest and records that it did', async () => {
  await api.call(putFlow, { body: { name: 'personal', description: 'Jane Doe' } });
  const before = await newest();
  expect(digestOf(before.payload ?? '', before.nonce ?? Buffer.alloc(0))).toEqual(before.payload_digest);

  await eraseEntry(ctx, before.id, 'asked for by the person');

  const after = await newest();
  expect(after).toMatchObject({ payload: null, nonce: null, payload_digest: before.payload_digest, seq: before.seq });
  expect((await api.journal()).at(-1)).toEqual({
    type: 'journal.erased',
    subject_seq: 1,
    actor: 'operator',
    payload: { entry_id: before.id, type: 'flow.created', reason: 'asked for by the person' },
  });
  await expect(eraseEntry(ctx, before.id, 'again')).rejects.toThrow('already been erased');
});

it('does not reach into another org', async () => {
  const other = await api.givenOrg('other');
  const entry = await newest();
  await expect(eraseEntry({ ...ctx, org: other.id }, entry.id, 'no')).rejects.toThrow('does not exist in this org');
});

it('searches the numbers of the time in the id, not the whole journal', async () => {
  const { id } = await newest();
  // Later ranges exist, and the sequencer has passed the time of the entry by more than a day.
  await sql`insert into journal_tick (at, seq) values (now() + interval '2 days', 1000)`.execute(api.db);
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain (analyze, costs off, timing off, summary off) ${lockEntryNear(api.org.id, id)}`.execute(api.owner);
  const plan = rows.map((row) => row['QUERY PLAN']);
  const scanned = plan.filter((line) => / on journal_(\d|default)/.test(line) && !line.includes('never executed'));
  expect(scanned).toEqual([expect.stringMatching(/ on journal_0 /)]);
});

it('keeps the leaf of an entry in the ledger', async () => {
  await api.call(putFlow, { body: { name: 'another' } });
  const { id } = await newest();
  await sequenceAll(api.db);
  const leaf = async () => {
    const { rows } = await sql<{ stored: string; computed: string }>`
      select encode(leaf_hash, 'hex') as stored, encode(${sql.raw(LEAF_HASH)}, 'hex') as computed from journal
      join ledger on ledger.org_id = journal.org_id and ledger.entry_seq = journal.seq
      where journal.org_id = ${api.org.id} and journal.id = ${id}`.execute(api.db);
    return rows[0];
  };
  const before = await leaf();
  expect(before?.computed).toBe(before?.stored);
  await eraseEntry(ctx, id, 'asked for by the person');
  expect(await leaf()).toEqual(before);
});
