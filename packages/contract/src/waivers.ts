import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentName, EnvironmentParams } from './environments.ts';
import { Fingerprint, OrgParams } from './evidence.ts';
import { EpochSeconds, filledText, LATEST_SECOND, NO_MILLISECONDS, OrgName, text } from './primitives.ts';

export const Waiver = z
  .object({
    id: z.string(),
    artifact_name: z.string(),
    fingerprint: z.string(),
    environment_name: z.string().meta({ description: 'Name of the environment; of an archived one, the name it had' }),
    timestamp: EpochSeconds.meta({ description: 'When it was allow-listed' }),
    user_name: z.string().meta({ description: 'Who allow-listed it' }),
    description: z.string().meta({ description: 'The reason' }),
    expires_at: EpochSeconds.nullable().meta({ description: 'Until when it counts; null for as long as it stands' }),
    ended_at: EpochSeconds.nullable().meta({
      description: 'When it was withdrawn, replaced by another, or found to have expired',
    }),
    ended_by: z.string().nullable(),
    end_reason: z.enum(['withdrawn', 'replaced', 'expired']).nullable(),
  })
  .meta({ id: 'Waiver' });
export type Waiver = z.infer<typeof Waiver>;

export const WaiverInput = z
  .strictObject({
    artifact_fingerprint: Fingerprint,
    artifact_name: text(4096)
      .min(1, 'must not be empty')
      .meta({ description: 'What it is called, for those who read the list', examples: ['web-app'] }),
    description: filledText(10_000, 'must not be empty: it is the reason').meta({
      description: 'The reason why it is let pass',
      examples: ['Hotfix for an outage, reviewed afterwards'],
    }),
    expires_at: z
      .number()
      .max(LATEST_SECOND, NO_MILLISECONDS)
      .nullish()
      .meta({ description: 'In the future, in seconds since 1970; without it the allow-listing stands' }),
  })
  .meta({ id: 'WaiverInput' });
export type WaiverInput = z.infer<typeof WaiverInput>;

export const allowArtifact = contract({
  id: 'allowArtifact',
  summary: 'Allow-list an artifact in an environment',
  description:
    'The artifact counts as compliant there, whatever the policies of the environment say of it, until the allow-listing ' +
    'expires or is withdrawn. It need not run there, and nobody need have reported it. Repeating an identical request ' +
    'changes nothing and answers what there is; another name, reason or expiry replaces the allow-listing.',
  tag: 'Allow-lists',
  method: 'PUT',
  path: '/allowlists/:org/:env_name',
  access: 'manage_environments',
  dryRun: true,
  params: EnvironmentParams,
  body: WaiverInput,
  status: 201,
  reply: Waiver,
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const withdrawWaiver = contract({
  id: 'withdrawWaiver',
  summary: 'Withdraw the allow-listing of an artifact',
  description:
    'The policies of the environment decide again. 404 when the artifact is not, or no longer, allow-listed.',
  tag: 'Allow-lists',
  method: 'DELETE',
  path: '/allowlists/:org/:env_name/:fingerprint',
  access: 'manage_environments',
  dryRun: true,
  params: z.strictObject({ org: OrgName, env_name: EnvironmentName, fingerprint: Fingerprint }),
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});

const ListQuery = {
  ended: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'With `true` also those that were withdrawn or replaced or have expired' }),
  after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
};

const listReply = {
  status: 200,
  reply: z.array(Waiver),
  replyHeaders: { link: 'Where the rest of the array is, if there is more' },
  errors: [400, 401, 403, 404, 429, 503],
} as const;

export const listWaivers = contract({
  id: 'listWaivers',
  summary: 'List what is allow-listed in an org, newest first',
  description:
    'At most 10,000; a `Link` header with `rel="next"` leads to the rest. Those of archived environments are listed with ' +
    '`ended=true` only.',
  tag: 'Allow-lists',
  method: 'GET',
  path: '/allowlists/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    environment_name: EnvironmentName.optional().meta({
      description: 'Only those of this environment, or of the members of a logical one',
    }),
    ...ListQuery,
  }),
  ...listReply,
});

export const listEnvironmentWaivers = contract({
  id: 'listEnvironmentWaivers',
  summary: 'List what is allow-listed in an environment, newest first',
  description:
    'At most 10,000; a `Link` header with `rel="next"` leads to the rest. Of a logical environment: those of its members.',
  tag: 'Allow-lists',
  method: 'GET',
  path: '/allowlists/:org/:env_name',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject(ListQuery),
  ...listReply,
});
