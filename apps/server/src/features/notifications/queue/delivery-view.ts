import type * as api from '@waymark/contract';
import { describeMessage, type Message, webhookBody } from '@waymark/messages';
import { epochSeconds } from '../../../platform/time.ts';
import { explainDrop } from '../send/mail-admission.service.ts';
import type { DeliveryRow, listAttempts } from './delivery.reads.ts';

type AttemptRow = Awaited<ReturnType<typeof listAttempts>>[number];

export function toDelivery(row: DeliveryRow): api.Delivery {
  const { content } = row;
  return {
    id: row.id,
    event_type: row.trigger,
    description: describeMessage(row),
    notification:
      row.notification_number === null || row.notification_name === null
        ? null
        : { number: row.notification_number, name: row.notification_name },
    environment: content.environment,
    flow: content.flow,
    sequence: row.sequence,
    count: row.count,
    target: { id: row.target_id, type: row.kind, to: row.address ?? row.url_host ?? '' },
    state: row.state,
    attempt_count: row.attempts,
    next_attempt_at: nextAttemptAt(row),
    created_at: epochSeconds(row.created_at),
    ended_at: row.ended_at && epochSeconds(row.ended_at),
    dropped_because: row.dropped_because && explainDrop(row.dropped_because),
  };
}

export function toDetail(
  row: DeliveryRow,
  attempts: readonly AttemptRow[],
  org: string,
  publicUrl: string,
): api.DeliveryDetail {
  const message: Message = {
    id: row.id,
    org,
    trigger: row.trigger,
    sequence: row.sequence,
    count: row.count,
    timestamp: epochSeconds(row.message_created_at),
    content: row.content,
  };
  return { ...toDelivery(row), attempts: attempts.map(toAttempt), body: webhookBody(message, publicUrl) };
}

/** A test is never queued: it is tried once, while the caller waits. */
function nextAttemptAt({ state, due_at, paused_until }: DeliveryRow): number | null {
  if (state !== 'waiting') return null;
  return Math.max(epochSeconds(due_at), paused_until ? epochSeconds(paused_until) : 0);
}

function toAttempt(attempt: AttemptRow): api.DeliveryAttempt {
  return {
    number: attempt.no,
    at: epochSeconds(attempt.at),
    request_id: attempt.request_id,
    delivered: attempt.outcome === 'delivered',
    status: attempt.status,
    latency_ms: attempt.latency_ms,
    error: attempt.error,
  };
}
