import { z } from 'zod';
import {
  ApiKey,
  ApiKeyId,
  ApiKeyInput,
  ApiKeyRotation,
  CreatedApiKey,
  KEY_BOUNDS,
  MADE_BY,
  ROTATION,
  RotatedApiKey,
  SHOWN_ONCE,
} from './api-keys.ts';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { SCOPED } from './key-scopes.ts';
import { EpochSeconds, OrgName, text } from './primitives.ts';
import { Role } from './roles.ts';

export const ServiceAccountName = z
  .string()
  .regex(/^[a-zA-Z0-9-]{1,64}$/, 'must hold 1 to 64 letters, digits and hyphens')
  .meta({ description: 'Name of the service account' });

const DisplayName = text(255);

const AccountParams = z.strictObject({ org: OrgName, name: ServiceAccountName });
const KeyParams = AccountParams.extend({ key_id: ApiKeyId });
const After = z.strictObject({
  after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
});

const WHOSE = 'Admins see and manage all service accounts, members those that they created themselves.';
const NO_ABOVE = 'Nobody grants more than their own role.';

export const ServiceAccount = z
  .object({
    name: z.string(),
    display_name: z.string().meta({ description: 'The name unless another one was given' }),
    privilege: Role,
    description: z.string(),
    creating_user_id: z.string().meta({ description: 'Id of who created it; empty when the operator did' }),
    made_by: z
      .string()
      .nullable()
      .meta({ description: `Login of the person who made it. ${MADE_BY}` }),
    suspended_keys: z.number().int().meta({
      description: 'How many of its keys are suspended, because the person who made them left or may do less',
    }),
    created_at: EpochSeconds,
    for_webhook: z.boolean().meta({ description: 'Always false: no service account is made for a webhook' }),
  })
  .meta({ id: 'ServiceAccount' });
export type ServiceAccount = z.infer<typeof ServiceAccount>;

export const createServiceAccount = contract({
  id: 'createServiceAccount',
  summary: 'Create a service account',
  description:
    'Service accounts exist in shared orgs. A name is taken by one account at a time: creating it again, also by a ' +
    `repeat or in a race of equal requests, answers 400. ${NO_ABOVE}`,
  tag: 'Service accounts',
  method: 'POST',
  path: '/service-accounts/:org',
  access: 'manage_service_accounts',
  dryRun: true,
  params: OrgParams,
  body: z
    .strictObject({
      name: ServiceAccountName,
      display_name: DisplayName.nullish().meta({ description: 'What people read; the name unless given' }),
      description: text(512).nullish(),
      privilege: Role.nullish().meta({ description: 'What it may do in the org; reader unless given' }),
    })
    .meta({ id: 'ServiceAccountInput' }),
  status: 201,
  reply: ServiceAccount,
  errors: [400, 401, 403, 413, 429, 503],
});

export const listServiceAccounts = contract({
  id: 'listServiceAccounts',
  summary: 'List the service accounts, by name',
  description: `${WHOSE} At most 10,000; a \`Link\` header with \`rel="next"\` leads to the rest.`,
  tag: 'Service accounts',
  method: 'GET',
  path: '/service-accounts/:org',
  access: 'manage_service_accounts',
  params: OrgParams,
  query: After,
  status: 200,
  reply: z.array(ServiceAccount),
  errors: [400, 401, 403, 429, 503],
});

export const getServiceAccount = contract({
  id: 'getServiceAccount',
  summary: 'Get one service account',
  description: WHOSE,
  tag: 'Service accounts',
  method: 'GET',
  path: '/service-accounts/:org/:name',
  access: 'manage_service_accounts',
  params: AccountParams,
  status: 200,
  reply: ServiceAccount,
  errors: [400, 401, 403, 404, 429, 503],
});

