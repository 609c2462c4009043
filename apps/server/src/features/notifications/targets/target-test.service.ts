import { type MessageContent, NO_DETAILS } from '@waymark/messages';
import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import { invalidField, notFound, Problem } from '../../../platform/errors.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { listMailable } from '../mail-consent/mail-address.reads.ts';
import { targetTested } from '../queue/delivery.entries.ts';
import { findExceededLimit } from '../send/mail-admission.service.ts';
import type { AttemptOutcome } from '../send/outgoing.ts';
import { readManagedTarget } from './managed-target.service.ts';
import * as store from './target-test.store.ts';

/** Tries a delivery once. */
export type Attempt = (deliveryId: string) => Promise<AttemptOutcome & { readonly latencyMs: number }>;

export interface TestOutcome {
  readonly delivered: boolean;
  readonly deliveryIds: readonly string[];
  readonly status: number | null;
  readonly error: string | null;
  readonly latencyMs: number;
}

/** Longer than it takes with every address of mail; a test that has not ended by then was interrupted. */
const UNDER_WAY_MS = 120_000;
const MAX_CONCURRENT = 10;
/** The owners of the addresses did not ask for them. */
const MAILS_IN_AN_HOUR = 5;
const HOUR_MS = 3_600_000;

/**
 * Sends a message to one target while the caller waits. Not for use in a transaction: what it inserts must be committed
 * before it is sent.
 */
export async function testTarget(ctx: Ctx, targetId: string, attempt: Attempt): Promise<TestOutcome> {
  const ids = await makeTest(ctx, targetId);
  try {
    return summed(ids, await inTurn(ids, attempt));
  } finally {
    await store.endTest(ctx.db, ctx.org, ids, ctx.now());
  }
}

async function makeTest(ctx: Ctx, targetId: string): Promise<string[]> {
  return inTransaction(ctx, async (ctx) => {
    const target = await readManagedTarget(ctx, targetId);
    await lockSubject(ctx.db, ctx.org, 'target', targetId);
    const revision = await store.updateRevision(ctx.db, ctx.org, targetId);
    if (revision === undefined) throw notFound('Target', targetId);
    await refuseSecond(ctx, targetId);
    if (target.kind === 'EMAIL') await refuseMany(ctx, targetId);
    const addresses = target.kind === 'EMAIL' ? await listAddresses(ctx, targetId, target.emails) : [null];
    const deliveries = addresses.map((address) => ({ id: ctx.newId(), address }));
    await store.insertTest(ctx.db, ctx.org, {
      messageId: ctx.newId(),
      sourceId: target.source_id,
      configType: target.config_type,
      targetId,
      content: JSON.stringify(await contentOf(ctx, target)),
      deliveries,
      now: ctx.now(),
    });
    const ids = deliveries.map(({ id }) => id);
    await emit(
      ctx,
      targetTested,
      { kind: 'target', id: targetId, seq: revision },
      {
        source_id: target.source_id,
        config_type: target.config_type,
        kind: target.kind,
        host: target.url_host,
        delivery_ids: ids,
      },
    );
    return ids;
  });
}

/** The reader has to know where it comes from. */
async function contentOf(
  { db, org, actor }: Ctx,
  target: { readonly source_id: string; readonly config_type: string | null },
): Promise<MessageContent> {
  const of = target.config_type
    ? `configuration ${target.config_type}`
    : `notification ${(await store.findNotificationName(db, org, target.source_id)) ?? ''}`.trimEnd();
  return { ...NO_DETAILS, test: { of, by: actor.name } };
}

async function refuseSecond(ctx: Ctx, targetId: string): Promise<void> {
  const since = new Date(ctx.now().getTime() - UNDER_WAY_MS);
  if (!(await store.hasTestUnderWay(ctx.db, ctx.org, targetId, since))) return;
  throw new Problem('rate_limited', 'A test of this target is already running. Wait until it has finished', {
    retryAfterSeconds: 10,
  });
}

async function refuseMany(ctx: Ctx, targetId: string): Promise<void> {
  const now = ctx.now().getTime();
  const began = await store.listTestTimes(ctx.db, ctx.org, targetId, new Date(now - HOUR_MS));
  const first = began[MAILS_IN_AN_HOUR - 1];
  if (!first) return;
  throw new Problem('rate_limited', `An email target can be tested ${MAILS_IN_AN_HOUR} times per hour`, {
    retryAfterSeconds: Math.max(1, Math.ceil((first.getTime() + HOUR_MS - now) / 1_000)),
  });
}

async function listAddresses(ctx: Ctx, targetId: string, emails: readonly string[]): Promise<string[]> {
  const refused = await store.listRefused(ctx.db, ctx.org, targetId);
  const addresses = emails.filter((address) => !refused.has(address));
  if (addresses.length === 0) {
    throw invalidField('target_id', 'every address of this target has unsubscribed');
  }
  const confirmed = await listMailable(ctx.db, ctx.org, addresses);
  const mailable = addresses.filter((address) => confirmed.has(address));
  if (mailable.length === 0) {
    throw invalidField('target_id', 'has no confirmed address: a confirmation email was sent to each of its addresses');
  }
  const exceeded = await findExceededLimit(ctx.db, ctx.org, mailable, ctx.now());
  if (exceeded !== undefined) throw new Problem('rate_limited', exceeded, { retryAfterSeconds: HOUR_MS / 1_000 });
  return mailable;
}

async function inTurn(ids: readonly string[], attempt: Attempt): Promise<Awaited<ReturnType<Attempt>>[]> {
  const outcomes: Awaited<ReturnType<Attempt>>[] = [];
  for (let i = 0; i < ids.length; i += MAX_CONCURRENT) {
    outcomes.push(...(await Promise.all(ids.slice(i, i + MAX_CONCURRENT).map(attempt))));
  }
  return outcomes;
}

/** Of several addresses, the first that failed counts. */
function summed(deliveryIds: readonly string[], outcomes: readonly Awaited<ReturnType<Attempt>>[]): TestOutcome {
  const shown = outcomes.find(({ delivered }) => !delivered) ?? outcomes[0];
  return {
    delivered: shown?.delivered === true,
    deliveryIds,
    status: shown?.status ?? null,
    error: shown && !shown.delivered ? shown.error : null,
    latencyMs: Math.max(0, ...outcomes.map(({ latencyMs }) => latencyMs)),
  };
}
