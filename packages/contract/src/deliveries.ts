import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams, PerPage } from './evidence.ts';
import { EpochSeconds, LATEST_SECOND, NO_MILLISECONDS, OrgName, QueryTime } from './primitives.ts';

/** The most deliveries that one request puts back into the queue. */
export const REDELIVERIES_MAX = 10_000;

const State = z.enum(['waiting', 'delivered', 'failed', 'dropped']).meta({
  description:
    '`failed` is final: the receiver refused it, or all attempts were used up. `dropped` is what was never sent because ' +
    'its target was removed or given up, or because the owner of the address asked not to be written to.',
});

const TargetId = z.uuid('must be the id of a target');

export const Delivery = z
  .object({
    id: z.string().meta({ description: 'The same as in the header `webhook-id`, and in the body' }),
    event_type: z.string(),
    description: z.string(),
    notification: z
      .object({ number: z.number().int(), name: z.string() })
      .nullable()
      .meta({ description: 'Null for what a configuration of the org is about' }),
    environment: z.string().nullable(),
    flow: z.string().nullable(),
    sequence: z.number().int().nullable().meta({ description: 'Null for a test' }),
    count: z.number().int(),
    target: z.object({
      id: z.string(),
      type: z.enum(['CHAT', 'WEBHOOK', 'EMAIL']),
      to: z.string().meta({ description: 'The host that is called, or the address; no more of a URL is shown' }),
    }),
    state: State,
    attempt_count: z.number().int(),
    next_attempt_at: EpochSeconds.nullable().meta({
      description: 'While it is waiting; a target may be paused longer',
    }),
    created_at: EpochSeconds,
    ended_at: EpochSeconds.nullable(),
    dropped_because: z.string().nullable().meta({
      description: 'Why a mail was not sent, where the address or a limit is the reason',
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
    status: z.number().int().nullable().meta({ description: 'Status of the answer, if there was one' }),
    latency_ms: z.number().int(),
    error: z.string().nullable(),
  })
  .meta({ id: 'DeliveryAttempt' });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const DeliveryDetail = z
  .object({
    ...Delivery.shape,
    attempts: z.array(DeliveryAttempt).meta({ description: 'Oldest first' }),
    body: z
      .unknown()
      .meta({ description: 'What is sent; of chat and mail, what it is made of. Secrets are not part of it.' }),
  })
  .meta({ id: 'DeliveryDetail' });
export type DeliveryDetail = z.infer<typeof DeliveryDetail>;

export const listDeliveries = contract({
  id: 'listDeliveries',
  summary: 'List deliveries, newest first',
  description:
    'Deliveries are kept for 30 days. Those of a configuration of the org are seen by admins alone. A `Link` header with `rel="next"` leads to the rest.',
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
      .meta({ description: 'Number of a notification' }),
    test: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: '`true` for tests of targets alone, `false` for all but those' }),
    from_timestamp: QueryTime.optional().meta({ description: 'Only those made at or after this time' }),
    to_timestamp: QueryTime.optional().meta({ description: 'Only those made at or before this time' }),
    per_page: PerPage(100).meta({ description: '50 unless given' }),
    after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
  }),
  status: 200,
  reply: z.array(Delivery),
  replyHeaders: { link: 'Where the rest is, if there is more' },
  errors: [400, 401, 403, 404, 429, 503],
});

const DeliveryParams = z.strictObject({ org: OrgName, delivery_id: z.uuid('must be the id of a delivery') });

export const getDelivery = contract({
  id: 'getDelivery',
  summary: 'Get a delivery with all attempts',
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
  summary: 'Send a delivery again',
  description:
    'It goes back into the queue with the same id and content, whatever became of it before, and begins its attempts anew. ' +
    'One that is waiting is tried at once, also when its target is paused. 400 when its target was removed or given up, ' +
    'for a test, for a mail that has arrived, and for an address whose owner wants no mails.',
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
  summary: 'Send the deliveries of a time again',
  description:
    `Those made in this time, oldest first, at most ${REDELIVERIES_MAX.toLocaleString('en')} at once; \`next\` says where to ` +
    'go on. Tests, mails that have arrived, and what is for targets that were removed or given up, are left out.',
  tag: 'Deliveries',
  method: 'POST',
  path: '/organizations/:org/deliveries/redeliver',
  access: 'manage_notifications',
  params: OrgParams,
  body: z
    .strictObject({
      from_timestamp: Moment,
      to_timestamp: Moment,
      state: z.enum(['failed', 'dropped', 'delivered', 'all']).nullish().meta({ description: '`failed` unless given' }),
      target_id: TargetId.nullish(),
      notification: z
        .number()
        .int()
        .min(1)
        .max(2 ** 31 - 1)
        .nullish(),
      after: z.string().max(1024).nullish().meta({ description: 'What `next` said' }),
    })
    .meta({ id: 'RedeliveryInput' }),
  status: 201,
  reply: z.object({ redelivered: z.number().int(), next: z.string().nullable() }).meta({ id: 'Redelivery' }),
  errors: [400, 401, 403, 404, 413, 429, 503],
});
