import { createAlarm } from '../../../platform/alarm.ts';
import { newId } from '../../../platform/ids.ts';
import { pollLoop } from '../../../platform/jobs/poll-loop.ts';
import { systemClock } from '../../../platform/time.ts';
import { readOrgNames } from '../../orgs/org.reads.ts';
import { findDropReason } from '../send/mail-admission.service.ts';
import { orgSignatures } from '../send/org-signatures.ts';
import type { SendAttempt } from '../send/outgoing.ts';
import type { NamedTarget } from '../send/outgoing-message.ts';
import { attempt, type DeliveryParts, SEND_MAX_MS, type TargetLease } from './attempt.service.ts';
import * as queue from './delivery-queue.store.ts';

const POLL_MS = 250;
/** Between two polls when there is much to do, so that freed slots are filled together. */
const BUSY_POLL_MS = 10;
/**
 * Targets that one worker sends to at once: in all, of one org, and of those that failed or were slow when last tried.
 */
const SLOTS = 128;
const SLOTS_OF_ORG = 32;
const TROUBLED_SLOTS = 32;
/** A worker that has not renewed its lease on a target for this long is gone, and another one takes over. */
const LEASE_MS = 30_000;
/** Deliveries to a target before others get their turn, and the time limit. */
const IN_A_ROW = 50;
const TURN_MS = 1_000;

export interface Deliveries {
  /** Polls now. A needless wake-up does no harm. */
  wake(): void;
  /** Works until the signal is given; then it finishes current attempts and releases its targets. */
  run(signal: AbortSignal): Promise<void>;
}

/** Sends waiting deliveries. Several workers share the work. */
export function createDeliveries(parts: DeliveryParts, pollMs = POLL_MS): Deliveries {
  const alarm = createAlarm();

  async function run(signal: AbortSignal): Promise<void> {
    const sending = createSending(parts, signal, alarm.wake);
    const turn = async () => ((await sending.take()) > 0 ? 0 : pollMs);
    const wakes = { alarm, withinMs: Math.min(BUSY_POLL_MS, pollMs) };
    await pollLoop({ turn, pollMs, log: parts.log, failure: 'deliveries wait', wakes }, signal);
    await sending.ended();
  }

  return { wake: alarm.wake, run };
}

/** Polls without wake-ups. */
export function runDeliveries(parts: DeliveryParts, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
  return createDeliveries(parts, pollMs).run(signal);
}

/** Sends everything that is due now, and returns the number of attempts. */
export async function deliverDue(parts: DeliveryParts): Promise<number> {
  const sending = createSending(parts, new AbortController().signal, () => undefined);
  while ((await sending.take()) > 0) await sending.ended();
  return sending.attempts();
}

interface Sending {
  /** Starts sending to due targets, as far as there are free slots, and returns to how many. */
  take(): Promise<number>;
  /** Resolves when everything that was started has ended. */
  ended(): Promise<void>;
  attempts(): number;
}

function createSending(given: DeliveryParts, signal: AbortSignal, wake: () => void): Sending {
  const parts = { signWithOrgKey: orgSignatures(given), ...given };
  const worker = newId();
  const now = parts.now ?? systemClock;
  const held = new Map<NamedTarget, Promise<void>>();
  let attempts = 0;

  async function work(target: NamedTarget, heldUntil: Date): Promise<void> {
    let hasMore = false;
    try {
      const sent = await sendToTarget(parts, { worker, ms: LEASE_MS }, target, heldUntil, signal);
      attempts += sent.attempts;
      hasMore = sent.hasMore;
    } catch (error) {
      parts.log.warn({ target: target.target_id, error: String(error) }, 'deliveries to a target wait');
    }
    const wasShort = isShort([...held.keys()]);
    held.delete(target);
    if (hasMore || wasShort) wake();
  }

  return {
    async take() {
      const targets = [...held.keys()];
      if (targets.length >= SLOTS) return 0;
      const at = now();
      const until = new Date(at.getTime() + LEASE_MS);
      const taken = await queue.takeTargets(parts.db, { ...roomBeside(targets), worker, now: at, until });
      const nameOf = await readOrgNames(
        parts.db,
        taken.map(({ org_id }) => org_id),
      );
      for (const target of taken) {
        const named = { ...target, org_name: nameOf(target.org_id) };
        held.set(named, work(named, until));
      }
      return taken.length;
    },
    async ended() {
      await Promise.all(held.values());
    },
    attempts: () => attempts,
  };
}

function roomBeside(targets: readonly queue.DueTarget[]) {
  const ofOrgs = countsByOrg(targets);
  return {
    slots: SLOTS - targets.length,
    troubled_slots: Math.max(0, TROUBLED_SLOTS - countTroubled(targets)),
    per_org: SLOTS_OF_ORG,
    orgs: [...ofOrgs.keys()],
    held: [...ofOrgs.values()],
  };
}

/** Whether others may be waiting for a slot of one of these. */
function isShort(targets: readonly queue.DueTarget[]): boolean {
  if (targets.length >= SLOTS || countTroubled(targets) >= TROUBLED_SLOTS) return true;
  return [...countsByOrg(targets).values()].some((count) => count >= SLOTS_OF_ORG);
}

