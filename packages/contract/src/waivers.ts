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
    environment_name: z.string().meta({ description: 'Name of the environment; for an archived one, its last name' }),
    timestamp: EpochSeconds.meta({ description: 'When the waiver was granted' }),
    user_name: z.string().meta({ description: 'Name of the person or service account that granted it' }),
    description: z.string().meta({ description: 'The reason' }),
    expires_at: EpochSeconds.nullable().meta({ description: 'When it expires; null for never' }),
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
      .meta({ description: 'Name of the artifact, shown in lists', examples: ['web-app'] }),
    description: filledText(10_000, 'must not be empty: it is the reason').meta({
      description: 'Reason for the waiver',
      examples: ['Hotfix for an outage, reviewed afterwards'],
    }),
    expires_at: z
      .number()
      .max(LATEST_SECOND, NO_MILLISECONDS)
      .nullish()
      .meta({ description: 'In seconds since 1970, in the future. Default: no expiry' }),
  })
  .meta({ id: 'WaiverInput' });
export type WaiverInput = z.infer<typeof WaiverInput>;

export const allowArtifact = contract({
  id: 'allowArtifact',
  summary: 'Grant a waiver for an artifact in an environment',
  description:
    'The artifact counts as compliant there, whatever the policies of the environment decide, until the waiver ' +
    'expires or is withdrawn. The artifact does not have to run there or be reported. Repeating an identical ' +
    'request changes nothing and returns the existing waiver; another name, reason, or expiry replaces it.',
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
  summary: 'Withdraw the waiver for an artifact',
  description: 'The policies of the environment decide again. Answers 404 if the artifact has no active waiver.',
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
    .meta({ description: 'With `true`, also lists waivers that were withdrawn or replaced, or have expired' }),
  after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
};

const listReply = {
  status: 200,
  reply: z.array(Waiver),
  replyHeaders: { link: 'Link to the rest of the array, if any' },
  errors: [400, 401, 403, 404, 429, 503],
} as const;

export const listWaivers = contract({
  id: 'listWaivers',
  summary: 'List the waivers of an org, newest first',
  description:
    'At most 10,000; a `Link` header with `rel="next"` points to the rest. Waivers of archived environments are ' +
    'listed only with `ended=true`.',
  tag: 'Allow-lists',
  method: 'GET',
  path: '/allowlists/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    environment_name: EnvironmentName.optional().meta({
      description: 'Filter by environment; a logical one includes its members',
    }),
    ...ListQuery,
  }),
  ...listReply,
});

export const listEnvironmentWaivers = contract({
  id: 'listEnvironmentWaivers',
  summary: 'List the waivers of an environment, newest first',
  description:
    'At most 10,000; a `Link` header with `rel="next"` points to the rest. For a logical environment, lists the ' +
    'waivers of its members.',
  tag: 'Allow-lists',
  method: 'GET',
  path: '/allowlists/:org/:env_name',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject(ListQuery),
  ...listReply,
});
