import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';

const ExperimentalFeatures = z
  .strictObject({ experimental_features_enabled: z.boolean() })
  .meta({ id: 'ExperimentalFeatures' });

export const putExperimentalFeatures = contract({
  id: 'putExperimentalFeatures',
  summary: 'Turn experimental features on or off for an org',
  description:
    'While they are on, what is beta is open to all members of the org without the header `Waymark-Beta`. Turning them ' +
    'off takes nothing away that was recorded.',
  tag: 'Organizations',
  method: 'PUT',
  path: '/organizations/:org/experimental_features',
  access: 'admin',
  params: OrgParams,
  body: ExperimentalFeatures,
  status: 200,
  reply: ExperimentalFeatures,
  errors: [400, 401, 403, 413, 429, 503],
});