export const updateServiceAccount = contract({
  id: 'updateServiceAccount',
  summary: 'Change the display name, the description or the privilege of a service account',
  description:
    `${WHOSE} ${NO_ABOVE} The account's keys have its new privilege from their next request on. A higher one suspends ` +
    'its keys and workload identities that were made by people with a lesser role: an admin can restore them. A repeat ' +
    'changes nothing and succeeds.',
  tag: 'Service accounts',
  method: 'PATCH',
  path: '/service-accounts/:org/:name',
  access: 'manage_service_accounts',
  dryRun: true,
  params: AccountParams,
  body: z
    .strictObject({
      display_name: DisplayName.nullish().meta({ description: 'Null or empty restores the name; absent leaves it' }),
      description: text(512).nullish().meta({ description: 'Null clears it; absent leaves it' }),
      privilege: Role.nullish().meta({ description: 'Absent or null leaves it' }),
    })
    .meta({ id: 'ServiceAccountPatch' }),
  status: 200,
  reply: ServiceAccount,
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const deleteServiceAccount = contract({
  id: 'deleteServiceAccount',
  summary: 'Delete a service account',
  description: `All its keys are revoked at once, and its name is free again. What it recorded is kept. ${WHOSE} A repeat is 404.`,
  tag: 'Service accounts',
  method: 'DELETE',
  path: '/service-accounts/:org/:name',
  access: 'manage_service_accounts',
  dryRun: true,
  params: AccountParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});

const KEYS_OF_ABOVE = 'Nobody gets the key of an account that may do more than they do.';

export const createServiceAccountKey = contract({
  id: 'createServiceAccountKey',
  summary: 'Create an API key of a service account',
  description: `${KEYS_OF_ABOVE} ${SCOPED} ${KEY_BOUNDS} ${SHOWN_ONCE}`,
  tag: 'Service accounts',
  method: 'POST',
  path: '/service-accounts/:org/:name/api-keys',
  access: 'manage_service_accounts',
  params: AccountParams,
  body: ApiKeyInput,
  status: 201,
  reply: CreatedApiKey,
  shownOnce: 'key',
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});

export const listServiceAccountKeys = contract({
  id: 'listServiceAccountKeys',
  summary: 'List the API keys of a service account, newest first',
  description:
    'Also those that have expired, but not those that were revoked. At most 10,000; a `Link` header with `rel="next"` ' +
    'leads to the rest.',
  tag: 'Service accounts',
  method: 'GET',
  path: '/service-accounts/:org/:name/api-keys',
  access: 'manage_service_accounts',
  params: AccountParams,
  query: After,
  status: 200,
  reply: z.array(ApiKey),
  errors: [400, 401, 403, 404, 429, 503],
});

export const getServiceAccountKey = contract({
  id: 'getServiceAccountKey',
  summary: 'Get one API key of a service account',
  description: 'A key that was revoked is 404.',
  tag: 'Service accounts',
  method: 'GET',
  path: '/service-accounts/:org/:name/api-keys/:key_id',
  access: 'manage_service_accounts',
  params: KeyParams,
  status: 200,
  reply: ApiKey,
  errors: [400, 401, 403, 404, 429, 503],
});

export const revokeServiceAccountKey = contract({
  id: 'revokeServiceAccountKey',
  summary: 'Revoke an API key of a service account',
  description: 'It is refused from the next request on. Revoking it again is 404.',
  tag: 'Service accounts',
  method: 'DELETE',
  path: '/service-accounts/:org/:name/api-keys/:key_id',
  access: 'manage_service_accounts',
  params: KeyParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});

export const restoreServiceAccountKey = contract({
  id: 'restoreServiceAccountKey',
  summary: 'Restore an API key of a service account that is suspended',
  description:
    'For admins. It works from the next request on, and counts as made by you. A key that is not suspended stays as it ' +
    'is. A key with an expiry restores nothing.',
  tag: 'Service accounts',
  method: 'POST',
  path: '/service-accounts/:org/:name/api-keys/:key_id/restore',
  access: 'restore_keys',
  params: KeyParams,
  status: 200,
  reply: ApiKey,
  errors: [400, 401, 403, 404, 429, 503],
});

export const rotateServiceAccountKey = contract({
  id: 'rotateServiceAccountKey',
  summary: 'Replace an API key of a service account by a new one',
  description: `${ROTATION} ${KEYS_OF_ABOVE} ${KEY_BOUNDS} ${SHOWN_ONCE}`,
  tag: 'Service accounts',
  method: 'POST',
  path: '/service-accounts/:org/:name/api-keys/:key_id/rotate',
  access: 'manage_service_accounts',
  params: KeyParams,
  body: ApiKeyRotation,
  status: 201,
  reply: RotatedApiKey,
  shownOnce: 'key',
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});
