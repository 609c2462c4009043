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
    description: '`expired` also when the asker left the org or lost the role for the change',
  }),
  operation: z.string().meta({ description: 'Id of the operation that was asked for', examples: ['putPolicy'] }),
  summary: z
    .string()
    .meta({ description: 'What that operation does', examples: ['Attach policies to an environment'] }),
  kind: z.enum(['policies', 'attachments', 'waivers', 'trust', 'change_control']),
  subject: z.object({
    kind: z.enum(['policy', 'environment', 'waiver', 'attestation', 'trusted_key', 'trusted_identity', 'org']),
    name: z.string(),
  }),
  asked_by: z.string().meta({ description: 'Login of the person who asked, also if their service account did' }),
  asked_through: z.string().nullable().meta({ description: 'The service account through which they asked, if any' }),
  asked_at: EpochSeconds,
  expires_at: EpochSeconds,
  ended_at: EpochSeconds.nullable().meta({ description: 'When it was approved, refused or withdrawn, or expired' }),
  ended_by: z.string().nullable().meta({ description: 'Who approved, refused or withdrew it' }),
  reason: z.string().nullable().meta({ description: 'Why it was refused, or expired before its time' }),
  can_approve: z.boolean().meta({ description: 'Whether the caller can approve or refuse it' }),
  can_withdraw: z.boolean().meta({ description: 'Whether the caller can withdraw it' }),
};

const ListedChangeRequest = z.object(listedParts).meta({ id: 'ListedChangeRequest' });
export type ListedChangeRequest = z.infer<typeof ListedChangeRequest>;

const SubjectState = z.record(z.string(), z.unknown()).nullable();

export const ChangeRequest = z
  .object({
    ...listedParts,
    before: SubjectState.meta({ description: 'The subject when the change was asked for; null if there was none' }),
    after: SubjectState.meta({ description: 'The subject with the change; null if there is none any more' }),
    is_outdated: z.boolean().meta({
      description: 'Whether the subject has changed since. Such a change cannot be approved: ask for it again',
    }),
  })
  .meta({ id: 'ChangeRequest' });
export type ChangeRequest = z.infer<typeof ChangeRequest>;

const ChangeRequestParams = z.strictObject({ org: OrgName, id: z.uuid('must be the id of a change request') });

export const listChangeRequests = contract({
  id: 'listChangeRequests',
  summary: 'List change requests, newest first',
  description:
    `Changes that wait for approval, unless another state is asked for. At most ${CHANGE_REQUESTS_LISTED_MAX}; the ` +
    'journal has all.',
  tag: 'Change requests',
  method: 'GET',
  path: '/change-requests/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({ state: ChangeRequestState.optional().meta({ description: '`pending` unless given' }) }),
  status: 200,
  reply: z.array(ListedChangeRequest),
  errors: [400, 401, 403, 429, 503],
});

export const getChangeRequest = contract({
  id: 'getChangeRequest',
  summary: 'Get a change request with what it changes',
  description:
    'To see what a new version of a policy would have decided, send `after.policy_yaml` to `simulatePolicy`, with the ' +
    'name of the policy as `replaces`.',
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
  summary: 'Approve a change, which makes it',
  description:
    'For people who are admins, and not for whoever asked for the change, be it by a key or a service account of theirs. ' +
    'The change is made as it was asked for, by the asker. 409 if the subject has changed since, the change can no ' +
    'longer be made, or it does not wait for approval any more. Approving it again changes nothing and succeeds.',
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
    'For people who are admins, and not for whoever asked for the change, who can withdraw it. 409 if it does not wait ' +
    'for approval any more. Refusing it again changes nothing and succeeds.',
  tag: 'Change requests',
  method: 'POST',
  path: '/change-requests/:org/:id/refuse',
  access: 'approve_changes',
  params: ChangeRequestParams,
  body: z
    .strictObject({ reason: filledText(10_000, 'must not be empty: the asker reads it') })
    .meta({ id: 'ChangeRefusal' }),
  status: 200,
  reply: ChangeRequest,
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});

export const withdrawChangeRequest = contract({
  id: 'withdrawChangeRequest',
  summary: 'Withdraw a change that one asked for',
  description: '409 if it does not wait for approval any more. Withdrawing it again changes nothing and succeeds.',
  tag: 'Change requests',
  method: 'POST',
  path: '/change-requests/:org/:id/withdraw',
  access: 'withdraw_changes',
  params: ChangeRequestParams,
  status: 200,
  reply: ChangeRequest,
  errors: [400, 401, 403, 404, 409, 429, 503],
});
