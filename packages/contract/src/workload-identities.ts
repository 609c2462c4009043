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
    'must start with a letter or digit and contain only letters, digits, and _ . : / -',
  );

const RequiredClaims = z
  .record(ClaimName, text(1024))
  .refine((claims) => Object.keys(claims).length <= CLAIMS_MAX, `must have at most ${CLAIMS_MAX} keys`)
  .meta({
    description:
      'Required claim values, matched exactly; only `ref` can end in `*`. One of them must identify the owner of ' +
      'the job by an id that is never reused: `repository_id` or `repository_owner_id` for GitHub, `project_id` ' +
      'or `namespace_id` for GitLab, `repositoryUuid` or `workspaceUuid` for Bitbucket, ' +
      '`oidc.circleci.com/project-id` or `oidc.circleci.com/org-id` for CircleCI, any of these or `sub` for other ' +
      'issuers. These UUIDs match with and without braces.',
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
      description: 'Scope of its keys; null if they have all permissions of the service account',
    }),
    active: z.boolean().meta({ description: 'False if its service account was deleted: no token is accepted then' }),
    created_at: EpochSeconds,
    created_by: z.string(),
    suspended_at: EpochSeconds.nullable().meta({
      description:
        'When it was suspended because the person who created it left the org or has a lower role than its ' +
        'service account. An admin can restore it. Null if not suspended',
    }),
    suspends_at: EpochSeconds.nullable().meta({
      description:
        'When it will be suspended because the identity provider removed the person who created it or lowered ' +
        'their role. An admin can keep it by restoring it before then. Otherwise null',
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
  summary: 'Create a workload identity',
  description:
    'Jobs whose token comes from this issuer and has these claims get a key of the service account that is valid ' +
    `for 15 minutes. The CI system does not have to store a secret. ${SCOPED} At most ${WORKLOAD_IDENTITIES_MAX} ` +
    'in an org.',
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
        .regex(/^https?:\/\/[!-~]+$/, 'must be an https URL')
        .meta({
          description: 'Exactly as in the `iss` claim of its tokens',
          examples: ['https://token.actions.githubusercontent.com'],
        }),
      claims: RequiredClaims,
      scope: KeyScope.nullish().meta({ description: 'Scope of its keys; null or absent for no limit' }),
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
  summary: 'Delete a workload identity',
  description: 'The keys issued through it are revoked. Their records are kept.',
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
  summary: 'Restore a suspended workload identity',
  description:
    'It counts as created by you from now on. Restoring one that is not suspended changes nothing. A key that has ' +
    'an expiry cannot restore it.',
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
    'Needs no other credential than the token. Its only audience must be `<URL of this service>/<org>`; it must ' +
    'be at most 10 minutes old and valid for at most 24 hours, and is accepted once. Only jobs of a repository or ' +
    'project that the org trusts learn why a token is rejected; all others get the same response, even for an ' +
    'org that does not exist. If the response was lost, repeat the request with a new token.',
  tag: 'Workload identity',
  method: 'POST',
  path: '/oidc/:org/token',
  access: 'public',
  params: OrgParams,
  body: z
    .strictObject({
      token: z.string().max(WORKLOAD_TOKEN_MAX_LENGTH),
      service_account: ServiceAccountName.nullish().meta({
        description: 'Required only if the token is valid for several service accounts',
      }),
    })
    .meta({ id: 'TokenExchange' }),
  bodyMaxBytes: 2 * WORKLOAD_TOKEN_MAX_LENGTH,
  status: 201,
  reply: z
    .object({
      key: z.string().meta({ description: 'For the `Authorization` header, like any other key' }),
      expires_at: EpochSeconds,
      service_account: z.string(),
      workload_identity: z.object({ id: z.string(), name: z.string() }),
      scope: KeyScope.nullable().meta({ description: 'Scope of the key, as set in the workload identity' }),
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
    jti: z.string().meta({
      description:
        'Id of the token, which is accepted once: its `jti`, or `sha256:` and the digest of its signed text if it has none',
    }),
    claims: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Workload' });
export type Workload = z.infer<typeof Workload>;
