import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { type Ctx, inTransaction } from '../ctx.ts';
import { invalid, notFound } from '../errors.ts';
import { parse } from '../http/validation.ts';
import { defineEntry } from './entry.ts';
import { emit } from './journal.ts';
import { numbersSince, numbersUntil } from './journal-range.ts';
import { actorDigestOf } from './leaf.ts';

export const entryErased = defineEntry({
  type: 'journal.erased',
  version: 1,
  summary: 'The content of an earlier entry was erased; its digest is kept, so proofs over it stay valid',
  payload: z.strictObject({ entry_id: z.string(), type: z.string(), reason: z.string() }),
});

/** Erases the content of an entry, not the entry: payload and nonce go, and the erasure is recorded as an entry. */
export async function eraseEntry(ctx: Ctx, id: string, reason: string): Promise<void> {
  const entryId = parse(z.uuid(), id, 'entry id');
  await inTransaction(ctx, async (ctx) => {
    const near = await lockEntryNear(ctx.org, entryId).execute(ctx.db);
    // An entry recorded with a time in the past, as by an import, is not near its id.
    const entry = near.rows[0] ?? (await lockEntry(ctx.org, entryId, sql`true`).execute(ctx.db)).rows[0];
    if (!entry) throw notFound('Journal entry', entryId);
    if (entry.erased) throw invalid(`Journal entry '${entryId}' has already been erased`);
    await sql`
      update journal set payload = null, nonce = null, actor_digest = ${actorDigestOf(entry)}
      where org_id = ${ctx.org} and seq = ${entry.seq}`.execute(ctx.db);
    // An entry is erased once, so the erasure is the first and only event of this subject.
    await emit(
      ctx,
      entryErased,
      { kind: 'journal_entry', id: entryId, seq: 1 },
      { entry_id: entryId, type: entry.type, reason },
    );
  });
}

interface Locked {
  readonly seq: number;
  readonly type: string;
  readonly actor_name: string;
  readonly actor_digest: Buffer | null;
  readonly nonce: Buffer | null;
  readonly erased: boolean;
}

/**
 * No index leads to an entry by its id: every write would pay for a rare operation. The id holds the time it was made,
 * so only the numbers of that time need to be searched.
 */
export function lockEntryNear(org: string, id: string) {
  const madeAt = new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
  return lockEntry(org, id, sql`${numbersSince(madeAt)} and ${numbersUntil(madeAt)}`);
}

function lockEntry(org: string, id: string, when: RawBuilder<unknown>) {
  return sql<Locked>`
    select seq, type, actor_name, actor_digest, nonce, payload is null as erased from journal
    where org_id = ${org} and id = ${id} and ${when}
    for update`;
}
