import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentName, EnvironmentParams } from './environments.ts';
import { FingerprintPrefix, FlowName, OrgParams, PerPage } from './evidence.ts';
import { EpochSeconds, OrgName, QueryTime } from './primitives.ts';

export const Deployment = z
  .object({
    environment: z.string().meta({ description: 'Name of the environment; of an archived one, the name it had' }),
    number: z.number().int().meta({ description: 'Index of the snapshot in which it started' }),
    fingerprint: z.string(),
    artifact_name: z.string(),
    flow_name: z.string().meta({ description: 'Where it was reported last; empty without provenance' }),
    trail_name: z.string(),
    template_reference_name: z.string().nullable().meta({ description: 'What the template of the trail calls it' }),
    git_commit: z.string().meta({ description: 'Empty without provenance' }),
    commit_url: z.string(),
    started_at: EpochSeconds,
    exited_at: EpochSeconds.nullable().meta({ description: 'Null as long as no report has told that it exited' }),
    running: z.boolean().meta({
      description: 'Whether it runs as far as is known: false in an archived environment, of which nothing is heard',
    }),
    lead_time_seconds: z.number().nullable().meta({ description: 'Start minus time of the commit' }),
    replaced: z
      .object({ fingerprint: z.string(), artifact_name: z.string(), git_commit: z.string(), number: z.number().int() })
      .nullable()
      .meta({ description: 'The one before it with the same template reference, or the same name' }),
    html_url: z.string(),
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.infer<typeof Deployment>;

const Window = {
  from: QueryTime.optional().meta({
    description: 'Only those that started at or after this time, in seconds since 1970',
  }),
  to: QueryTime.optional().meta({ description: 'Only those that started up to this time' }),
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
  per_page: PerPage(100).meta({ description: '20 unless given' }),
  page_size: PerPage(100).meta({ description: 'Another word for `per_page`' }),
  after: z.string().max(1024).optional().meta({ description: 'Cursor from `pagination.next`' }),
};

export const listDeployments = contract({
  id: 'listDeployments',
  summary: 'List the deployments of an org, newest first',
  description:
    'Each start of an artifact in an environment is one, so a roll-back is one too. Those to archived environments are ' +
    'listed as well.',
  tag: 'Deployments',
  method: 'GET',
  path: '/deployments/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    ...Window,
    flow_name: FlowName.optional().meta({
      description:
        'Only artifacts reported into this flow. A page may then hold fewer than asked for while `next` leads on',
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
  description: 'Of a logical environment: those to its members.',
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
  description: 'The newest one, unless `number` says which.',
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
  summary: 'Get how often, and how fast after the commit, an environment was deployed to',
  description:
    'One bucket for each day or week (UTC, from Monday on) of the window, empty ones included, 400 at most. The last 30 ' +
    'days unless given. Lead times are of the newest 20,000 deployments whose commit has a time.',
  tag: 'Deployments',
  method: 'GET',
  path: '/environments/:org/:env_name/deployment_frequency',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({
    ...Window,
    interval: z.enum(['day', 'week']).optional().meta({ description: '`day` unless given' }),
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
        .meta({ description: 'Start minus time of the commit, in the whole window; null when none is known' }),
      buckets: z.array(
        z.object({
          start: EpochSeconds.meta({ description: 'Where the day or week begins' }),
          deployments: z.number().int(),
          median_lead_time_seconds: z.number().nullable(),
        }),
      ),
    })
    .meta({ id: 'DeploymentFrequency' }),
  errors: [400, 401, 403, 404, 429, 503],
});
