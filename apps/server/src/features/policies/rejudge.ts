import type { Ctx } from '../../platform/ctx.ts';
import { askForLook } from '../snapshots/ask-for-look.ts';
import { lookAgainNow } from '../snapshots/look-again.ts';

/** Judges what runs in the environment once more, in the transaction of the change. The environment is locked. */
export async function rejudgeNow(ctx: Ctx, environmentId: string): Promise<void> {
  await lookAgainNow(ctx, environmentId, 'policy');
}

/** Has what runs in the environments judged once more, after the transaction. */
export async function rejudgeSoon(ctx: Ctx, environmentIds: readonly string[]): Promise<void> {
  await askForLook(ctx.db, ctx.org, environmentIds, 'policy');
}
