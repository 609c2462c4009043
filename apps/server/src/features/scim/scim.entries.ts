import { Role } from '@waymark/contract';
import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const Roles = { role: Role.nullable(), previous_role: Role.nullable() };
const User = { user_id: z.string(), user_name: z.string() };

export const scimTurnedOn = defineEntry({
  type: 'scim.turned_on',
  version: 1,
  summary: 'SCIM was turned on: the identity provider manages the members of the org with this key',
  payload: z.strictObject({ key_id: z.string() }),
});

export const scimKeyReplaced = defineEntry({
  type: 'scim.key_replaced',
  version: 1,
  summary: 'The SCIM key of the org was replaced',
  payload: z.strictObject({ key_id: z.string() }),
});

export const scimTurnedOff = defineEntry({
  type: 'scim.turned_off',
  version: 1,
  summary: 'SCIM was turned off: the identity provider no longer manages the members of the org',
  payload: z.strictObject({}),
});

export const scimDefaultRoleChanged = defineEntry({
  type: 'scim.default_role_changed',
  version: 1,
  summary: 'The default role of provisioned users was changed',
  payload: z.strictObject(Roles),
});

export const scimUserProvisioned = defineEntry({
  type: 'scim_user.provisioned',
  version: 1,
  summary: 'The identity provider provisioned a user; `user_id` is their account',
  payload: z.strictObject({ ...User, active: z.boolean() }),
});

export const scimUserChanged = defineEntry({
  type: 'scim_user.changed',
  version: 1,
  summary: 'The identity provider changed the attributes of a user',
  payload: z.strictObject({ ...User, active: z.boolean() }),
});

export const scimUserDeprovisioned = defineEntry({
  type: 'scim_user.deprovisioned',
  version: 1,
  summary: 'The identity provider removed a user',
  payload: z.strictObject(User),
});

export const scimGroupCreated = defineEntry({
  type: 'scim_group.created',
  version: 1,
  summary: 'The identity provider provisioned a group; `members` is the number of its members',
  payload: z.strictObject({ display_name: z.string(), members: z.number() }),
});

export const scimGroupChanged = defineEntry({
  type: 'scim_group.changed',
  version: 1,
  summary: 'The identity provider changed a group; contains the number of added and removed members',
  payload: z.strictObject({ display_name: z.string(), added: z.number(), removed: z.number() }),
});

export const scimGroupMapped = defineEntry({
  type: 'scim_group.mapped',
  version: 1,
  summary: 'The role of a group was changed',
  payload: z.strictObject({ display_name: z.string(), ...Roles }),
});

export const scimGroupDeleted = defineEntry({
  type: 'scim_group.deleted',
  version: 1,
  summary: 'The identity provider removed a group',
  payload: z.strictObject({ display_name: z.string() }),
});
