import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { KeyScope, SCOPED } from './key-scopes.ts';
import { EpochSeconds, OrgName, ResourceName, text } from './primitives.ts';

export const WORKLOAD_IDENTITIES_MAX = 100;
export const CLAIMS_MAX = 20;
/** Tokens of CI systems have one to three thousand characters. */
export const WORKLOAD_TOKEN_MAX_LENGTH = 16 * 1024;

const ServiceAccountName = z.string().min(1).max(64).meta({ description: 'Name of a service account of the org' });

const ClaimName = z
  .string()
  .max(128)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.:/-]*$/,
    'must start with a letter or digit and hold only letters, digits and _ . : / -',
  );

const RequiredClaims = z
  .record(ClaimName, text(1024))
  .refine((claims) => Object.keys(claims).length <= CLAIMS_MAX, `must have at most ${CLAIMS_MAX} keys`)
  .meta({
    description:
      'Claim to the value it must have, compared as a whole; `ref` alone may end in `*`. One of them must hold who the ' +
      'job belongs to by an id that is never given to anybody else: `repository_id` or `repository_owner_id` for GitHub, ' +
      '`project_id` or `namespace_id` for GitLab, `sub` for other issuers.',
    examples: [{ repository_id: '1296269', ref: 'refs/heads/main', environment: 'production' }],
  });

export const WorkloadIdentity = z
  .object({
    id: z.string(),
    name: z.string(),
    service_account: z.string(),
    issuer: z.string(),
    claims: z.record(z.string(), z.string()),
    scope: KeyScope.nullable().meta({
      description: 'What its keys are limited to; null when they have all rights of the service account',
    }),
    active: z.boolean().meta({ description: 'False when its service account was deleted: no token is accepted then' }),
    created_at: EpochSeconds,
    created_by: z.string(),
    suspended_at: EpochSeconds.nullable().meta({
      description:
        'Since when no token is accepted, because the person who made it left the org or has a lesser role than ' +
        'its service account. An admin can restore it. Null when it is not suspended',
    }),
    suspends_at: EpochSeconds.nullable().meta({
      description:
        'When it will be suspended, because the identity provider took away the person who made it, or part of their role. ' +
        'An admin who restores it before then keeps it. Else null',
    }),
  })
  .meta({ id: 'WorkloadIdentity' });
export type WorkloadIdentity = z.infer<typeof WorkloadIdentity>;

const WorkloadIdentityParams = z.strictObject({
  org: OrgName,
  identity_id: z.uuid('must be the id of a workload identity'),
});

export const addWorkloadIdentity = contract({
  id: 'addWorkloadIdentity',
  summary: 'Let jobs of a CI system act as a service account',
  description:
    'Jobs whose token comes from this issuer and has these claims get a key of the service account for 15 minutes. ' +
    `Nothing secret has to be stored in the CI system. ${SCOPED} At most ${WORKLOAD_IDENTITIES_MAX} in an org.`,
  tag: 'Workload identity',
  method: 'POST',
  path: '/organizations/:org/workload-identities',
  access: 'manage_workload_identities',
  dryRun: true,
  params: OrgParams,
  body: z
    .strictObject({
      name: ResourceName,
      service_account: ServiceAccountName,
      issuer: z
        .string()
        .max(512)
        .regex(/^https?:\/\/[!-~]+$/, 'must be an https address')
        .meta({
          description: 'As the claim `iss` of its tokens has it, to the letter',
          examples: ['https://token.actions.githubusercontent.com'],
        }),
      claims: RequiredClaims,
      scope: KeyScope.nullish().meta({ description: 'What its keys are limited to; null or absent for nothing' }),
    })
    .meta({ id: 'WorkloadIdentityInput' }),
  status: 201,
  reply: WorkloadIdentity,
  errors: [400, 401, 403, 413, 429, 503],
});

export const listWorkloadIdentities = contract({
  id: 'listWorkloadIdentities',
  summary: 'List the workload identities, by name',
  tag: 'Workload identity',
  method: 'GET',
  path: '/organizations/:org/workload-identities',
  access: 'manage_workload_identities',
  params: OrgParams,
  status: 200,
  reply: z.array(WorkloadIdentity),
  errors: [400, 401, 403, 429, 503],
});

export const getWorkloadIdentity = contract({
  id: 'getWorkloadIdentity',
  summary: 'Get a workload identity',
  tag: 'Workload identity',
  method: 'GET',
  path: '/organizations/:org/workload-identities/:identity_id',
  access: 'manage_workload_identities',
  params: WorkloadIdentityParams,
  status: 200,
  reply: WorkloadIdentity,
  errors: [400, 401, 403, 404, 429, 503],
});

export const removeWorkloadIdentity = contract({
  id: 'removeWorkloadIdentity',
  summary: 'Stop letting jobs act as a service account',
  description: 'The keys that were made for them end with it. What they recorded stays.',
  tag: 'Workload identity',
  method: 'DELETE',
  path: '/organizations/:org/workload-identities/:identity_id',
  access: 'manage_workload_identities',
  dryRun: true,
  params: WorkloadIdentityParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});

export const restoreWorkloadIdentity = contract({
  id: 'restoreWorkloadIdentity',
  summary: 'Restore a workload identity that is suspended',
  description:
    'It counts as made by you from now on. One that is not suspended stays as it is. A key with an expiry restores nothing.',
  tag: 'Workload identity',
  method: 'POST',
  path: '/organizations/:org/workload-identities/:identity_id/restore',
  access: 'manage_workload_identities',
  params: WorkloadIdentityParams,
  status: 200,
  reply: WorkloadIdentity,
  errors: [400, 401, 403, 404, 429, 503],
});

export const exchangeToken = contract({
  id: 'exchangeToken',
  summary: 'Exchange the token of a CI job for a key',
  description:
    'Needs no credential: the token is one. It must be made for the audience `<address of this service>/<org>` alone, ' +
    'at most 10 minutes old, good for at most 24 hours, and is accepted once. Why a token is refused is told only to ' +
    'jobs of a repository or project that the org trusts; all others get one and the same answer, also for an org that ' +
    'does not exist. A request whose answer was lost is repeated with a new token.',
  tag: 'Workload identity',
  method: 'POST',
  path: '/oidc/:org/token',
  access: 'public',
  params: OrgParams,
  body: z
    .strictObject({
      token: z.string().max(WORKLOAD_TOKEN_MAX_LENGTH),
      service_account: ServiceAccountName.nullish().meta({
        description: 'Needed only when the token is good for several service accounts',
      }),
    })
    .meta({ id: 'TokenExchange' }),
  bodyMaxBytes: 2 * WORKLOAD_TOKEN_MAX_LENGTH,
  status: 201,
  reply: z
    .object({
      key: z.string().meta({ description: 'For the header `Authorization`, like any other key' }),
      expires_at: EpochSeconds,
      service_account: z.string(),
      workload_identity: z.object({ id: z.string(), name: z.string() }),
      scope: KeyScope.nullable().meta({ description: 'What the key is limited to, as the workload identity says' }),
    })
    .meta({ id: 'ExchangedKey' }),
  errors: [400, 403, 413, 429, 503],
});

/** The verified facts about the reporting job. */
export const Workload = z
  .object({
    identity: z.string().meta({ description: 'Id of the workload identity' }),
    issuer: z.string(),
    subject: z.string(),
    jti: z.string().meta({ description: 'Id of the token; each is accepted once' }),
    claims: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Workload' });
export type Workload = z.infer<typeof Workload>;
