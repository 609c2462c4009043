import { z } from 'zod';
import { contract, NoReply } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { OrgName, text } from './primitives.ts';

const TAG = 'SCIM protocol';
const REPLY_TYPE = 'application/scim+json';

/** Ten thousand members of a group, as verbose as providers send them. */
export const GROUP_MAX_BYTES = 4 * 1024 * 1024;

const ResourceParams = z.strictObject({ org: OrgName, id: text(255) });

/** Providers add parameters of their own to the given address. */
const Projection = z.looseObject({
  attributes: text(2000).optional().meta({ description: 'Only these attributes, separated by commas' }),
  excludedAttributes: text(2000).optional().meta({ description: 'All except these attributes, separated by commas' }),
});

const ListQuery = Projection.extend({
  filter: text(4000)
    .optional()
    .meta({ description: 'Comparisons with `eq`, joined by `and`', examples: ['userName eq "ada@example.com"'] }),
  startIndex: text(20).optional().meta({ description: 'Index of the first result, starting at 1' }),
  count: text(20).optional().meta({ description: 'At most 200. Default: 100' }),
});

/** Providers differ in case and in form, so parsing is left to the rules of SCIM. */
const sent = (id: string, description: string, example: Record<string, unknown>) =>
  z
    .looseObject(Object.fromEntries(Object.keys(example).map((name) => [name, z.unknown().optional()])))
    .meta({ id, description, examples: [example] });

const UserInput = sent('ScimUserInput', 'A User of RFC 7643, section 4.1; unsupported attributes are ignored', {
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
const LOCATION = { location: 'URL of the resource' };

export const scimListUsers = contract({
  id: 'scimListUsers',
  summary: 'List users',
  description: 'Filter by `userName`, `externalId`, `id`, `emails.value`, `displayName`, or `active`.',
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
    'An account with the email address of the user becomes a member; if none exists, it is created. The address ' +
    'is the primary one, or else the one for work, the first one, or the `userName`. The account belongs to the ' +
    'person: SCIM changes neither its name nor its address.',
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
  description: 'Without `active`, the user stays active or inactive.',
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
  description: 'A user who becomes inactive is no longer a member, and is signed out of the org.',
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
  description: "Ends the membership. The person's account is kept.",
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
  summary: 'List groups',
  description:
    'Filter by `displayName`, `externalId`, `id`, or `members.value`. A page contains fewer groups than requested ' +
    'if they have many members; omit those with `excludedAttributes=members`.',
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
    'The group has no role until an admin of the org maps it to one. Members are users; nested groups are rejected.',
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
  description: 'The role of the group does not change.',
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
    'Either all operations are applied or none. Users to remove who are not members are ignored; users to add ' +
    'must exist. The response has no body, because a group can have many members.',
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
  description: 'Its members lose the role of the group.',
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
  summary: 'Get the SCIM capabilities of this service',
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
  summary: 'List the SCIM resource types',
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
  summary: 'Get a SCIM resource type',
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
  summary: 'List the SCIM schemas',
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
  summary: 'Get a SCIM schema',
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
