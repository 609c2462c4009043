import { sql } from 'kysely';
import { z } from 'zod';
import { type Ctx, inTransaction } from '../ctx.ts';
import { invalid, notFound } from '../errors.ts';
import { parse } from '../http/validation.ts';
import { defineEntry } from './entry.ts';
import { emit } from './journal.ts';

export const entryErased = defineEntry({
  type: 'journal.erased',
  version: 1,
  summary: 'The content of an earlier entry was erased; its digest stays, so proofs over it stay valid',
  payload: z.strictObject({ entry_id: z.string(), type: z.string(), reason: z.string() }),
});

/** Forgets what an entry said, not that it was: payload and nonce go, and the erasure is an entry itself. */
export async function eraseEntry(ctx: Ctx, id: string, reason: string): Promise<void> {
  const entryId = parse(z.uuid(), id, 'entry id');
  await inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ type: string; erased: boolean }>`
      select type, payload is null as erased from journal
      where org_id = ${ctx.org} and id = ${entryId} for update`.execute(ctx.db);
    const entry = rows[0];
    if (!entry) throw notFound('Journal entry', entryId);
    if (entry.erased) throw invalid(`Journal entry '${entryId}' is erased already`);
    await sql`
      update journal set payload = null, nonce = null where org_id = ${ctx.org} and id = ${entryId}`.execute(ctx.db);
    // An entry is erased once, so the erasure is the first and only thing that happens to this subject.
    await emit(
      ctx,
      entryErased,
      { kind: 'journal_entry', id: entryId, seq: 1 },
      { entry_id: entryId, type: entry.type, reason },
    );
  });
}
