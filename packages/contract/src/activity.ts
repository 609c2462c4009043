import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams, PerPage, repeated } from './evidence.ts';
import { EpochSeconds, QueryTime, text, Unreadable } from './primitives.ts';

const Activity = z
  .object({
    id: z.string().meta({ description: 'Of the entry in the journal' }),
    type: z.string().meta({ description: 'What happened, as the event stream names it' }),
    actor: z.string(),
    recorded_at: EpochSeconds,
    subject: z.object({
      kind: z.string(),
      id: z.string(),
      name: z.string().nullable().meta({ description: 'What it was called then; null when that is not known' }),
    }),
    text: z.string().meta({ description: 'What happened, in a sentence' }),
    html_path: z.string().nullable().meta({ description: 'Where to look at it in the web application' }),
    unreadable: Unreadable,
  })
  .meta({ id: 'Activity' });
export type Activity = z.infer<typeof Activity>;

export const listActivity = contract({
  id: 'listActivity',
  summary: 'List what anyone did in an org, newest first',
  description:
    'Everything that the journal has. What is about members, sign-in, service accounts and keys is for admins. With a ' +
    'filter that few match, a page may hold fewer than asked for while `next` leads on.',
  tag: 'Events',
  method: 'GET',
  path: '/activity/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    actor: text(255).optional().meta({ description: 'Only what was done under this name' }),
    type: repeated(
      z
        .string()
        .max(100)
        .regex(/^[a-z_]+(\.[a-z_]+(\.v\d{1,3})?)?$/, 'must be a type of event, or its first word'),
      50,
    ).meta({
      description: 'Any of these: `policy` for all about policies, `policy.versioned`, or with its version `.v1`',
      examples: ['policy'],
    }),
    from: QueryTime.optional().meta({ description: 'Only what was recorded from this time on, in seconds since 1970' }),
    to: QueryTime.optional().meta({ description: 'Only what was recorded up to this time' }),
    subject_kind: z
      .string()
      .max(100)
      .regex(/^[a-z_]+$/, 'must be a kind of subject, such as flow or environment')
      .optional()
      .meta({ description: 'Only what is about this kind of subject', examples: ['environment'] }),
    per_page: PerPage(100).meta({ description: '50 unless given' }),
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
