import { REDELIVERIES_MAX } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { cut, decodeMoment, encodeMoment, type Moment } from '../../../platform/db/paginate.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import { invalidField, notFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { deliveriesRedelivered, deliveryRedelivered } from './delivery.entries.ts';
import { listWantedTargets, mayConfigure } from './delivery.reads.ts';
import * as store from './redelivery.store.ts';

/** Puts a delivery back into the queue, whatever its state. Workers send to its target one delivery at a time. */
export async function redeliver(ctx: Ctx, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'delivery', id);
    const found = await findDelivery(ctx, id);
    const [target] = await store.lockTargets(ctx.db, ctx.org, [found.target_id]);
    // It may have arrived while waiting for the lock.
    const refusal = refusalOf(await findDelivery(ctx, id), target);
    if (refusal !== undefined) throw invalidField('delivery_id', refusal);
    const [updated] = await store.updateToWaiting(ctx.db, ctx.org, [id], [found.target_id], ctx.now());
    if (!updated) throw notFound('Delivery', id);
    await emit(
      ctx,
      deliveryRedelivered,
      { kind: 'delivery', id, seq: updated.redeliveries },
      { target_id: found.target_id, message_id: found.message_id, event_type: found.trigger },
    );
  });
}

async function findDelivery(ctx: Ctx, id: string): Promise<store.KnownDelivery> {
  const found = await store.findDelivery(ctx.db, ctx.org, id);
  if (!found || (found.config_type !== null && !mayConfigure(ctx))) throw notFound('Delivery', id);
  return found;
}

function refusalOf(delivery: store.KnownDelivery, target: store.LockedTarget | undefined): string | undefined {
  if (delivery.trigger === 'TEST') return 'is a test: test the target again instead';
  if (!target || target.removed_at) return 'is for a target that was removed';
  if (target.disabled_at) return 'is for a disabled target: save its notification again first';
  if (delivery.has_arrived) return 'is an email that was delivered';
  if (delivery.is_refused) return 'is for an address whose owner unsubscribed';
  return undefined;
}

export interface RedeliveryRange {
  readonly from: Date;
  readonly to: Date;
  readonly state: 'failed' | 'dropped' | 'delivered' | 'all';
  readonly targetId?: string;
  readonly notification?: number;
  readonly after?: string;
}

export interface Redelivered {
  readonly redelivered: number;
  readonly next: string | undefined;
}

export async function redeliverRange(ctx: Ctx, range: RedeliveryRange): Promise<Redelivered> {
  if (range.from > range.to) {
    throw invalidField('from_timestamp', 'is after to_timestamp; the earlier time must come first');
  }
  const after = range.after === undefined ? undefined : placeOf(range.after);
  return inTransaction(ctx, async (ctx) => {
    const targets = await listWantedTargets(ctx, range);
    const { from, to, state } = range;
    const wanted = { from, to, state, targets, after, withConfigurations: mayConfigure(ctx) };
    const found = await store.listRange(ctx.db, ctx.org, wanted, REDELIVERIES_MAX + 1);
    const { shown, last } = cut(found, REDELIVERIES_MAX);
    const redelivered = await putBack(ctx, shown);
    const [first] = shown;
    const newest = shown.at(-1);
    if (redelivered > 0 && first && newest) await recordRange(ctx, range, redelivered, first, newest);
    return { redelivered, next: last && encodeMoment({ at: last.created_at, receipt: last.place }) };
  });
}

async function putBack(ctx: Ctx, rows: readonly store.RangeRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const targets = [...new Set(rows.map((row) => row.target_id))];
  const locked = await store.lockTargets(ctx.db, ctx.org, targets);
  const usable = locked.filter((target) => !target.removed_at && !target.disabled_at).map(({ id }) => id);
  const ids = rows.map(({ id }) => id);
  return (await store.updateToWaiting(ctx.db, ctx.org, ids, usable, ctx.now())).length;
}

/** The range is its own subject: it may concern many targets. */
async function recordRange(
  ctx: Ctx,
  range: RedeliveryRange,
  redelivered: number,
  first: store.RangeRow,
  last: store.RangeRow,
): Promise<void> {
  const subject = { kind: 'delivery', id: ctx.newId(), seq: 1 };
  await emit(ctx, deliveriesRedelivered, subject, {
    from_timestamp: epochSeconds(range.from),
    to_timestamp: epochSeconds(range.to),
    state: range.state,
    target_id: range.targetId ?? null,
    notification: range.notification ?? null,
    redelivered,
    from: epochSeconds(first.created_at),
    to: epochSeconds(last.created_at),
  });
}

function placeOf(after: string): Moment {
  if (/^[0-9a-z]{1,9}\.[0-9a-z]{1,9}$/.test(after)) return decodeMoment(after);
  throw invalidField('after', 'is not a valid cursor: use the value of `next` unchanged');
}
