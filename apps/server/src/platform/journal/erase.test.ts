import { putFlow } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { noLog, startApi } from '../../../test/harness.ts';
import { systemCtx } from '../ctx.ts';
import { digestOf } from './entry.ts';
import { eraseEntry, lockEntryNear } from './erase.ts';

const api = await startApi();
const ctx = systemCtx(api.db, api.org.id, 'operator', noLog);

const newest = () =>
  api.db
    .selectFrom('journal')
    .selectAll()
    .where('org_id', '=', api.org.id)
    .where('type', '=', 'flow.created')
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

it('searches the months around the time in the id, not the whole journal', async () => {
  await sql`select ensure_journal_months('2020-01-01', 24)`.execute(api.db);
  const { id } = await newest();
  const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${lockEntryNear(api.org.id, id)}`.execute(api.db);
  const scanned = rows.flatMap((row) => / on (journal_\w+)/.exec(row['QUERY PLAN'])?.[1] ?? []);
  expect(new Set(scanned).size).toBeLessThanOrEqual(3);
  expect(scanned.some((name) => name.startsWith('journal_20'))).toBe(true);
  expect(scanned.some((name) => name.startsWith('journal_2020'))).toBe(false);
});
