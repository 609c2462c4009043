import type { Db } from '../../../platform/db/db.ts';
import { isUnavailable } from '../../../platform/db/failure.ts';
import { notFound } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import type { GuardedFetch } from '../../../platform/outbound/guarded-fetch.ts';
import { pause } from '../../../platform/pause.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { systemClock } from '../../../platform/time.ts';
import { readOrgRow } from '../../orgs/org.reads.ts';
import type { MailLimits } from '../send/mail-admission.service.ts';
import { orgSignatures } from '../send/org-signatures.ts';
import type { AttemptOutcome, SendAttempt, SendParts } from '../send/outgoing.ts';
import { type NamedTarget, outgoingOf } from '../send/outgoing-message.ts';
import { failure } from '../send/post-json.ts';
import { send } from '../send/send.ts';
import { disableTarget } from '../targets/disable-target.ts';
import { consequencesOf, isHopeless } from './consequences.ts';
import * as queue from './delivery-queue.store.ts';

export interface DeliveryParts {
  readonly db: Db;
  /** Absent when the installation has no key: then targets with a URL cannot be sent to. */
  readonly box: SecretBox | undefined;
  readonly publicUrl: string;
  readonly outbound: GuardedFetch;
  /** Absent when the installation sends no mail. */
  readonly mailer: Mailer | undefined;
  readonly log: Logger;
  /** Without it mails have no unsubscribe link. */
  readonly unsubscribeUrl?: SendParts['unsubscribeUrl'];
  /** When they differ from the defaults. */
  readonly mailLimits?: MailLimits;
  /** For workers, which send a lot: an implementation that caches keys. */
  readonly signWithOrgKey?: SendParts['signWithOrgKey'];
  readonly now?: () => Date;
  /** Milliseconds that only increase, for latencies. */
  readonly elapsed?: () => number;
  /** In [0, 1). */
  readonly random?: () => number;
}

/** Senders stop after 15 seconds on their own; this is for one that does not. */
export const SEND_MAX_MS = 16_000;

const RECORD_TRIES = 7;
const FIRST_RECORD_WAIT_MS = 50;

/** The worker that holds the target, and for how long after each attempt. */
export interface TargetLease {
  readonly worker: string;
  readonly ms: number;
}

export interface Attempted {
  readonly outcome: AttemptOutcome;
  readonly latencyMs: number;
  readonly failures: number;
  /** Until when the target is held now. */
  readonly heldUntil: Date;
  /** Whether the worker may send the next one. */
  readonly goesOn: boolean;
  /** Other deliveries became due, which may come before the next one. */
  readonly flushes: boolean;
}

/**
 * Makes one attempt outside of the queue, recorded like any other, and never retried. For deliveries that are not
 * queued, such as a test: a worker would send a queued one as well.
 */
export async function attemptNow(
  parts: DeliveryParts,
  orgId: string,
  deliveryId: string,
): Promise<AttemptOutcome & { readonly latencyMs: number }> {
  const delivery = await queue.findDelivery(parts.db, orgId, deliveryId);
  const target = delivery && (await queue.findTarget(parts.db, orgId, delivery.target_id));
  if (!delivery || !target) throw notFound('Delivery', deliveryId);
  const sending = { requestId: newId(), at: (parts.now ?? systemClock)() };
  const named = { ...target, org_name: (await readOrgRow(parts.db, orgId)).name };
  const { outcome, latencyMs } = await attempt(parts, named, delivery, sending);
  return { ...outcome, latencyMs };
}

