import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const TrailChange = z.strictObject({
  flow: z.string(),
  name: z.string(),
  template_id: z.string(),
  content: z.record(z.string(), z.unknown()),
});

export const trailBegun = defineEntry({
  type: 'trail.begun',
  version: 1,
  summary:
    'A trail was created, with the content that was sent; `template_id` is the template it pinned. ' +
    'Evidence that arrives first creates the trail without content.',
  payload: z.strictObject({ ...TrailChange.shape, auto_created: z.boolean() }),
});

export const trailUpdated = defineEntry({
  type: 'trail.updated',
  version: 1,
  summary: 'A trail was changed as sent; absent fields were kept',
  payload: z.strictObject({ ...TrailChange.shape, changes: z.array(z.string()) }),
});
