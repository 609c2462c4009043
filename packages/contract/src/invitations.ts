import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { EpochSeconds, OrgName, text } from './primitives.ts';
import { Role } from './roles.ts';

/** Limits of an org: open invitations, and invitations per day. */
export const INVITATIONS_MAX = 1000;

const InvitationId = z.uuid('must be the id of an invitation');

/** Visible ASCII only: similar letters, or ones that become equal in lower case, make another person's address. */
const Email = z
  .string()
  .max(254)
  .regex(/^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$/, 'must be an email address')
  .meta({ examples: ['ada@example.com'] });

const shared = {
  id: z.string(),
  role: Role,
  invited_by: z.string(),
  created_at: EpochSeconds,
  expires_at: EpochSeconds,
};

export const Invitation = z.object({ ...shared, email: z.string() }).meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof Invitation>;

export const createInvitation = contract({
  id: 'createInvitation',
  summary: 'Invite a person by email',
  description:
    'The invitation can be accepted by a user signed in with this address, or with the code from the email, for 7 ' +
    'days and as long as the inviter can still invite. A new invitation to the same address replaces the open ' +
    `one; at most 5 per day. An org can have at most ${INVITATIONS_MAX} open invitations, and send at most as ` +
    'many per day. Answers 409 while an identity provider manages the members, and 403 for a credential that a CI ' +
    'job obtained in exchange for its token.',
  tag: 'Members',
  method: 'POST',
  path: '/organizations/:org/invitations',
  access: 'manage_members',
  params: OrgParams,
  body: z.strictObject({ email: Email, role: Role }).meta({ id: 'InvitationInput' }),
  status: 201,
  reply: Invitation,
  errors: [400, 401, 403, 409, 413, 429, 503],
});

export const listInvitations = contract({
  id: 'listInvitations',
  summary: 'List the open invitations of an org, newest first',
  tag: 'Members',
  method: 'GET',
  path: '/organizations/:org/invitations',
  access: 'manage_members',
  params: OrgParams,
  status: 200,
  reply: z.array(Invitation),
  errors: [400, 401, 403, 429, 503],
});

export const revokeInvitation = contract({
  id: 'revokeInvitation',
  summary: 'Withdraw an invitation',
  tag: 'Members',
  method: 'DELETE',
  path: '/organizations/:org/invitations/:invitation_id',
  access: 'manage_members',
  params: z.strictObject({ org: OrgName, invitation_id: InvitationId }),
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});

export const OwnInvitation = z.object({ ...shared, org: z.string() }).meta({ id: 'OwnInvitation' });
export type OwnInvitation = z.infer<typeof OwnInvitation>;

export const listUserInvitations = contract({
  id: 'listUserInvitations',
  summary: 'List the open invitations to the caller’s address, newest first',
  tag: 'User',
  method: 'GET',
  path: '/user/invitations',
  access: 'signed_in',
  status: 200,
  reply: z.array(OwnInvitation),
  errors: [401, 429, 503],
});

export const acceptInvitation = contract({
  id: 'acceptInvitation',
  summary: 'Accept an invitation',
  description:
    'The code from the email is required if the invitation was sent to another address than the caller’s; after 5 ' +
    'wrong codes the invitation is void. A caller who already has a higher role keeps it. A member with this role ' +
    "or a higher one cannot use another person's invitation: 409, and it stays open. Repeating the request " +
    'succeeds.',
  tag: 'User',
  method: 'POST',
  path: '/user/invitations/:invitation_id/accept',
  access: 'person',
  params: z.strictObject({ invitation_id: InvitationId }),
  body: z
    .strictObject({ code: text(100).nullish() })
    .nullish()
    .meta({ id: 'AcceptInvitationInput' }),
  status: 200,
  reply: z.object({ org: z.string(), role: Role }).meta({ id: 'AcceptedInvitation' }),
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});
