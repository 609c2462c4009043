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
  summary: 'Follow what happens in an org, live',
  description:
    'Server-sent events, one connection for all topics. Send the last `id` seen as `Last-Event-ID` to go on where a ' +
    'broken connection ended; without it the stream starts now. An event `reset` says that the asked-for position is ' +
    'no longer kept: reload what you show, then go on. The connection is closed when the caller loses access ' +
    'or gets another role. Events about members, sign-in, service accounts and keys are for admins. A key or session ' +
    'may have 20 streams open on a server, and an org 500 unless the operator chose another number: more are refused ' +
    'with 429.',
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
      .meta({ description: 'Only events about these kinds of subject, comma separated' }),
  }),
  status: 200,
  reply: FeedEvent,
  replyType: 'text/event-stream',
  errors: [400, 401, 403, 429, 503],
});
