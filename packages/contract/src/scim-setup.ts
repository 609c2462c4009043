import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { EpochSeconds, OrgName } from './primitives.ts';
import { Role } from './roles.ts';

/** A list that is sent as a whole must have a bound. */
export const SCIM_GROUPS_MAX = 1000;

export const turnOnScim = contract({
  id: 'turnOnScim',
  summary: 'Turn on SCIM for an org',
  description:
    'Returns the URL and the key to enter at the identity provider. The key is shown only once. Repeating the ' +
    'request creates a new key and revokes the previous one. While SCIM is on, the roles of provisioned people ' +
    'follow their groups: they cannot be changed in Waymark, and nobody can be invited or join by signing in. ' +
    'Members who were not provisioned stay as they are, and can be changed and removed as before. `default_role` ' +
    'is the role of provisioned people whose groups have none; if absent, it does not change, and is initially ' +
    'none. For shared orgs only.',
  tag: 'SCIM',
  method: 'POST',
  path: '/organizations/:org/scim',
  access: 'manage_org',
  params: OrgParams,
  body: z.strictObject({ default_role: Role.nullable().optional() }).meta({ id: 'ScimStart' }).optional(),
  status: 201,
  reply: z
    .object({
      id: z.string().meta({ description: 'Id of the key' }),
      base_url: z.string().meta({ description: 'URL of the SCIM service of the org' }),
      key: z.string().meta({ description: 'The bearer token; shown once' }),
    })
    .meta({ id: 'ScimAccess' }),
  shownOnce: 'key',
  errors: [400, 401, 403, 409, 413, 429, 503],
});

export const ScimState = z
  .object({
    enabled: z.boolean(),
    base_url: z.string(),
    default_role: Role.nullable().meta({
      description: 'Role of active users without a group that has one; null is none',
    }),
    created_at: EpochSeconds.nullable().meta({ description: 'Id of the key; null while SCIM is off' }),
    key_made_by: z
      .string()
      .nullable()
      .meta({
        description:
          'Login of the person who created the key, even if they are no longer a member. Null while SCIM is off, ' +
          'or if the operator created it',
      }),
    key_suspended_at: EpochSeconds.nullable().meta({
      description:
        'When the key was suspended because the person who created it left the org or has a lower role now; null ' +
        'if not suspended. Turning SCIM on again creates another key',
    }),
    last_used_at: EpochSeconds.nullable().meta({ description: 'Accurate to the minute' }),
    users: z.number().int(),
    groups: z.number().int(),
    unmanaged_members: z.number().int().meta({ description: 'Members whom the identity provider did not provision' }),
  })
  .meta({ id: 'ScimState' });
export type ScimState = z.infer<typeof ScimState>;

export const getScim = contract({
  id: 'getScim',
  summary: 'Get the SCIM settings of an org',
  tag: 'SCIM',
  method: 'GET',
  path: '/organizations/:org/scim',
  access: 'manage_org',
  params: OrgParams,
  status: 200,
  reply: ScimState,
  errors: [400, 401, 403, 429, 503],
});

export const configureScim = contract({
  id: 'configureScim',
  summary: 'Set the default role of provisioned people',
  description:
    'With `null`, people without a group that has a role are not members. Takes effect immediately. Rejected if ' +
    'it would leave the org without an admin.',
  tag: 'SCIM',
  method: 'PUT',
  path: '/organizations/:org/scim',
  access: 'manage_org',
  params: OrgParams,
  body: z.strictObject({ default_role: Role.nullable() }).meta({ id: 'ScimSettings' }),
  status: 200,
  reply: ScimState,
  errors: [400, 401, 403, 409, 413, 429, 503],
});

export const turnOffScim = contract({
  id: 'turnOffScim',
  summary: 'Turn off SCIM for an org',
  description:
    'The key is revoked. Members stay as they are and can be edited again. Provisioned users and groups are kept ' +
    'in case SCIM is turned on again.',
  tag: 'SCIM',
  method: 'DELETE',
  path: '/organizations/:org/scim',
  access: 'manage_org',
  params: OrgParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});

export const MappedGroup = z
  .object({
    id: z.string(),
    display_name: z.string(),
    external_id: z.string().nullable(),
    role: Role.nullable(),
    members: z.number().int(),
  })
  .meta({ id: 'ScimMappedGroup' });
export type MappedGroup = z.infer<typeof MappedGroup>;

export const listScimGroups = contract({
  id: 'listScimGroups',
  summary: 'List provisioned groups with their roles',
  description: `Sorted by name. An org can have at most ${SCIM_GROUPS_MAX} groups.`,
  tag: 'SCIM',
  method: 'GET',
  path: '/organizations/:org/scim/groups',
  access: 'manage_org',
  params: OrgParams,
  status: 200,
  reply: z.array(MappedGroup),
  errors: [400, 401, 403, 429, 503],
});

export const mapScimGroup = contract({
  id: 'mapScimGroup',
  summary: 'Set the role of a group',
  description:
    'Its members get this role immediately, unless another of their groups has a higher one; `null` removes it. ' +
    "Rejected if it would leave the org without an admin: map the admins' group first.",
  tag: 'SCIM',
  method: 'PUT',
  path: '/organizations/:org/scim/groups/:id',
  access: 'manage_org',
  params: z.strictObject({ org: OrgName, id: z.uuid('must be the id of a group') }),
  body: z.strictObject({ role: Role.nullable() }).meta({ id: 'ScimGroupRole' }),
  status: 200,
  reply: MappedGroup,
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});
