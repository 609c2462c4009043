import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentName, EnvironmentType } from './environments.ts';
import { OrgParams, PerPage, repeated } from './evidence.ts';
import { EpochSeconds, Page, text } from './primitives.ts';
import { RunCompliance } from './snapshots.ts';

const Count = z.number().int();

const MatrixCell = z
  .object({
    fingerprint: z.string().meta({ description: 'Empty if the running artifact is not identified' }),
    artifact_name: z.string(),
    git_commit: z.string().meta({ description: 'Empty without provenance, as is `trail_name`' }),
    trail_name: z.string(),
    since: EpochSeconds.meta({ description: 'When it started there' }),
    compliance: RunCompliance,
    others: Count.meta({ description: 'Number of further artifacts of the service that run there' }),
  })
  .meta({ id: 'MatrixCell', description: 'The artifact of a service that started last in an environment' });
export type MatrixCell = z.infer<typeof MatrixCell>;

const MatrixService = z
  .object({
    service: z.string(),
    flow_name: z.string().meta({ description: 'Empty without provenance' }),
    cells: z.array(MatrixCell.nullable()).meta({
      description: 'One item for each environment, in the same order; null where the service does not run',
    }),
    drift: z.boolean().meta({ description: 'Whether different artifacts of the service are running' }),
  })
  .meta({ id: 'MatrixService' });
export type MatrixService = z.infer<typeof MatrixService>;

export const getMatrix = contract({
  id: 'getMatrix',
  summary: 'List which version of each service runs in which environment',
  description:
    'A service is named after the artifact in the template of a flow. Without provenance, or without a name in ' +
    'the template, it is named after the running artifact, without tag and digest. Services are sorted by name.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/matrix/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    name: text(255).optional().meta({ description: 'Filter by part of the service name, ignoring case' }),
    environment: repeated(EnvironmentName, 20).meta({
      description: 'Physical environments, in display order. Default: the first 12 by name',
    }),
    only: z
      .enum(['drift'])
      .optional()
      .meta({ description: '`drift` omits services whose version is the same in every environment' }),
    page: Page.optional().meta({ description: 'Default: 1' }),
    per_page: PerPage(100).meta({ description: 'Services per page. Default: 50' }),
  }),
  status: 200,
  reply: z
    .object({
      environments: z.array(
        z.object({
          name: z.string(),
          type: EnvironmentType,
          stale: z.boolean().meta({ description: 'Whether a report is overdue' }),
          compliance: z.enum(['compliant', 'non-compliant', 'unknown']),
        }),
      ),
      page: Count,
      per_page: Count,
      total_count: Count.meta({ description: 'Number of services that match the filters' }),
      services: z.array(MatrixService),
    })
    .meta({ id: 'Matrix' }),
  errors: [400, 401, 403, 404, 429, 503],
});
