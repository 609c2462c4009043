import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { EpochSeconds, OrgName } from './primitives.ts';
import { Role } from './roles.ts';

/** A list that is sent as a whole must have a bound. */
export const SCIM_GROUPS_MAX = 1000;

export const turnOnScim = contract({
  id: 'turnOnScim',
  summary: 'Let the identity provider manage the members of an org',
  description:
    'Gives the address and the key to enter there. The key is shown this once. Asking again makes a new key and revokes ' +
    'the one before. While SCIM is on, the roles of the people it provisioned follow their groups, and nobody changes ' +
    'them here, is invited or joins by signing in. Members whom it did not provision stay as they are, and can be ' +
    'changed and removed as before. `default_role` is the role of provisioned people whom no group gives one; without ' +
    'it the role stays as it was, none at first. For shared orgs only.',
  tag: 'SCIM',
  method: 'POST',
  path: '/organizations/:org/scim',
  access: 'manage_org',
  params: OrgParams,
  body: z.strictObject({ default_role: Role.nullable().optional() }).meta({ id: 'ScimStart' }).optional(),
  status: 201,
  reply: z
    .object({
      id: z.string().meta({ description: 'Of the key' }),
      base_url: z.string().meta({ description: 'The address of the SCIM service of the org' }),
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
    default_role: Role.nullable().meta({ description: 'Of active users in no group that has a role; null is none' }),
    created_at: EpochSeconds.nullable().meta({ description: 'Of the key; null while SCIM is off' }),
    key_made_by: z
      .string()
      .nullable()
      .meta({
        description:
          'Login of the person who made the key, also if they are no longer a member. Null while SCIM is off, and when ' +
          'the operator made it',
      }),
    key_suspended_at: EpochSeconds.nullable().meta({
      description:
        'Since when the key is refused, because the person who made it left the org or has a lesser role now; null when ' +
        'it is not. Turning SCIM on again makes another key',
    }),
    last_used_at: EpochSeconds.nullable().meta({ description: 'To the minute' }),
    users: z.number().int(),
    groups: z.number().int(),
    unmanaged_members: z.number().int().meta({ description: 'Members whom the identity provider did not provision' }),
  })
  .meta({ id: 'ScimState' });
export type ScimState = z.infer<typeof ScimState>;

export const getScim = contract({
  id: 'getScim',
  summary: 'Whether the identity provider manages the members of an org',
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
  summary: 'Choose the role of provisioned people whom no group gives one',
  description:
    'With `null`, people in no group that has a role are no members. Takes effect at once. Refused if it would leave the ' +
    'org without an admin.',
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
  summary: 'Stop the identity provider from managing the members of an org',
  description:
    'The key is revoked. Members stay as they are and can be edited again. What was provisioned is kept for the day SCIM ' +
    'is turned on again.',
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
  summary: 'List the groups that the identity provider sent, with the role each gives',
  description: `By name. An org has at most ${SCIM_GROUPS_MAX} of them.`,
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
  summary: 'Choose the role that a group gives',
  description:
    'Its members have this role at once, unless another of their groups gives a higher one; `null` takes it away. Refused ' +
    'if it would leave the org without an admin: map the group of the admins first.',
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
