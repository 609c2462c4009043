import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentName, EnvironmentParams } from './environments.ts';
import { FingerprintPrefix, FlowName, OrgParams, PerPage } from './evidence.ts';
import { EpochSeconds, OrgName, QueryTime } from './primitives.ts';

export const Deployment = z
  .object({
    environment: z.string().meta({ description: 'Name of the environment; for an archived one, its last name' }),
    number: z.number().int().meta({ description: 'Index of the snapshot in which it started' }),
    fingerprint: z.string(),
    artifact_name: z.string(),
    flow_name: z.string().meta({ description: 'Flow that reported it last; empty without provenance' }),
    trail_name: z.string(),
    template_reference_name: z
      .string()
      .nullable()
      .meta({ description: 'Name of the artifact in the template of the trail' }),
    git_commit: z.string().meta({ description: 'Empty without provenance' }),
    commit_url: z.string(),
    started_at: EpochSeconds,
    exited_at: EpochSeconds.nullable().meta({ description: 'Null until a report shows that it exited' }),
    running: z.boolean().meta({
      description:
        'Whether it is running, as far as known; false in an archived environment, which no longer ' +
        'receives reports',
    }),
    lead_time_seconds: z.number().nullable().meta({ description: 'Time from the commit to the start' }),
    replaced: z
      .object({ fingerprint: z.string(), artifact_name: z.string(), git_commit: z.string(), number: z.number().int() })
      .nullable()
      .meta({ description: 'The previous deployment with the same template reference, or else the same name' }),
    html_url: z.string(),
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.infer<typeof Deployment>;

const Window = {
  from: QueryTime.optional().meta({
    description: 'Only deployments that started at or after this time, in seconds since 1970',
  }),
  to: QueryTime.optional().meta({
    description: 'Only deployments that started at or before this time, in seconds since 1970',
  }),
};

const DeploymentPage = z
  .object({
    data: z.array(Deployment),
    pagination: z.object({
      per_page: z.number().int(),
      next: z.string().nullable().meta({ description: 'Cursor for `after`; null on the last page' }),
    }),
  })
  .meta({ id: 'DeploymentPage' });

const Paging = {
  per_page: PerPage(100).meta({ description: 'Deployments per page. Default: 20' }),
  page_size: PerPage(100).meta({ description: 'Alias of `per_page`' }),
  after: z.string().max(1024).optional().meta({ description: 'Cursor from `pagination.next`' }),
};

export const listDeployments = contract({
  id: 'listDeployments',
  summary: 'List the deployments of an org, newest first',
  description:
    'Each start of an artifact in an environment is a deployment, including rollbacks. Deployments to archived ' +
    'environments are included.',
  tag: 'Deployments',
  method: 'GET',
  path: '/deployments/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    ...Window,
    flow_name: FlowName.optional().meta({
      description:
        'Only artifacts reported into this flow. A page can then contain fewer deployments than `per_page` even ' +
        'though `next` is set',
    }),
    ...Paging,
  }),
  status: 200,
  reply: DeploymentPage,
  errors: [400, 401, 403, 404, 429, 503],
});

export const listEnvironmentDeployments = contract({
  id: 'listEnvironmentDeployments',
  summary: 'List the deployments to an environment, newest first',
  description: 'For a logical environment, lists the deployments to its members.',
  tag: 'Deployments',
  method: 'GET',
  path: '/environments/:org/:env_name/deployments',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({ ...Window, ...Paging }),
  status: 200,
  reply: DeploymentPage,
  errors: [400, 401, 403, 404, 429, 503],
});

export const getDeployment = contract({
  id: 'getDeployment',
  summary: 'Get a deployment of an artifact to an environment',
  description: 'Returns the newest one, unless `number` selects another.',
  tag: 'Deployments',
  method: 'GET',
  path: '/deployments/:org/:env_name/:fingerprint',
  access: 'read',
  params: z.strictObject({ org: OrgName, env_name: EnvironmentName, fingerprint: FingerprintPrefix }),
  query: z.strictObject({
    number: z.coerce
      .number()
      .int()
      .min(1)
      .max(2_147_483_647)
      .optional()
      .meta({ description: 'Index of the snapshot in which it started' }),
  }),
  status: 200,
  reply: Deployment,
  errors: [400, 401, 403, 404, 429, 503],
});

export const getDeploymentFrequency = contract({
  id: 'getDeploymentFrequency',
  summary: 'Get deployment frequency and lead time of an environment',
  description:
    'One bucket per day or week (UTC, weeks start on Monday), including empty ones, at most 400. Default: the ' +
    'last 30 days. Lead times are calculated from the newest 20,000 deployments whose commit time is known.',
  tag: 'Deployments',
  method: 'GET',
  path: '/environments/:org/:env_name/deployment_frequency',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({
    ...Window,
    interval: z.enum(['day', 'week']).optional().meta({ description: 'Default: `day`' }),
  }),
  status: 200,
  reply: z
    .object({
      from: EpochSeconds,
      to: EpochSeconds,
      interval: z.enum(['day', 'week']),
      total: z.number().int().meta({ description: 'Deployments in the window' }),
      lead_time_seconds: z
        .object({ median: z.number().nullable(), p90: z.number().nullable() })
        .meta({ description: 'Time from the commit to the start, over the whole window; null if unknown' }),
      buckets: z.array(
        z.object({
          start: EpochSeconds.meta({ description: 'Start of the day or week' }),
          deployments: z.number().int(),
          median_lead_time_seconds: z.number().nullable(),
        }),
      ),
    })
    .meta({ id: 'DeploymentFrequency' }),
  errors: [400, 401, 403, 404, 429, 503],
});
