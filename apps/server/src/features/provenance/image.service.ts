import type { Ctx } from '../../platform/ctx.ts';
import { upsertIndex, upsertPlatforms } from './image.store.ts';
import type { ImageClaim } from './image-claim.service.ts';

/** Records, as part of the report of an artifact, which platforms an image index lists. The newest report counts. */
export async function recordImageClaim(ctx: Ctx, claim: ImageClaim, receipt: number): Promise<void> {
  if (await upsertIndex(ctx.db, ctx.org, claim.index, receipt)) {
    await upsertPlatforms(ctx.db, ctx.org, claim, receipt);
  }
}
