import { z } from 'zod';
import { contract } from './contract.ts';
import { Links, OrgParams, PerPage } from './evidence.ts';
import { EpochSeconds, OrgName, Page, QueryTime } from './primitives.ts';
import { Role } from './roles.ts';

const MemberParams = z.strictObject({
  org: OrgName,
  login: OrgName.meta({ description: 'Login of the member' }),
});

export const Member = z
  .object({
    login: z.string(),
    display_name: z.string().meta({ description: 'Falls back to the login' }),
    email: z.string().nullable(),
    role: Role,
    since: EpochSeconds.meta({ description: 'Since when they have this role, in seconds since 1970' }),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;

/** Bounds the reply. The journal names all. */
export const SUSPENDED_NAMED = 100;

const Suspended = z
  .object({
    kind: z.enum(['api_key', 'scim_key', 'workload_identity']),
    id: z.string(),
    name: z.string().meta({ description: 'Description of a key, or name of a workload identity' }),
    service_account: z.string(),
  })
  .meta({ id: 'Suspended' });

export const ChangedMember = Member.extend({
  suspended: z.array(Suspended).meta({
    description:
      'Keys and workload identities of the member that are suspended because they grant more than the new role; ' +
      `at most ${SUSPENDED_NAMED} are listed`,
  }),
  suspended_count: z.number().int(),
}).meta({ id: 'ChangedMember' });
export type ChangedMember = z.infer<typeof ChangedMember>;

export const listMembers = contract({
  id: 'listMembers',
  summary: 'List the members of an org, by login',
  description:
    'With `at`, returns the members at that time, with their roles and names of that time. Requires the admin role ' +
    'unless the org makes members visible to every role.',
  tag: 'Members',
  method: 'GET',
  path: '/organizations/:org/members',
  access: 'read_members',
  params: OrgParams,
  query: z.strictObject({
    page: Page.optional(),
    per_page: PerPage(100).meta({ description: 'Members per page. Default: 15' }),
    at: QueryTime.optional().meta({ description: 'Seconds since 1970' }),
  }),
  status: 200,
  reply: z
    .object({
      members: z.array(Member),
      page: z.number().int(),
      per_page: z.number().int(),
      total_pages: z.number().int(),
      total_count: z.number().int(),
      _links: Links,
    })
    .meta({ id: 'MemberPage' }),
  errors: [400, 401, 403, 429, 503],
});

export const changeMember = contract({
  id: 'changeMember',
  summary: 'Change the role of a member',
  description:
    'Takes effect with the next request. Open invitations to the address of the member are withdrawn. With a ' +
    'lower role, service account keys and workload identities that the member created and that grant more are ' +
    'suspended; admins can restore them. The role of the last admin cannot be changed. Repeating the request ' +
    'changes nothing and succeeds. Answers 409 for a person whom the identity provider of the org manages.',
  tag: 'Members',
  method: 'PATCH',
  path: '/organizations/:org/members/:login',
  access: 'manage_members',
  params: MemberParams,
  body: z.strictObject({ role: Role }).meta({ id: 'MemberInput' }),
  status: 200,
  reply: ChangedMember,
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});

export const removeMember = contract({
  id: 'removeMember',
  summary: 'Remove a member from an org',
  description:
    'Their keys and sessions lose access to the org with the next request, and stay valid elsewhere. Service ' +
    'account keys and workload identities that they created are suspended and listed in the response; admins can ' +
    'restore them. Their records are kept. Open invitations to their address are withdrawn. The last admin cannot ' +
    'be removed.',
  tag: 'Members',
  method: 'DELETE',
  path: '/organizations/:org/members/:login',
  access: 'manage_members',
  params: MemberParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 409, 429, 503],
});

export const leaveOrganization = contract({
  id: 'leaveOrganization',
  summary: 'Leave an org',
  description:
    'For people. Service account keys and workload identities that you created are suspended and listed in the ' +
    'response. The last admin cannot leave, and you cannot leave your personal org.',
  tag: 'User',
  method: 'DELETE',
  path: '/user/organizations/:org',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 409, 429, 503],
});