/** Sends a delivery and records the outcome, whatever it is. Without a lease it is tried only once. */
export async function attempt(
  parts: DeliveryParts,
  target: NamedTarget,
  delivery: queue.WaitingRow,
  made: SendAttempt,
  lease?: TargetLease,
): Promise<Attempted> {
  const now = parts.now ?? systemClock;
  const elapsed = parts.elapsed ?? (() => performance.now());
  const started = elapsed();
  const outcome = await sendInTime(parts, target, delivery, made);
  const latencyMs = Math.round(elapsed() - started);
  const ended = now();
  const heldUntil = new Date(ended.getTime() + (lease?.ms ?? 0));
  const { counts, retryAt, pausedUntil } = consequencesOf(outcome, {
    tries: delivery.tries,
    triedSince: delivery.tried_since,
    failures: target.failures,
    now: ended,
    random: (parts.random ?? Math.random)(),
    once: lease === undefined,
  });
  const recorded = await recordSurely(parts.db, {
    org_id: target.org_id,
    target_id: target.target_id,
    delivery_id: delivery.id,
    request_id: made.requestId,
    at: made.at,
    delivered: outcome.delivered,
    status: outcome.status,
    latency_ms: latencyMs,
    error: outcome.delivered ? null : outcome.error,
    retry_at: retryAt,
    ended_at: ended,
    counts,
    paused_until: pausedUntil,
    redeliveries: delivery.redeliveries,
    worker: lease?.worker ?? null,
    held_until: lease ? heldUntil : null,
  });
  if (!recorded) return { outcome, latencyMs, failures: target.failures, heldUntil, goesOn: false, flushes: false };
  const { failures, failing_since: failingSince, flushes } = recorded;
  const givesUp = counts && isHopeless({ failures, failingSince }, delivery.tries + 1, ended);
  // A test must not change the target.
  const because = lease && reasonToDisable(outcome, givesUp);
  if (because !== undefined) await disableTarget(parts, target, { because, at: ended });
  return { outcome, latencyMs, failures, heldUntil, goesOn: recorded.goes_on && because === undefined, flushes };
}

async function sendInTime(
  parts: DeliveryParts,
  target: NamedTarget,
  delivery: queue.WaitingRow,
  attempt: SendAttempt,
): Promise<AttemptOutcome> {
  const outgoing = outgoingOf(parts.box, target, delivery, attempt.at);
  // It can be retried once the operator has fixed the key.
  if (!outgoing)
    return failure({
      error: 'This installation cannot decrypt the URL: its WAYMARK_SECRET_KEY has changed',
      ours: true,
    });
  const late = AbortSignal.timeout(SEND_MAX_MS);
  try {
    const sending = send(sendParts(parts), outgoing, { ...attempt, signal: late });
    const outcome = await Promise.race([sending, rejectedBy(late)]);
    // The mail server belongs to the installation, and one address says nothing about the others.
    return outcome.delivered || target.kind !== 'EMAIL' ? outcome : { ...outcome, ours: true };
  } catch (error) {
    if (late.aborted) return failure({ error: `The message could not be sent within ${SEND_MAX_MS / 1_000} seconds` });
    // The error message could contain the URL.
    const fault = error instanceof Error ? error.name : typeof error;
    parts.log.error({ delivery: delivery.id, kind: target.kind, fault }, 'a delivery could not be sent');
    return failure({ error: 'The message could not be sent because of an internal error', ours: true });
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

function sendParts(parts: DeliveryParts): SendParts {
  return {
    ...parts,
    signWithOrgKey: parts.signWithOrgKey ?? orgSignatures(parts),
    unsubscribeUrl: parts.unsubscribeUrl ?? (() => undefined),
  };
}

/** An attempt that is not recorded is made again, so a database that is briefly unavailable is waited for. */
async function recordSurely(db: Db, record: queue.AttemptRecord): Promise<queue.RecordedRow | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      const [recorded] = await queue.recordAttempt(db, record);
      if (!recorded) await queue.recordLate(db, record);
      return recorded;
    } catch (error) {
      if (!isUnavailable(error) || tries === RECORD_TRIES) throw error;
      await pause(FIRST_RECORD_WAIT_MS * 2 ** tries, new AbortController().signal);
    }
  }
}

function reasonToDisable(outcome: AttemptOutcome, givesUp: boolean): string | undefined {
  if (outcome.delivered) return undefined;
  if (outcome.gone) return outcome.error;
  return givesUp ? `All attempts in 5 days failed. Last error: ${outcome.error}` : undefined;
}
