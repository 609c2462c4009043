import { z } from 'zod';
import { contract } from './contract.ts';
import { EpochSeconds, OrgName } from './primitives.ts';

/** The `data` of one server-sent event; its `id` is the position in the org's feed, its `event` the type. */
export const FeedEvent = z
  .object({
    id: z.string(),
    type: z.string(),
    subject: z.object({ kind: z.string(), id: z.string() }),
    actor: z.string(),
    recorded_at: EpochSeconds,
  })
  .meta({ id: 'FeedEvent' });
export type FeedEvent = z.infer<typeof FeedEvent>;

export const streamEvents = contract({
  id: 'streamEvents',
  summary: 'Stream the events of an org',
  description:
    'Server-sent events, with one connection for all topics. To resume after a lost connection, send the last ' +
    '`id` you received as `Last-Event-ID`; without it, the stream starts now. A `reset` event means that the ' +
    'requested position is no longer available: reload your data, then continue. The connection is closed if the ' +
    'caller loses access or gets another role. Only admins receive events about members, sign-in, service ' +
    'accounts, and keys. On each server, a key or session can have 20 open streams, and an org 500 by default; ' +
    'more are rejected with 429.',
  tag: 'Events',
  method: 'GET',
  path: '/events/:org',
  access: 'read',
  params: z.strictObject({ org: OrgName }),
  query: z.strictObject({
    topics: z
      .string()
      .max(1000)
      .regex(/^[a-z_]+(,[a-z_]+)*$/, 'must be subject kinds separated by commas, for example flow,environment')
      .optional()
      .meta({ description: 'Only events about these kinds of subject, separated by commas' }),
  }),
  status: 200,
  reply: FeedEvent,
  replyType: 'text/event-stream',
  errors: [400, 401, 403, 429, 503],
});
