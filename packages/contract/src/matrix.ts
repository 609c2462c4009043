import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentName, EnvironmentType } from './environments.ts';
import { OrgParams, PerPage, repeated } from './evidence.ts';
import { EpochSeconds, Page, text } from './primitives.ts';
import { RunCompliance } from './snapshots.ts';

const Count = z.number().int();

const MatrixCell = z
  .object({
    fingerprint: z.string().meta({ description: 'Empty when it is not known what runs under the name' }),
    artifact_name: z.string(),
    git_commit: z.string().meta({ description: 'Empty without provenance, as is `trail_name`' }),
    trail_name: z.string(),
    since: EpochSeconds.meta({ description: 'When it started there' }),
    compliance: RunCompliance,
    others: Count.meta({ description: 'How many more artifacts of the service run there' }),
  })
  .meta({ id: 'MatrixCell', description: 'Of what runs of a service in an environment, what started last' });
export type MatrixCell = z.infer<typeof MatrixCell>;

const MatrixService = z
  .object({
    service: z.string(),
    flow_name: z.string().meta({ description: 'Empty without provenance' }),
    cells: z.array(MatrixCell.nullable()).meta({
      description: 'One for each environment, in their order; null where none of it runs',
    }),
    drift: z.boolean().meta({ description: 'Where it runs, it is not the same artifact everywhere' }),
  })
  .meta({ id: 'MatrixService' });
export type MatrixService = z.infer<typeof MatrixService>;

export const getMatrix = contract({
  id: 'getMatrix',
  summary: 'Show which version of each service runs in which environment',
  description:
    'A service is what the template of a flow calls an artifact. Without provenance, or without a name in the template, ' +
    'it is the name under which it runs, up to its tag or digest. Services are in the order of their names.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/matrix/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    name: text(255).optional().meta({ description: 'Part of the name of the service, in any case' }),
    environment: repeated(EnvironmentName, 20).meta({
      description: 'Physical environments, in the order to show them; the first 12 by name unless given',
    }),
    only: z.enum(['drift']).optional().meta({ description: '`drift` leaves out what is the same everywhere it runs' }),
    page: Page.optional().meta({ description: '1 unless given' }),
    per_page: PerPage(100).meta({ description: 'Of services; 50 unless given' }),
  }),
  status: 200,
  reply: z
    .object({
      environments: z.array(
        z.object({
          name: z.string(),
          type: EnvironmentType,
          stale: z.boolean().meta({ description: 'No report has come for longer than expected' }),
          compliance: z.enum(['compliant', 'non-compliant', 'unknown']),
        }),
      ),
      page: Count,
      per_page: Count,
      total_count: Count.meta({ description: 'How many services the filters let through' }),
      services: z.array(MatrixService),
    })
    .meta({ id: 'Matrix' }),
  errors: [400, 401, 403, 404, 429, 503],
});
