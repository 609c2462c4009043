import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const Content = z.strictObject({
  name: z.string(),
  description: z.string(),
  links: z.record(z.string(), z.string()),
});

const Numbered = z.strictObject({ identifier: z.string(), version: z.number().int() });

export const controlCreated = defineEntry({
  type: 'control.created',
  version: 1,
  summary: 'A control was created',
  payload: Content.extend(Numbered.shape),
});

export const controlEdited = defineEntry({
  type: 'control.edited',
  version: 1,
  summary: 'A control was edited; only changed fields are listed',
  payload: Content.partial().extend(Numbered.shape),
});

export const controlArchived = defineEntry({
  type: 'control.archived',
  version: 1,
  summary: 'A control was archived and left the catalog; its identifier stays reserved',
  payload: Numbered,
});

export const controlUnarchived = defineEntry({
  type: 'control.unarchived',
  version: 1,
  summary: 'A control was unarchived',
  payload: Numbered,
});

export const controlTagged = defineEntry({
  type: 'control.tagged',
  version: 1,
  summary: 'Tags of a control were set or removed; only actual changes are listed',
  payload: z.strictObject({
    identifier: z.string(),
    set: z.record(z.string(), z.string()),
    removed: z.array(z.string()),
  }),
});
