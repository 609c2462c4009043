import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Ctx } from '../../platform/ctx.ts';
import { invalidField } from '../../platform/errors.ts';

/** What makes a repeat of a report harmless: the caller's id, and a digest of all that was sent under it. */
export interface EvidenceClaim {
  readonly evidenceId: string;
  readonly digest: Buffer;
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
 * Takes an evidence id for a new report, in its transaction. When it is taken already by the same report, its receipt
 * comes back. A report that is under way elsewhere is waited for.
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

/** The receipt of an earlier report under this id. Another report under the same id is refused, never swallowed. */
export async function readReceipt(ctx: Ctx, claim: EvidenceClaim): Promise<Receipt> {
  const earlier = await ctx.db
    .selectFrom('evidence_receipt')
    .select(['subject_id', 'request_digest', 'answer'])
    .where('org_id', '=', ctx.org)
    .where('evidence_id', '=', claim.evidenceId)
    .executeTakeFirstOrThrow();
  return sameReceipt(claim, {
    subjectId: earlier.subject_id,
    digest: earlier.request_digest,
    answer: earlier.answer,
  });
}

export function sameReceipt(claim: EvidenceClaim, earlier: Receipt & { digest: Buffer }): Receipt {
  if (!earlier.digest.equals(claim.digest)) {
    throw invalidField('header.waymark-evidence-id', 'was used before for another report');
  }
  return earlier;
}
