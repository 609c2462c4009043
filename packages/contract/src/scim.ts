import { z } from 'zod';
import { contract, NoReply } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { OrgName, text } from './primitives.ts';

const TAG = 'SCIM protocol';
const REPLY_TYPE = 'application/scim+json';

/** Ten thousand members of a group, as verbose as providers send them. */
const GROUP_MAX_BYTES = 4 * 1024 * 1024;

const ResourceParams = z.strictObject({ org: OrgName, id: text(255) });

/** Providers add parameters of their own to the given address. */
const Projection = z.looseObject({
  attributes: text(2000).optional().meta({ description: 'Only these attributes, parted by commas' }),
  excludedAttributes: text(2000).optional().meta({ description: 'All but these attributes, parted by commas' }),
});

const ListQuery = Projection.extend({
  filter: text(4000)
    .optional()
    .meta({ description: 'Comparisons with `eq`, joined by `and`', examples: ['userName eq "ada@example.com"'] }),
  startIndex: text(20).optional().meta({ description: 'Of the first result, from 1' }),
  count: text(20).optional().meta({ description: 'At most 200; 100 unless given' }),
});

/** Providers differ in case and in form, so parsing is left to the rules of SCIM. */
const sent = (id: string, description: string, example: Record<string, unknown>) =>
  z
    .looseObject(Object.fromEntries(Object.keys(example).map((name) => [name, z.unknown().optional()])))
    .meta({ id, description, examples: [example] });

const UserInput = sent('ScimUserInput', 'A User of RFC 7643, section 4.1; what is not kept is passed over', {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ada@example.com',
  externalId: '00u1',
  active: true,
  displayName: 'Ada Lovelace',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
});
const GroupInput = sent('ScimGroupInput', 'A Group of RFC 7643, section 4.2, with the ids of users as members', {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
  displayName: 'Engineers',
  externalId: '00g1',
  members: [{ value: '0198c0de-0000-7000-8000-000000000001' }],
});
const PatchInput = sent('ScimPatch', 'A PatchOp message of RFC 7644, section 3.5.2', {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'displayName', value: 'Makers' }],
});

const Meta = z.object({
  resourceType: z.string(),
  created: z.string(),
  lastModified: z.string(),
  location: z.string(),
});

/** All but the id may be left out on request. */
export const ScimUserResource = z
  .object({
    schemas: z.array(z.string()),
    id: z.string(),
    externalId: z.string().optional(),
    userName: z.string().optional(),
    name: z
      .object({
        formatted: z.string().optional(),
        givenName: z.string().optional(),
        familyName: z.string().optional(),
      })
      .optional(),
    displayName: z.string().optional(),
    active: z.boolean().optional(),
    emails: z.array(z.object({ value: z.string(), type: z.string().optional(), primary: z.boolean() })).optional(),
    meta: Meta.optional(),
  })
  .meta({ id: 'ScimUser' });
export type ScimUserResource = z.infer<typeof ScimUserResource>;

export const ScimGroupResource = z
  .object({
    schemas: z.array(z.string()),
    id: z.string(),
    externalId: z.string().optional(),
    displayName: z.string().optional(),
    members: z.array(z.object({ value: z.string(), display: z.string() })).optional(),
    meta: Meta.optional(),
  })
  .meta({ id: 'ScimGroup' });
export type ScimGroupResource = z.infer<typeof ScimGroupResource>;

function listOf(resource: z.ZodType) {
  return z.object({
    schemas: z.array(z.string()),
    totalResults: z.number().int(),
    startIndex: z.number().int(),
    itemsPerPage: z.number().int(),
    Resources: z.array(resource),
  });
}

const Described = z.record(z.string(), z.unknown());
const LOCATION = { location: 'Where it can be read' };

export const scimListUsers = contract({
  id: 'scimListUsers',
  summary: 'Find users',
  description: 'By `userName`, `externalId`, `id`, `emails.value`, `displayName` or `active`.',
  tag: TAG,
  method: 'GET',
  path: '/scim/v2/:org/Users',
  access: 'scim',
  params: OrgParams,
  query: ListQuery,
  status: 200,
  reply: listOf(ScimUserResource),
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 429, 503],
});

export const scimCreateUser = contract({
  id: 'scimCreateUser',
  summary: 'Provision a user',
  description:
    'An account with the e-mail address of the user becomes a member; without one it is made. The address is the primary ' +
    'one, else that for work, else the first, else the `userName`. The account itself belongs to the person: SCIM changes ' +
    'neither its name nor its address.',
  tag: TAG,
  method: 'POST',
  path: '/scim/v2/:org/Users',
  access: 'scim',
  params: OrgParams,
  query: Projection,
  body: UserInput,
  status: 201,
  reply: ScimUserResource,
  replyType: REPLY_TYPE,
  replyHeaders: LOCATION,
  errors: [400, 401, 403, 409, 413, 429, 503],
});

export const scimGetUser = contract({
  id: 'scimGetUser',
  summary: 'Get a user',
  tag: TAG,
  method: 'GET',
  path: '/scim/v2/:org/Users/:id',
  access: 'scim',
  params: ResourceParams,
  query: Projection,
  status: 200,
  reply: ScimUserResource,
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 404, 429, 503],
});

export const scimReplaceUser = contract({
  id: 'scimReplaceUser',
  summary: 'Replace a user',
  description: 'Without `active` the user stays active or inactive as before.',
  tag: TAG,
  method: 'PUT',
  path: '/scim/v2/:org/Users/:id',
  access: 'scim',
  params: ResourceParams,
  query: Projection,
  body: UserInput,
  status: 200,
  reply: ScimUserResource,
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});

