import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { type Ctx, inTransaction } from '../ctx.ts';
import type { Xid } from '../db/tables.ts';
import { invalid, notFound } from '../errors.ts';
import { parse } from '../http/validation.ts';
import { defineEntry } from './entry.ts';
import { emit } from './journal.ts';

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
      update journal set payload = null, nonce = null
      where org_id = ${ctx.org} and xid = ${entry.xid}::xid8 and seq = ${entry.seq}
        and recorded_at = ${entry.recorded_at}`.execute(ctx.db);
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
  readonly xid: Xid;
  readonly seq: number;
  readonly recorded_at: Date;
  readonly type: string;
  readonly erased: boolean;
}

const DAY_MS = 24 * 60 * 60_000;

/**
 * No index leads to an entry by its id: every write would pay for a rare operation. The id holds the time it was made,
 * within a day of the time it was recorded, so only one or two months of the journal need to be searched.
 */
export function lockEntryNear(org: string, id: string) {
  const madeAt = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  return lockEntry(org, id, sql`recorded_at between ${new Date(madeAt - DAY_MS)} and ${new Date(madeAt + DAY_MS)}`);
}

function lockEntry(org: string, id: string, when: RawBuilder<unknown>) {
  return sql<Locked>`
    select xid, seq, recorded_at, type, payload is null as erased from journal
    where org_id = ${org} and id = ${id} and ${when}
    for update`;
}
