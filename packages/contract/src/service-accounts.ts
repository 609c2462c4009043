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
  .regex(/^[a-zA-Z0-9-]{1,64}$/, 'must have 1 to 64 letters, digits, or hyphens')
  .meta({ description: 'Name of the service account' });

const DisplayName = text(255);

const AccountParams = z.strictObject({ org: OrgName, name: ServiceAccountName });
const KeyParams = AccountParams.extend({ key_id: ApiKeyId });
const After = z.strictObject({
  after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
});

const WHOSE = 'Admins can see and manage all service accounts, members only those that they created.';
const NO_ABOVE = 'You cannot grant a higher role than your own.';

export const ServiceAccount = z
  .object({
    name: z.string(),
    display_name: z.string().meta({ description: 'Default: the name' }),
    privilege: Role,
    description: z.string(),
    creating_user_id: z.string().meta({ description: 'Id of its creator; empty if the operator created it' }),
    made_by: z
      .string()
      .nullable()
      .meta({ description: `Login of the person who created it. ${MADE_BY}` }),
    suspended_keys: z.number().int().meta({
      description: 'Number of its keys that are suspended because the person who created them left or has a lower role',
    }),
    created_at: EpochSeconds,
    for_webhook: z.boolean().meta({ description: 'Always false' }),
  })
  .meta({ id: 'ServiceAccount' });
export type ServiceAccount = z.infer<typeof ServiceAccount>;

export const createServiceAccount = contract({
  id: 'createServiceAccount',
  summary: 'Create a service account',
  description:
    'Service accounts exist only in shared orgs. Names are unique among active accounts: creating one again, also ' +
    `by a repeated or concurrent request, answers 400. ${NO_ABOVE}`,
  tag: 'Service accounts',
  method: 'POST',
  path: '/service-accounts/:org',
  access: 'manage_service_accounts',
  dryRun: true,
  params: OrgParams,
  body: z
    .strictObject({
      name: ServiceAccountName,
      display_name: DisplayName.nullish().meta({ description: 'Display name. Default: the name' }),
      description: text(512).nullish(),
      privilege: Role.nullish().meta({ description: 'Role in the org. Default: reader' }),
    })
    .meta({ id: 'ServiceAccountInput' }),
  status: 201,
  reply: ServiceAccount,
  errors: [400, 401, 403, 413, 429, 503],
});

export const listServiceAccounts = contract({
  id: 'listServiceAccounts',
  summary: 'List the service accounts, by name',
  description: `${WHOSE} At most 10,000; a \`Link\` header with \`rel="next"\` points to the rest.`,
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
  summary: 'Update the display name, description, or privilege of a service account',
  description:
    `${WHOSE} ${NO_ABOVE} The account's keys have its new privilege with their next request. A higher privilege ` +
    'suspends keys and workload identities of the account that were created by people with a lower role: an admin ' +
    'can restore them. Repeating the request changes nothing and succeeds.',
  tag: 'Service accounts',
  method: 'PATCH',
  path: '/service-accounts/:org/:name',
  access: 'manage_service_accounts',
  dryRun: true,
  params: AccountParams,
  body: z
    .strictObject({
      display_name: DisplayName.nullish().meta({ description: 'Null or empty resets it to the name; absent keeps it' }),
      description: text(512).nullish().meta({ description: 'Null clears it; absent keeps it' }),
      privilege: Role.nullish().meta({ description: 'Absent or null keeps it' }),
    })
    .meta({ id: 'ServiceAccountPatch' }),
  status: 200,
  reply: ServiceAccount,
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const deleteServiceAccount = contract({
  id: 'deleteServiceAccount',
  summary: 'Delete a service account',
  description:
    `All its keys are revoked immediately, and its name can be reused. Its records are kept. ${WHOSE} ` +
    'Deleting it again answers 404.',
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

const KEYS_OF_ABOVE = 'You cannot get a key of an account with a higher role than your own.';

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
    'Includes expired keys, but not revoked ones. At most 10,000; a `Link` header with `rel="next"` points to the ' +
    'rest.',
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
  description: 'Answers 404 for a revoked key.',
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
  description: 'The key stops working with the next request. Revoking it again answers 404.',
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
  summary: 'Restore a suspended API key of a service account',
  description:
    'For admins. The key works again with the next request, and counts as created by you. Restoring a key that is ' +
    'not suspended changes nothing. A key that has an expiry cannot restore others.',
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
  summary: 'Rotate an API key of a service account',
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
