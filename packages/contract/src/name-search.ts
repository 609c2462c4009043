import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentType } from './environments.ts';
import { OrgParams } from './evidence.ts';
import { filledText } from './primitives.ts';

export const searchNames = contract({
  id: 'searchNames',
  summary: 'Search flows, environments, policies, controls, trails, and artifacts by name',
  description:
    'Each word of `q` must be part of the name, ignoring case; names that start with `q` come first. Trails and ' +
    'artifacts match only if they start with `q`; trails also if one of their commits does, from six digits. ' +
    'Archived items are omitted.',
  tag: 'Search',
  method: 'GET',
  path: '/search/:org/names',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    q: filledText(200, 'must contain a search term').meta({ examples: ['prod'] }),
    limit: z.coerce.number().int().min(1).max(20).optional().meta({ description: 'Results of each kind. Default: 6' }),
  }),
  status: 200,
  reply: z
    .object({
      flows: z.array(z.object({ name: z.string(), description: z.string() })),
      environments: z.array(
        z.object({
          name: z.string(),
          type: EnvironmentType,
          compliance: z.enum(['compliant', 'non-compliant', 'unknown']),
          stale: z.boolean().meta({ description: 'A report is overdue' }),
        }),
      ),
      policies: z.array(z.object({ name: z.string() })),
      controls: z.array(z.object({ identifier: z.string(), name: z.string() })),
      trails: z.array(z.object({ flow_name: z.string(), name: z.string() })),
      artifacts: z.array(z.object({ fingerprint: z.string(), name: z.string(), flow_name: z.string() })),
    })
    .meta({ id: 'NameSearch' }),
  errors: [400, 401, 403, 429, 503],
});
