import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgName, TagKey, text } from './primitives.ts';

/** Tags are indexed by their values, and an index entry has room for 2,704 bytes in all. */
const TagValue = text(1024).refine(
  (value) => new TextEncoder().encode(value).length <= 2000,
  'must be at most 2000 bytes',
);

export const patchTags = contract({
  id: 'patchTags',
  summary: 'Set and remove tags of a resource',
  description:
    'Removing a key that does not exist succeeds. A key that is both set and removed is rejected. Tagging a ' +
    'control requires the admin role.',
  tag: 'Tags',
  method: 'PATCH',
  path: '/tags/:org/:type/*id',
  access: 'record_evidence',
  dryRun: true,
  params: z.strictObject({
    org: OrgName,
    type: z
      .enum(['flow', 'flows', 'env', 'environment', 'environments', 'repo', 'repos', 'control', 'controls'])
      .meta({ description: 'Kind of resource, singular or plural' }),
    id: text(1000)
      .min(1, 'must not be empty')
      .meta({
        description:
          'Name of a flow or an environment; Waymark id of a repository, or its name if unique; identifier of a ' +
          'control',
        examples: ['web-app'],
      }),
  }),
  body: z
    .strictObject({
      set_tags: z
        .record(TagKey, TagValue)
        .refine((tags) => Object.keys(tags).length <= 1000, 'must have at most 1000 keys')
        .nullish(),
      remove_tags: z
        .array(
          z
            .string()
            .regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*(=.*)?$/, 'must be keys, or key=value')
            .max(2048),
        )
        .max(1000)
        .nullish()
        .meta({ description: 'Keys to remove; the value of key=value is ignored' }),
    })
    .meta({ id: 'TagChanges' }),
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});