export const scimPatchUser = contract({
  id: 'scimPatchUser',
  summary: 'Change a user',
  description: 'A user who is no longer active is no longer a member, and is signed out of the org.',
  tag: TAG,
  method: 'PATCH',
  path: '/scim/v2/:org/Users/:id',
  access: 'scim',
  params: ResourceParams,
  query: Projection,
  body: PatchInput,
  status: 200,
  reply: ScimUserResource,
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});

export const scimDeleteUser = contract({
  id: 'scimDeleteUser',
  summary: 'Deprovision a user',
  description: 'Ends the membership. The account of the person stays.',
  tag: TAG,
  method: 'DELETE',
  path: '/scim/v2/:org/Users/:id',
  access: 'scim',
  params: ResourceParams,
  status: 204,
  reply: NoReply,
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 404, 409, 429, 503],
});

export const scimListGroups = contract({
  id: 'scimListGroups',
  summary: 'Find groups',
  description:
    'By `displayName`, `externalId`, `id` or `members.value`. A page has fewer groups than asked for when their members ' +
    'are many; leave them out with `excludedAttributes=members`.',
  tag: TAG,
  method: 'GET',
  path: '/scim/v2/:org/Groups',
  access: 'scim',
  params: OrgParams,
  query: ListQuery,
  status: 200,
  reply: listOf(ScimGroupResource),
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 429, 503],
});

export const scimCreateGroup = contract({
  id: 'scimCreateGroup',
  summary: 'Provision a group',
  description:
    'It gives no role until an admin of the org maps it to one. Members are users; groups in groups are refused.',
  tag: TAG,
  method: 'POST',
  path: '/scim/v2/:org/Groups',
  access: 'scim',
  params: OrgParams,
  query: Projection,
  body: GroupInput,
  bodyMaxBytes: GROUP_MAX_BYTES,
  status: 201,
  reply: ScimGroupResource,
  replyType: REPLY_TYPE,
  replyHeaders: LOCATION,
  errors: [400, 401, 403, 409, 413, 429, 503],
});

export const scimGetGroup = contract({
  id: 'scimGetGroup',
  summary: 'Get a group',
  tag: TAG,
  method: 'GET',
  path: '/scim/v2/:org/Groups/:id',
  access: 'scim',
  params: ResourceParams,
  query: Projection,
  status: 200,
  reply: ScimGroupResource,
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 404, 429, 503],
});

export const scimReplaceGroup = contract({
  id: 'scimReplaceGroup',
  summary: 'Replace a group and its members',
  description: 'The role it gives stays.',
  tag: TAG,
  method: 'PUT',
  path: '/scim/v2/:org/Groups/:id',
  access: 'scim',
  params: ResourceParams,
  query: Projection,
  body: GroupInput,
  bodyMaxBytes: GROUP_MAX_BYTES,
  status: 200,
  reply: ScimGroupResource,
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});

export const scimPatchGroup = contract({
  id: 'scimPatchGroup',
  summary: 'Change a group or its members',
  description:
    'All operations or none. Users to remove who are no members are passed over; users to add must be known. The answer ' +
    'has no body, because members may be many.',
  tag: TAG,
  method: 'PATCH',
  path: '/scim/v2/:org/Groups/:id',
  access: 'scim',
  params: ResourceParams,
  query: Projection,
  body: PatchInput,
  bodyMaxBytes: GROUP_MAX_BYTES,
  status: 204,
  reply: NoReply,
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});

export const scimDeleteGroup = contract({
  id: 'scimDeleteGroup',
  summary: 'Remove a group',
  description: 'Its members lose the role it gave.',
  tag: TAG,
  method: 'DELETE',
  path: '/scim/v2/:org/Groups/:id',
  access: 'scim',
  params: ResourceParams,
  status: 204,
  reply: NoReply,
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 404, 409, 429, 503],
});

export const scimGetServiceProviderConfig = contract({
  id: 'scimGetServiceProviderConfig',
  summary: 'What this SCIM service can do',
  tag: TAG,
  method: 'GET',
  path: '/scim/v2/:org/ServiceProviderConfig',
  access: 'scim',
  params: OrgParams,
  status: 200,
  reply: Described,
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 429, 503],
});

export const scimListResourceTypes = contract({
  id: 'scimListResourceTypes',
  summary: 'List what is provisioned here',
  tag: TAG,
  method: 'GET',
  path: '/scim/v2/:org/ResourceTypes',
  access: 'scim',
  params: OrgParams,
  status: 200,
  reply: listOf(Described),
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 429, 503],
});

export const scimGetResourceType = contract({
  id: 'scimGetResourceType',
  summary: 'Get one kind of what is provisioned here',
  tag: TAG,
  method: 'GET',
  path: '/scim/v2/:org/ResourceTypes/:id',
  access: 'scim',
  params: ResourceParams,
  status: 200,
  reply: Described,
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 404, 429, 503],
});

export const scimListSchemas = contract({
  id: 'scimListSchemas',
  summary: 'List the attributes that are kept',
  tag: TAG,
  method: 'GET',
  path: '/scim/v2/:org/Schemas',
  access: 'scim',
  params: OrgParams,
  status: 200,
  reply: listOf(Described),
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 429, 503],
});

export const scimGetSchema = contract({
  id: 'scimGetSchema',
  summary: 'Get the attributes that are kept of one kind',
  tag: TAG,
  method: 'GET',
  path: '/scim/v2/:org/Schemas/:id',
  access: 'scim',
  params: ResourceParams,
  status: 200,
  reply: Described,
  replyType: REPLY_TYPE,
  errors: [400, 401, 403, 404, 429, 503],
});
