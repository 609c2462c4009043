import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import type { Db } from '../../../platform/db/db.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { readOrgRow } from '../../orgs/org.reads.ts';
import { mailRefusalRecorded, orgMailRefusalRecorded } from './mail-refusal.entries.ts';
import * as store from './mail-refusal.store.ts';
import type { Subscription } from './unsubscribe-link.ts';

/** Refuses the notification of the link and those with the same name, or all that the org has or will have. */
type RefusalScope = 'notification' | 'org';

export interface NamedSubscription extends store.SubscriptionRow {
  readonly org_name: string;
}

/** Undefined when no mail is sent to the address. */
export async function findSubscription(db: Db, subscription: Subscription): Promise<NamedSubscription | undefined> {
  const found = await store.findSubscription(db, subscription);
  return found && { ...found, org_name: (await readOrgRow(db, subscription.orgId)).name };
}

/** Stops mail to the address. A repeat changes nothing. Undefined when no mail is sent there anyway. */
export async function refuseMail(
  ctx: Ctx,
  subscription: Subscription,
  scope: RefusalScope,
): Promise<NamedSubscription | undefined> {
  const { orgId, targetId } = subscription;
  const { found, refused } = await inTransaction({ ...ctx, org: orgId }, async (ctx) => {
    await store.lockTarget(ctx.db, orgId, targetId);
    await store.lockRefusals(ctx.db, orgId);
    const found = await findSubscription(ctx.db, subscription);
    const isDone = scope === 'org' ? found?.is_refused_by_org : found?.is_refused;
    if (!found || isDone === true) return { found, refused: [] };
    return { found, refused: await record(ctx, subscription, scope, found) };
  });
  // One transaction each: locking several targets at once would block others. If this is interrupted, the refusal is
  // noticed when a delivery is sent.
  for (const target of refused) {
    await inTransaction({ ...ctx, org: orgId }, (ctx) => store.dropWaiting(ctx.db, orgId, target, ctx.now()));
  }
  return found;
}

/** Returns the affected targets. */
async function record(
  ctx: Ctx,
  subscription: Subscription,
  scope: RefusalScope,
  { source_id, source_name }: store.SubscriptionRow,
): Promise<Set<string>> {
  const { orgId, targetId, address } = subscription;
  const subject = { kind: 'target', id: targetId, seq: await store.updateRevision(ctx.db, orgId, targetId) };
  if (scope === 'org') {
    await emit(ctx, orgMailRefusalRecorded, subject, { address });
    return new Set(await store.insertRefusalsOfOrg(ctx.db, subscription, ctx.now()));
  }
  await emit(ctx, mailRefusalRecorded, subject, { notification: source_name, address });
  return new Set(await store.insertRefusals(ctx.db, subscription, source_id, ctx.now()));
}

/**
 * Applies the refusals of an address's owner, of this notification, of one with its name or of the org, to all targets
 * of the source, in any spelling of the address. Call it in the transaction that replaces the targets, after they are
 * replaced.
 */
export async function keepRefusals({ db, org }: Ctx, sourceId: string): Promise<void> {
  await store.lockRefusals(db, org);
  await store.insertKnownRefusals(db, org, sourceId);
}
