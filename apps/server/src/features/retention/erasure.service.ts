import { hash } from 'node:crypto';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { notFound } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import { present } from '../../platform/present.ts';
import { eraseContent } from '../attestations/attestation-erasure.service.ts';
import { discount } from '../org-settings/storage-quotas/storage-quota.service.ts';
import { requireNoHold } from './covering-hold.reads.ts';
import { type NamedErasure, readErasure } from './erasure.reads.ts';
import * as store from './erasure.store.ts';
import { attestationErased } from './retention.entries.ts';
import { requirePastRetention } from './retention.service.ts';
import { lockKeeping } from './retention.store.ts';

/** Erases an attestation for ever, unless it has to be kept. Erasing it again changes nothing. */
export function eraseAttestation(ctx: Ctx, id: string, reason: string): Promise<NamedErasure> {
  return inTransaction(ctx, async (ctx) => {
    await lockKeeping(ctx.db, ctx.org);
    const row = await store.lockAttestation(ctx.db, ctx.org, id);
    if (!row) throw notFound('Attestation', id);
    const earlier = await readErasure(ctx, id);
    if (earlier) return earlier;
    const what = `Attestation '${row.name}'`;
    await requireNoHold(ctx, what, { kind: 'in_trail', trailId: row.trail_id });
    await requirePastRetention(ctx, what, 'attestations', row.created_at);
    await store.insertErasure(ctx.db, {
      org_id: ctx.org,
      attestation_id: id,
      reason,
      erased_at: ctx.now(),
      erased_by: ctx.actor.name,
      attachment: row.attachment_sha256 === null ? 'none' : 'pending',
      attachment_sha256: row.attachment_sha256,
    });
    await erase(ctx, row, reason);
    const erased = await readErasure(ctx, id);
    if (!erased) throw new Error('an erasure has no attestation');
    return erased;
  });
}

async function erase(ctx: Ctx, row: store.ErasableAttestation, reason: string): Promise<void> {
  const { entryIds, verdict, recordedAs, freed } = await eraseContent(ctx, row, {
    at: ctx.now(),
    by: ctx.actor.name,
    reason,
  });
  await emit(
    ctx,
    attestationErased,
    { kind: 'attestation', id: row.id, seq: 2 },
    {
      flow: row.flow_name,
      trail: row.trail_name,
      name: row.name,
      type: row.type,
      counts_as: row.counts_as,
      is_compliant: row.is_compliant,
      trust: row.trust,
      receipt: row.receipt,
      verdict_sha256: hash('sha256', verdict),
      attachment: row.attachment_sha256 !== null,
      entry_ids: [...entryIds],
      reason,
      ...present({
        fingerprint: row.fingerprint,
        target_artifact: row.target_artifact,
        commit: row.commit_sha,
        branch: row.branch,
        type_version: row.type_version,
        control: row.control,
        overrides: row.overrides_id,
      }),
    },
  );
  if (recordedAs !== undefined) await discount(ctx, { entrySeq: recordedAs, ...freed });
}