function countTroubled(targets: readonly queue.DueTarget[]): number {
  return targets.filter(({ troubled }) => troubled).length;
}

function countsByOrg(targets: readonly queue.DueTarget[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { org_id } of targets) counts.set(org_id, (counts.get(org_id) ?? 0) + 1);
  return counts;
}

interface Sent {
  readonly attempts: number;
  /** More deliveries are due already. */
  readonly hasMore: boolean;
}

/** Sends what waits for a target that the worker holds, one by one, and releases the target. */
async function sendToTarget(
  parts: DeliveryParts,
  lease: TargetLease,
  target: NamedTarget,
  heldUntil: Date,
  signal: AbortSignal,
): Promise<Sent> {
  const now = parts.now ?? systemClock;
  const { org_id, target_id } = target;
  if (target.sending_delivery !== null) await recordInterrupted(parts, lease, target);
  if (target.is_over) await queue.dropWaiting(parts.db, org_id, { target: target_id, now: now() });
  const waiting = await queue.listWaiting(parts.db, { org_id, target_id, now: now(), limit: IN_A_ROW });
  const sent = await sendInOrder(parts, lease, target, heldUntil, waiting, signal);
  const hasMore = sent.stopped !== 'failed' && (sent.stopped === 'early' || waiting.length === IN_A_ROW);
  await queue.releaseTarget(parts.db, { org_id, target_id, worker: lease.worker, due_at: hasMore ? now() : null });
  return { attempts: sent.attempts, hasMore };
}

async function recordInterrupted(
  parts: DeliveryParts,
  { worker }: TargetLease,
  target: queue.DueTarget,
): Promise<void> {
  const { org_id, target_id } = target;
  const error = 'The worker stopped while sending: it is unknown whether the message arrived';
  await queue.recordInterrupted(parts.db, { org_id, target_id, worker, error });
}

async function sendInOrder(
  parts: DeliveryParts,
  lease: TargetLease,
  target: NamedTarget,
  until: Date,
  waiting: readonly queue.WaitingRow[],
  signal: AbortSignal,
): Promise<{ readonly attempts: number; readonly stopped?: 'failed' | 'early' }> {
  const now = parts.now ?? systemClock;
  const started = now();
  let heldUntil = until;
  let { failures } = target;
  let attempts = 0;
  for (const delivery of waiting) {
    if (signal.aborted || isTurnOver(started, now(), heldUntil)) return { attempts, stopped: 'early' };
    const sending = { requestId: newId(), at: now() };
    const begun = await begin(parts, lease, target, delivery, sending);
    if (!begun) return { attempts, stopped: 'failed' };
    if (begun === 'unwanted') continue;
    const { redeliveries, ...fresh } = begun;
    const made = await attempt(parts, { ...target, ...fresh, failures }, { ...delivery, redeliveries }, sending, lease);
    attempts += 1;
    if (!made.goesOn || !(made.outcome.delivered || made.outcome.final)) return { attempts, stopped: 'failed' };
    if (made.flushes) return { attempts, stopped: 'early' };
    ({ heldUntil, failures } = made);
  }
  return { attempts };
}

/** Others wait for their turn, or would take the target over and send the same again. */
function isTurnOver(started: Date, now: Date, heldUntil: Date): boolean {
  return now.getTime() - started.getTime() >= TURN_MS || now.getTime() + SEND_MAX_MS >= heldUntil.getTime();
}

/** Drops a mail to an unconfirmed address, a duplicate, or one beyond a daily limit. */
async function dropIfNotAdmitted(
  parts: DeliveryParts,
  { org_id: orgId, target_id: target, derived }: queue.DueTarget,
  { id: deliveryId, address }: queue.WaitingRow,
  now: Date,
): Promise<boolean> {
  if (address === null) return false;
  const because = await findDropReason(parts.db, { orgId, deliveryId, address, derived }, now, parts.mailLimits);
  if (because === undefined) return false;
  await queue.dropWaiting(parts.db, orgId, { target, delivery: deliveryId, now, because });
  return true;
}

/**
 * Undefined when the target was taken over, removed or disabled meanwhile; 'unwanted' when this delivery must not be
 * sent.
 */
async function begin(
  parts: DeliveryParts,
  { worker }: TargetLease,
  target: queue.DueTarget,
  delivery: queue.WaitingRow,
  { requestId: request_id, at }: SendAttempt,
): Promise<queue.BegunRow | 'unwanted' | undefined> {
  const { org_id, target_id } = target;
  const { id: delivery_id } = delivery;
  if (await dropIfNotAdmitted(parts, target, delivery, at)) return 'unwanted';
  const [begun] = await queue.beginAttempt(parts.db, { org_id, target_id, worker, delivery_id, request_id, at });
  if (begun?.is_refused)
    await queue.dropWaiting(parts.db, org_id, { target: target_id, delivery: delivery_id, now: at });
  return begun && !begun.is_wanted ? 'unwanted' : begun;
}
