import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams, PerPage, repeated } from './evidence.ts';
import { EpochSeconds, QueryTime, text, Unreadable } from './primitives.ts';

const Activity = z
  .object({
    id: z.string().meta({ description: 'Id of the journal entry' }),
    type: z.string().meta({ description: 'Event type, as in the event stream' }),
    actor: z.string(),
    recorded_at: EpochSeconds,
    subject: z.object({
      kind: z.string(),
      id: z.string(),
      name: z.string().nullable().meta({ description: 'Its name at that time; null if unknown' }),
    }),
    text: z.string().meta({ description: 'Summary of the event' }),
    html_path: z.string().nullable().meta({ description: 'URL of the subject in the web application' }),
    unreadable: Unreadable,
  })
  .meta({ id: 'Activity' });
export type Activity = z.infer<typeof Activity>;

const Filters = {
  actor: text(255).optional().meta({ description: 'Filter by actor name' }),
  type: repeated(
    z
      .string()
      .max(100)
      .regex(/^[a-z_]+(\.[a-z_]+(\.v\d{1,3})?)?$/, 'must be an event type or its first word'),
    50,
  ).meta({
    description:
      'Filter by event type: `policy` for all policy events, `policy.versioned`, or a specific ' +
      'version such as `policy.versioned.v1`. Repeat to match any of several',
    examples: ['policy'],
  }),
  from: QueryTime.optional().meta({
    description: 'Only entries recorded at or after this time, in seconds since 1970',
  }),
  to: QueryTime.optional().meta({
    description: 'Only entries recorded at or before this time, in seconds since 1970',
  }),
  subject_kind: z
    .string()
    .max(100)
    .regex(/^[a-z_]+$/, 'must be a kind of subject, such as flow or environment')
    .optional()
    .meta({ description: 'Filter by the kind of subject', examples: ['environment'] }),
};

export const listActivity = contract({
  id: 'listActivity',
  summary: 'List the activity of an org, newest first',
  description:
    'Returns the journal of the org. Only admins see entries about members, sign-in, service accounts, and keys. ' +
    'With a selective filter, a page can contain fewer entries than `per_page` even though `next` is set.',
  tag: 'Events',
  method: 'GET',
  path: '/activity/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    ...Filters,
    per_page: PerPage(100).meta({ description: 'Entries per page. Default: 50' }),
    after: z.string().max(1024).optional().meta({ description: 'Cursor from `pagination.next`' }),
  }),
  status: 200,
  reply: z
    .object({
      data: z.array(Activity),
      pagination: z.object({
        per_page: z.number().int(),
        next: z.string().nullable().meta({ description: 'Cursor for `after`; null on the last page' }),
      }),
    })
    .meta({ id: 'ActivityPage' }),
  errors: [400, 401, 403, 429, 503],
});

export const countActivity = contract({
  id: 'countActivity',
  summary: 'Count the activity of an org by time',
  description:
    'One bucket per hour, day, or week (UTC, weeks start on Monday), including empty ones, at most 400. Default: the ' +
    'last 30 days. Only the newest 100,000 entries of the period are counted; `counted_from` says how far back they go.',
  tag: 'Events',
  method: 'GET',
  path: '/activity/:org/counts',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    ...Filters,
    interval: z.enum(['hour', 'day', 'week']).optional().meta({ description: 'Default: `day`' }),
  }),
  status: 200,
  reply: z
    .object({
      from: EpochSeconds,
      to: EpochSeconds,
      interval: z.enum(['hour', 'day', 'week']),
      total: z.number().int().meta({ description: 'Matching entries in the period' }),
      counted_from: EpochSeconds.nullable().meta({
        description: 'Set if the period has more entries than are counted: the time of the oldest counted one',
      }),
      buckets: z.array(
        z.object({
          start: EpochSeconds.meta({ description: 'Start of the hour, day, or week' }),
          entries: z.number().int(),
        }),
      ),
    })
    .meta({ id: 'ActivityCounts' }),
  errors: [400, 401, 403, 429, 503],
});

export const listActors = contract({
  id: 'listActors',
  summary: 'List the actors of an org',
  description:
    'Returns who recorded entries lately, most recent first: in the newest 20,000 entries, and in as many of the ' +
    'entries that neither pipelines nor reporters record. Only admins see actors whose entries only admins see.',
  tag: 'Events',
  method: 'GET',
  path: '/activity/:org/actors',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    name: text(255).optional().meta({ description: 'Filter by a part of the name, ignoring case' }),
    limit: z.coerce.number().int().min(1).max(100).optional().meta({ description: 'Default: 20' }),
  }),
  status: 200,
  reply: z
    .object({
      actors: z.array(
        z.object({
          name: z.string(),
          last_at: EpochSeconds.meta({ description: 'Time of the most recent entry' }),
        }),
      ),
    })
    .meta({ id: 'Actors' }),
  errors: [400, 401, 403, 429, 503],
});
