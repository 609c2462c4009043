import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

const Seconds = z.number();

export const deliveryRedelivered = defineEntry({
  type: 'delivery.redelivered',
  version: 1,
  summary: 'A message was redelivered to its target',
  payload: z.strictObject({ target_id: z.string(), message_id: z.string(), event_type: z.string() }),
});

export const deliveriesRedelivered = defineEntry({
  type: 'deliveries.redelivered',
  version: 1,
  summary:
    'The messages of a period were redelivered; `redelivered` is their number, `from` and `to` are the ' +
    'times of the first and last',
  payload: z.strictObject({
    from_timestamp: Seconds,
    to_timestamp: Seconds,
    state: z.enum(['failed', 'dropped', 'delivered', 'all']),
    target_id: z.string().nullable(),
    notification: z.number().int().nullable(),
    redelivered: z.number().int(),
    from: Seconds,
    to: Seconds,
  }),
});

export const targetTested = defineEntry({
  type: 'target.tested',
  version: 1,
  summary: 'A test message was sent to a target; `host` is the host that was called, null for email',
  payload: z.strictObject({
    source_id: z.string(),
    config_type: z.string().nullable(),
    kind: z.enum(['CHAT', 'WEBHOOK', 'EMAIL']),
    host: z.string().nullable(),
    delivery_ids: z.array(z.string()),
  }),
});
