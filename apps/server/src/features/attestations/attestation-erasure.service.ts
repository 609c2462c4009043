import canonicalize from 'canonicalize';
import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { eraseEntriesOf } from '../../platform/journal/erase.ts';
import { readStored } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import { forgetComponents } from '../readings/components.service.ts';
import { forgetReading } from '../readings/reading.service.ts';
import { attestationOverridden, attestationRecorded } from './attestation.entries.ts';
import type { AttestationRow } from './attestation.store.ts';

/** Who erased it, when, and why: all that its verdict says instead of what it was based on. */
export interface Tombstone {
  readonly at: Date;
  readonly by: string;
  readonly reason: string;
}

/** What erasing freed, and the entries that lost their content. */
export interface ErasedContent {
  readonly verdict: string;
  readonly entryIds: readonly string[];
  /** The number of the entry that recorded it, if it is in the journal. */
  readonly recordedAs: number | undefined;
  readonly freed: { readonly bytes: number; readonly rows: number };
}

interface StoredVerdict {
  readonly outcome?: string;
  readonly judged_by?: Readonly<Record<string, string>>;
}

/**
 * Erases what was sent in an attestation and everything that was read from it, wherever this database has a copy. The
 * row keeps its place, its verdict, and its times. The attached file is not removed here. In a transaction that has
 * locked the row.
 */
export async function eraseContent(ctx: Ctx, row: AttestationRow, tombstone: Tombstone): Promise<ErasedContent> {
  const verdict = erasedVerdict(row, tombstone);
  await ctx.db
    .updateTable('attestation')
    .set({
      content: null,
      verdict,
      workload: null,
      recorder: null,
      attachment_sha256: null,
      attachment_name: null,
      attachment_size: null,
    })
    .where('org_id', '=', ctx.org)
    .where('id', '=', row.id)
    .execute();
  const components = await forgetComponents(ctx, row.id);
  await forgetReading(ctx, row.id);
  const entries = await eraseEntriesOf(ctx, {
    id: row.id,
    recordedAt: row.created_at,
    types: [attestationRecorded.type, attestationOverridden.type],
  });
  const [recorded] = entries;
  await eraseReplies(ctx, row, readStored<{ evidence_id?: string }>(recorded?.payload ?? '{}')?.evidence_id, tombstone);
  const bytes = Buffer.byteLength(row.content ?? '') + Buffer.byteLength(row.verdict) - Buffer.byteLength(verdict);
  return {
    verdict,
    entryIds: entries.map(({ id }) => id),
    recordedAs: recorded?.seq,
    freed: { bytes, rows: components },
  };
}

/** The reasons quote the content, so they go with it. A damaged verdict loses its outcome as well. */
function erasedVerdict(row: AttestationRow, tombstone: Tombstone): string {
  const { outcome, judged_by: judgedBy = {} } = readStored<StoredVerdict>(row.verdict) ?? {};
  const instead = `Its content was erased ${onDayBy(tombstone)}`;
  const stored = {
    reasons: row.is_compliant || row.overrides_id !== null ? [] : [instead],
    ...(outcome && { outcome }),
    read: null,
    judged_by: judgedBy,
    ...(row.overrides_id !== null && { override_reason: instead }),
    erased: { at: epochSeconds(tombstone.at), by: tombstone.by, reason: tombstone.reason },
  };
  return canonicalize(stored) ?? '';
}

function onDayBy({ at, by }: Tombstone): string {
  return `on ${at.toISOString().slice(0, 10)} by ${by}`;
}

/**
 * The reply to the report quotes the reasons, and its repeats get the same reply. The digest of the request goes as
 * well: content that is short can be guessed from it.
 */
async function eraseReplies(
  ctx: Ctx,
  row: AttestationRow,
  evidenceId: string | undefined,
  tombstone: Tombstone,
): Promise<void> {
  const answer = `Attestation '${row.name}' was recorded. Its content was erased ${onDayBy(tombstone)}`;
  // Without its entry, nothing leads to the receipt but a search.
  const isReceipt = evidenceId === undefined ? sql`subject_id = ${row.id}` : sql`evidence_id = ${evidenceId}`;
  await sql`
    update evidence_receipt set answer = split_part(answer, ' ', 1) || ' ' || ${answer}, request_digest = ''
    where org_id = ${ctx.org} and ${isReceipt}`.execute(ctx.db);
  // They are kept for a day.
  await sql`
    update idempotent_reply set body = ${JSON.stringify(answer)}
    where org_id = ${ctx.org} and created_at >= ${row.created_at} and ${row.created_at} > now() - interval '2 days'
      and headers::json ->> 'waymark-attestation' like ${`${row.id};%`}`.execute(ctx.db);
}
