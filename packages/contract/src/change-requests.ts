import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { EpochSeconds, filledText, OrgName } from './primitives.ts';

/** How long a change waits for approval. */
export const CHANGE_REQUEST_DAYS = 7;
/** How many changes can wait in an org at a time. */
export const CHANGE_REQUESTS_PENDING_MAX = 100;
/** How many change requests are listed. */
export const CHANGE_REQUESTS_LISTED_MAX = 100;

export const changeRequestStates = ['pending', 'approved', 'refused', 'withdrawn', 'expired'] as const;

const ChangeRequestState = z.enum(changeRequestStates);

const listedParts = {
  id: z.string(),
  state: ChangeRequestState.meta({
    description: 'Also `expired` if the requester left the org or lost the role for the change',
  }),
  operation: z.string().meta({ description: 'Id of the requested operation', examples: ['putPolicy'] }),
  summary: z
    .string()
    .meta({ description: 'Summary of that operation', examples: ['Attach policies to an environment'] }),
  kind: z.enum(['policies', 'attachments', 'waivers', 'trust', 'change_control']),
  subject: z.object({
    kind: z.enum(['policy', 'environment', 'waiver', 'attestation', 'trusted_key', 'trusted_identity', 'org']),
    name: z.string(),
  }),
  asked_by: z
    .string()
    .meta({ description: 'Login of the person who requested the change, also if they used a service account' }),
  asked_through: z
    .string()
    .nullable()
    .meta({ description: 'The service account through which it was requested, if any' }),
  asked_at: EpochSeconds,
  expires_at: EpochSeconds,
  ended_at: EpochSeconds.nullable().meta({
    description: 'When it was approved, refused, or withdrawn, or when it expired',
  }),
  ended_by: z.string().nullable().meta({ description: 'Login of the person who approved, refused, or withdrew it' }),
  reason: z.string().nullable().meta({ description: 'Why it was refused, or why it expired early' }),
  can_approve: z.boolean().meta({ description: 'Whether the caller can approve or refuse it' }),
  can_withdraw: z.boolean().meta({ description: 'Whether the caller can withdraw it' }),
};

const ListedChangeRequest = z.object(listedParts).meta({ id: 'ListedChangeRequest' });
export type ListedChangeRequest = z.infer<typeof ListedChangeRequest>;

const SubjectState = z.record(z.string(), z.unknown()).nullable();

export const ChangeRequest = z
  .object({
    ...listedParts,
    before: SubjectState.meta({ description: 'The subject when the change was requested; null if it did not exist' }),
    after: SubjectState.meta({ description: 'The subject with the change; null if the change removes it' }),
    is_outdated: z.boolean().meta({
      description: 'Whether the subject has changed since. Such a change cannot be approved: request it again',
    }),
  })
  .meta({ id: 'ChangeRequest' });
export type ChangeRequest = z.infer<typeof ChangeRequest>;

const ChangeRequestParams = z.strictObject({ org: OrgName, id: z.uuid('must be the id of a change request') });

export const listChangeRequests = contract({
  id: 'listChangeRequests',
  summary: 'List change requests, newest first',
  description: `Returns pending changes by default. At most ${CHANGE_REQUESTS_LISTED_MAX}; the journal contains all of them.`,
  tag: 'Change requests',
  method: 'GET',
  path: '/change-requests/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({ state: ChangeRequestState.optional().meta({ description: 'Default: `pending`' }) }),
  status: 200,
  reply: z.array(ListedChangeRequest),
  errors: [400, 401, 403, 429, 503],
});

export const getChangeRequest = contract({
  id: 'getChangeRequest',
  summary: 'Get a change request with its changes',
  description:
    'To back-test a new policy version, send `after.policy_yaml` to `simulatePolicy`, with the name of the policy ' +
    'as `replaces`.',
  tag: 'Change requests',
  method: 'GET',
  path: '/change-requests/:org/:id',
  access: 'read',
  params: ChangeRequestParams,
  status: 200,
  reply: ChangeRequest,
  errors: [400, 401, 403, 404, 429, 503],
});

export const approveChangeRequest = contract({
  id: 'approveChangeRequest',
  summary: 'Approve and apply a change',
  description:
    'Only for people who are admins and did not request the change themselves, not even through a key or a ' +
    'service account. The change is applied as requested, in the name of the requester. Answers 409 if the ' +
    'subject has changed since, the change can no longer be made, or the request is no longer pending. Approving ' +
    'it again changes nothing and succeeds.',
  tag: 'Change requests',
  method: 'POST',
  path: '/change-requests/:org/:id/approve',
  access: 'approve_changes',
  params: ChangeRequestParams,
  status: 200,
  reply: ChangeRequest,
  errors: [400, 401, 403, 404, 409, 429, 503],
});

export const refuseChangeRequest = contract({
  id: 'refuseChangeRequest',
  summary: 'Refuse a change',
  description:
    'Only for people who are admins and did not request the change themselves; the requester can withdraw it. ' +
    'Answers 409 if the request is no longer pending. Refusing it again changes nothing and succeeds.',
  tag: 'Change requests',
  method: 'POST',
  path: '/change-requests/:org/:id/refuse',
  access: 'approve_changes',
  params: ChangeRequestParams,
  body: z
    .strictObject({ reason: filledText(10_000, 'must not be empty: the requester reads it') })
    .meta({ id: 'ChangeRefusal' }),
  status: 200,
  reply: ChangeRequest,
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});

export const withdrawChangeRequest = contract({
  id: 'withdrawChangeRequest',
  summary: 'Withdraw your change request',
  description: 'Answers 409 if the request is no longer pending. Withdrawing it again changes nothing and succeeds.',
  tag: 'Change requests',
  method: 'POST',
  path: '/change-requests/:org/:id/withdraw',
  access: 'withdraw_changes',
  params: ChangeRequestParams,
  status: 200,
  reply: ChangeRequest,
  errors: [400, 401, 403, 404, 409, 429, 503],
});
