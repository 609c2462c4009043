import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { emit } from '../../platform/journal/journal.ts';
import { mailRefusalRecorded } from './mail-refusal.entries.ts';
import {
  dropWaiting,
  findSubscription,
  insertRefusal,
  insertRefusalsOfSource,
  lockTarget,
  type SubscriptionRow,
  updateRevision,
} from './mail-refusal.store.ts';
import type { Subscription } from './unsubscribe-link.ts';

/** Nothing more is sent there. A repeat changes nothing. Undefined when there is no such target any more. */
export function refuseMail(ctx: Ctx, subscription: Subscription): Promise<SubscriptionRow | undefined> {
  const { orgId, targetId, address } = subscription;
  return inTransaction({ ...ctx, org: orgId }, async (ctx) => {
    await lockTarget(ctx.db, orgId, targetId);
    const found = await findSubscription(ctx.db, subscription);
    if (!found || found.is_refused) return found;
    await insertRefusal(ctx.db, subscription, ctx.now());
    await dropWaiting(ctx.db, subscription, ctx.now());
    const seq = await updateRevision(ctx.db, orgId, targetId);
    const payload = { notification: found.source_name, address };
    await emit(ctx, mailRefusalRecorded, { kind: 'target', id: targetId, seq }, payload);
    return found;
  });
}

/**
 * What the owner of an address said of a notification holds for all targets it gets, however the address is spelt. To be
 * called in the transaction in which targets are replaced, after it.
 */
export async function keepRefusals({ db, org }: Ctx, sourceId: string): Promise<void> {
  await insertRefusalsOfSource(db, org, sourceId);
}
