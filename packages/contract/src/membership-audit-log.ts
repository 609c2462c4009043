import { z } from 'zod';
import { contract } from './contract.ts';
import { Links, OrgParams, PerPage, repeated } from './evidence.ts';
import { EpochSeconds, Page, QueryTime, text } from './primitives.ts';
import { Role, roles } from './roles.ts';

const EventType = z.enum(['added', 'changed', 'removed']);
const Source = z.enum(['app', 'scim', 'invitation', 'script']);
const RoleOrNone = z.enum([...roles, '']);

export const MembershipEvent = z
  .object({
    id: z.string(),
    event_type: EventType,
    user: z.string().meta({ description: 'Name of the affected user; falls back to the login' }),
    user_login: z.string(),
    changed_by: z.string().meta({ description: 'Name of the actor; falls back to the login' }),
    role: RoleOrNone.meta({ description: 'The new role; empty for a removal' }),
    previous_role: RoleOrNone.meta({ description: 'Empty for an addition' }),
    source: Source,
    created_at: EpochSeconds,
  })
  .meta({ id: 'MembershipEvent' });
export type MembershipEvent = z.infer<typeof MembershipEvent>;

export const getMembershipAuditLog = contract({
  id: 'getMembershipAuditLog',
  summary: 'List membership changes of an org, newest first',
  description:
    'Names are those at the time of the change. Entries about former members are kept. Requires the admin role ' +
    'unless the org makes members visible to every role.',
  tag: 'Members',
  method: 'GET',
  path: '/membership-audit-log/:org',
  access: 'read_members',
  params: OrgParams,
  query: z.strictObject({
    page: Page.optional(),
    per_page: PerPage(100).meta({ description: 'Events per page. Default: 15' }),
    search: text(255).optional().meta({ description: 'Filter by part of the name or login of the user or the actor' }),
    event_type: z.enum([...EventType.options, '']).optional(),
    role: repeated(Role, roles.length).meta({ description: 'Filter by new role; can be repeated' }),
    source: repeated(Source, 4).meta({ description: 'Can be repeated' }),
    from_timestamp: QueryTime.optional().meta({ description: 'Only events at or after this time' }),
    to_timestamp: QueryTime.optional().meta({ description: 'Only events at or before this time' }),
    sort_by: z
      .enum(['when', 'user', 'role', 'changed_by', 'source'])
      .optional()
      .meta({ description: 'Default: `when`' }),
    sort_dir: z.enum(['asc', 'desc']).optional().meta({ description: 'Default: `desc`' }),
  }),
  status: 200,
  reply: z
    .object({
      page: z.number().int(),
      per_page: z.number().int(),
      total_pages: z.number().int(),
      total_count: z.number().int(),
      events: z.array(MembershipEvent),
      _links: Links,
    })
    .meta({ id: 'MembershipAuditLog' }),
  errors: [400, 401, 403, 429, 503],
});
