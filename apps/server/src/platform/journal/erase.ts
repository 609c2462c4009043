import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { type Ctx, inTransaction } from '../ctx.ts';
import { invalid, notFound } from '../errors.ts';
import { parse } from '../http/validation.ts';
import { defineEntry } from './entry.ts';
import { emit } from './journal.ts';
import { numbersSince, numbersUntil } from './journal-range.ts';
import { actorDigest } from './leaf.ts';

export const entryErased = defineEntry({
  type: 'journal.erased',
  version: 1,
  summary: 'The content of an earlier entry was erased; its digest is kept, so proofs over it stay valid',
  payload: z.strictObject({ entry_id: z.string(), type: z.string(), reason: z.string() }),
});

/** An entry that is about to be erased, locked. */
export interface ErasableEntry {
  readonly id: string;
  readonly seq: number;
  readonly type: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly recorded_at: Date;
  readonly actor_name: string;
  readonly payload: string | null;
  /** Null once the entry is erased. */
  readonly nonce: Buffer | null;
}

/**
 * Erases the content of an entry, not the entry: payload and nonce go, and the erasure is recorded as an entry.
 * `requireAllowed` throws if this entry has to be kept.
 */
export async function eraseEntry(
  ctx: Ctx,
  id: string,
  reason: string,
  requireAllowed: (ctx: Ctx, entry: ErasableEntry) => Promise<void> = async () => undefined,
): Promise<void> {
  const entryId = parse(z.uuid(), id, 'entry id');
  await inTransaction(ctx, async (ctx) => {
    const near = await lockEntryNear(ctx.org, entryId).execute(ctx.db);
    // An entry recorded with a time in the past, as by an import, is not near its id.
    const entry = near.rows[0] ?? (await lockEntry(ctx.org, entryId, sql`true`).execute(ctx.db)).rows[0];
    if (!entry) throw notFound('Journal entry', entryId);
    if (!entry.nonce) throw invalid(`Journal entry '${entryId}' has already been erased`);
    await requireAllowed(ctx, entry);
    await updateToErased(ctx, entry, entry.nonce);
    // An entry is erased once, so the erasure is the first and only event of this subject.
    await emit(
      ctx,
      entryErased,
      { kind: 'journal_entry', id: entryId, seq: 1 },
      { entry_id: entryId, type: entry.type, reason },
    );
  });
}

/**
 * Erases the content of the entries of some types about a subject, whose first one was recorded at a time. Records
 * nothing itself. Returns all of them as they were, including those that had been erased before.
 */
export async function eraseEntriesOf(
  ctx: Ctx,
  subject: { readonly id: string; readonly recordedAt: Date; readonly types: readonly string[] },
): Promise<ErasableEntry[]> {
  const entries = await lockEntriesOf(ctx, subject);
  for (const entry of entries) if (entry.nonce) await updateToErased(ctx, entry, entry.nonce);
  return entries;
}

async function updateToErased(ctx: Ctx, { seq, actor_name }: ErasableEntry, nonce: Buffer): Promise<void> {
  await sql`
    update journal set payload = null, nonce = null, actor_digest = ${actorDigest(nonce, actor_name)}
    where org_id = ${ctx.org} and seq = ${seq}`.execute(ctx.db);
}

const ERASABLE = sql`id, seq, type, subject_kind, subject_id, recorded_at, actor_name, payload, nonce`;

/** The ledger leads to the entries of a subject, and the sequencer is seconds behind: newer ones are looked for. */
async function lockEntriesOf(
  ctx: Ctx,
  { id, recordedAt, types }: Parameters<typeof eraseEntriesOf>[1],
): Promise<ErasableEntry[]> {
  const { rows: sequenced } = await sql<{ entry_seq: number }>`
    select entry_seq from ledger where org_id = ${ctx.org} and subject_id = ${id}`.execute(ctx.db);
  const isOne =
    sequenced.length > 0
      ? sql`seq = any(${sequenced.map(({ entry_seq }) => entry_seq)}::bigint[])`
      : sql`subject_id = ${id} and ${numbersSince(recordedAt)}`;
  const { rows } = await sql<ErasableEntry>`
    select ${ERASABLE} from journal
    where org_id = ${ctx.org} and ${isOne} and type = any(${types})
    order by seq for update`.execute(ctx.db);
  return rows;
}

/**
 * No index leads to an entry by its id: every write would pay for a rare operation. The id holds the time it was made,
 * so only the numbers of that time need to be searched.
 */
export function lockEntryNear(org: string, id: string) {
  const madeAt = new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
  return lockEntry(org, id, sql`${numbersSince(madeAt)} and ${numbersUntil(org, madeAt)}`);
}

function lockEntry(org: string, id: string, when: RawBuilder<unknown>) {
  return sql<ErasableEntry>`
    select ${ERASABLE} from journal
    where org_id = ${org} and id = ${id} and ${when}
    for update`;
}
