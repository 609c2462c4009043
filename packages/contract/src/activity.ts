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
