import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Ctx } from './ctx.ts';
import { invalidField } from './errors.ts';
import { epochSeconds, fromEpochSeconds } from './time.ts';

/** Makes a repeated report harmless: the caller's id, and a digest of everything sent under it. */
export interface EvidenceClaim {
  readonly evidenceId: string;
  readonly digest: Buffer;
}

/** A header as it was sent, in seconds. */
export function secondsOf(sent: string | undefined): number | undefined {
  return sent === undefined ? undefined : Number(sent);
}

/** Clock difference from which a report counts as late, or as coming from the future. */
const TOLERANCE_SECONDS = 300;

/** The claimed time is shown next to the time of receipt, so it must be possible. */
export function claimedTime(ctx: Ctx, seconds: number | undefined): Date | null {
  if (seconds === undefined) return null;
  if (seconds > epochSeconds(ctx.now()) + TOLERANCE_SECONDS) {
    throw invalidField('header.waymark-claimed-at', 'is in the future');
  }
  return fromEpochSeconds(seconds);
}

export function isLate(receivedAt: Date, claimedAt: Date | null): boolean {
  return claimedAt !== null && epochSeconds(receivedAt) - epochSeconds(claimedAt) > TOLERANCE_SECONDS;
}

export interface Receipt {
  readonly subjectId: string;
  readonly answer: string;
}

export function claimOf(evidenceId: string | undefined, request: readonly unknown[]): EvidenceClaim | undefined {
  if (evidenceId === undefined) return undefined;
  return { evidenceId: evidenceId.toLowerCase(), digest: hash('sha256', canonicalize(request) ?? '', 'buffer') };
}

/**
 * Claims an evidence id for a new report, in its transaction. If the same report already claimed it, returns its
 * receipt. Waits for a report that is in progress elsewhere.
 */
export async function claimReceipt(ctx: Ctx, claim: EvidenceClaim, receipt: Receipt): Promise<Receipt | undefined> {
  const taken = await ctx.db
    .insertInto('evidence_receipt')
    .values({
      org_id: ctx.org,
      evidence_id: claim.evidenceId,
      subject_id: receipt.subjectId,
      request_digest: claim.digest,
      answer: receipt.answer,
      created_at: ctx.now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('evidence_id')
    .executeTakeFirst();
  return taken ? undefined : readReceipt(ctx, claim);
}

/**
 * The receipt of an earlier report under this id. A different report under the same id is refused, never dropped
 * silently.
 */
export async function findReceipt(ctx: Ctx, claim: EvidenceClaim): Promise<Receipt | undefined> {
  const earlier = await ctx.db
    .selectFrom('evidence_receipt')
    .select(['subject_id', 'request_digest', 'answer'])
    .where('org_id', '=', ctx.org)
    .where('evidence_id', '=', claim.evidenceId)
    .executeTakeFirst();
  if (!earlier) return undefined;
  return sameReceipt(claim, {
    subjectId: earlier.subject_id,
    digest: earlier.request_digest,
    answer: earlier.answer,
  });
}

/** The same where a receipt must exist, because the id is claimed. */
export async function readReceipt(ctx: Ctx, claim: EvidenceClaim): Promise<Receipt> {
  const receipt = await findReceipt(ctx, claim);
  if (!receipt) throw new Error('an evidence id is taken and has no receipt');
  return receipt;
}

/** The digest is empty once the report is erased: then nothing can tell whether this is the same one. */
export function sameReceipt(claim: EvidenceClaim, earlier: Receipt & { digest: Buffer }): Receipt {
  if (earlier.digest.length > 0 && !earlier.digest.equals(claim.digest)) {
    throw invalidField('header.waymark-evidence-id', 'was already used for another report');
  }
  return earlier;
}
