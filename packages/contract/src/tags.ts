import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgName, ResourceName, TagKey, text } from './primitives.ts';

export const patchTags = contract({
  id: 'patchTags',
  summary: 'Set and remove tags of a resource',
  description: 'Removing a key that is not there succeeds. A key that is both set and removed is refused.',
  tag: 'Tags',
  method: 'PATCH',
  path: '/tags/:org/:type/:id',
  access: 'member',
  params: z.strictObject({
    org: OrgName,
    type: z.enum(['flow', 'flows']).meta({ description: 'Kind of resource, singular or plural' }),
    id: ResourceName.meta({ description: 'Name of the resource' }),
  }),
  body: z
    .strictObject({
      set_tags: z
        .record(TagKey, text(1024))
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
        .meta({ description: 'Keys to remove; of key=value only the key counts' }),
    })
    .meta({ id: 'TagChanges' }),
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});
