import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams, PerPage } from './evidence.ts';
import { EpochSeconds, LATEST_SECOND, NO_MILLISECONDS, OrgName, QueryTime } from './primitives.ts';

/** The most deliveries that one request puts back into the queue. */
export const REDELIVERIES_MAX = 10_000;

const State = z.enum(['waiting', 'delivered', 'failed', 'dropped']).meta({
  description:
    '`failed` is final: the receiver rejected it, or all attempts were used up. `dropped` was never sent because ' +
    'its target was removed or disabled, or because the owner of the address unsubscribed.',
});

const TargetId = z.uuid('must be the id of a target');

export const Delivery = z
  .object({
    id: z.string().meta({ description: 'Same as the `webhook-id` header and the id in the body' }),
    event_type: z.string(),
    description: z.string(),
    notification: z
      .object({ number: z.number().int(), name: z.string() })
      .nullable()
      .meta({ description: 'Null if the source is a configuration of the org' }),
    environment: z.string().nullable(),
    flow: z.string().nullable(),
    sequence: z.number().int().nullable().meta({ description: 'Null for a test' }),
    count: z.number().int(),
    target: z.object({
      id: z.string(),
      type: z.enum(['CHAT', 'WEBHOOK', 'EMAIL']),
      to: z.string().meta({ description: 'Host of the URL, or the email address; the rest of the URL is not shown' }),
    }),
    state: State,
    attempt_count: z.number().int(),
    next_attempt_at: EpochSeconds.nullable().meta({
      description: 'Only while waiting; a target can be paused for longer',
    }),
    created_at: EpochSeconds,
    ended_at: EpochSeconds.nullable(),
    dropped_because: z.string().nullable().meta({
      description: 'Why an email was not sent, if the reason is the address or a limit',
    }),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof Delivery>;

export const DeliveryAttempt = z
  .object({
    number: z.number().int(),
    at: EpochSeconds,
    request_id: z.string().meta({ description: 'Sent to the receiver as `x-request-id`' }),
    delivered: z.boolean(),
    status: z.number().int().nullable().meta({ description: 'HTTP status of the response, if any' }),
    latency_ms: z.number().int(),
    error: z.string().nullable(),
  })
  .meta({ id: 'DeliveryAttempt' });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const DeliveryDetail = z
  .object({
    ...Delivery.shape,
    attempts: z.array(DeliveryAttempt).meta({ description: 'Oldest first' }),
    body: z.unknown().meta({
      description: 'The message as sent; for chat and email, the data it is rendered from. Contains no secrets.',
    }),
  })
  .meta({ id: 'DeliveryDetail' });
export type DeliveryDetail = z.infer<typeof DeliveryDetail>;

export const listDeliveries = contract({
  id: 'listDeliveries',
  summary: 'List deliveries, newest first',
  description:
    'Waymark keeps deliveries for 30 days. Only admins see those of a configuration of the org. A `Link` header with ' +
    '`rel="next"` points to the rest.',
  tag: 'Deliveries',
  method: 'GET',
  path: '/organizations/:org/deliveries',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    state: State.optional(),
    target_id: TargetId.optional(),
    notification: z.coerce
      .number()
      .int()
      .min(1)
      .max(2 ** 31 - 1)
      .optional()
      .meta({ description: 'Filter by notification number' }),
    test: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: '`true` for target tests only, `false` to exclude them' }),
    from_timestamp: QueryTime.optional().meta({ description: 'Only deliveries created at or after this time' }),
    to_timestamp: QueryTime.optional().meta({ description: 'Only deliveries created at or before this time' }),
    per_page: PerPage(100).meta({ description: 'Deliveries per page. Default: 50' }),
    after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
  }),
  status: 200,
  reply: z.array(Delivery),
  replyHeaders: { link: 'Link to the next page, if any' },
  errors: [400, 401, 403, 404, 429, 503],
});

const DeliveryParams = z.strictObject({ org: OrgName, delivery_id: z.uuid('must be the id of a delivery') });

export const getDelivery = contract({
  id: 'getDelivery',
  summary: 'Get a delivery with its attempts',
  tag: 'Deliveries',
  method: 'GET',
  path: '/organizations/:org/deliveries/:delivery_id',
  access: 'read',
  params: DeliveryParams,
  status: 200,
  reply: DeliveryDetail,
  errors: [400, 401, 403, 404, 429, 503],
});

export const redeliver = contract({
  id: 'redeliver',
  summary: 'Redeliver a message',
  description:
    'The delivery returns to the queue with the same id and content, whatever its state, and restarts its ' +
    'attempts. A waiting delivery is attempted immediately, even if its target is paused. Answers 400 if the ' +
    'target was removed or disabled, for tests, for emails that were delivered, and for addresses whose owner ' +
    'unsubscribed.',
  tag: 'Deliveries',
  method: 'POST',
  path: '/organizations/:org/deliveries/:delivery_id/redeliver',
  access: 'manage_notifications',
  params: DeliveryParams,
  status: 201,
  reply: Delivery,
  errors: [400, 401, 403, 404, 429, 503],
});

const Moment = z.number().min(0).max(LATEST_SECOND, NO_MILLISECONDS);

export const redeliverRange = contract({
  id: 'redeliverRange',
  summary: 'Redeliver the messages of a period',
  description:
    'Redelivers the deliveries created in this period, oldest first, at most ' +
    `${REDELIVERIES_MAX.toLocaleString('en')} per request; continue with \`next\`. Tests, emails that were ` +
    'delivered, and deliveries to removed or disabled targets are skipped.',
  tag: 'Deliveries',
  method: 'POST',
  path: '/organizations/:org/deliveries/redeliver',
  access: 'manage_notifications',
  params: OrgParams,
  body: z
    .strictObject({
      from_timestamp: Moment,
      to_timestamp: Moment,
      state: z.enum(['failed', 'dropped', 'delivered', 'all']).nullish().meta({ description: 'Default: `failed`' }),
      target_id: TargetId.nullish(),
      notification: z
        .number()
        .int()
        .min(1)
        .max(2 ** 31 - 1)
        .nullish(),
      after: z.string().max(1024).nullish().meta({ description: 'Value of `next` from the previous response' }),
    })
    .meta({ id: 'RedeliveryInput' }),
  status: 201,
  reply: z.object({ redelivered: z.number().int(), next: z.string().nullable() }).meta({ id: 'Redelivery' }),
  errors: [400, 401, 403, 404, 413, 429, 503],
});
