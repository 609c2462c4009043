import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

/** The values that were sent. */
const FlowChange = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  visibility: z.string().optional(),
  template: z.union([z.string(), z.array(z.string())]).optional(),
  repo_url: z.string().optional(),
});

export const flowCreated = defineEntry({
  type: 'flow.created',
  version: 1,
  summary:
    'A flow was created as sent; absent fields have their defaults: no description, private, the template ' +
    '`version: 1`, no repository',
  payload: FlowChange,
});

export const flowAutoCreated = defineEntry({
  type: 'flow.auto_created',
  version: 1,
  summary: 'A flow was created automatically because evidence named it; it requires nothing',
  payload: z.strictObject({ name: z.string() }),
});

export const flowUpdated = defineEntry({
  type: 'flow.updated',
  version: 1,
  summary: 'A flow was changed as sent; absent fields were kept',
  payload: FlowChange,
});

export const flowRenamed = defineEntry({
  type: 'flow.renamed',
  version: 1,
  summary: 'A flow was renamed; the old name keeps resolving until another flow uses it',
  payload: z.strictObject({ from: z.string(), to: z.string() }),
});

export const flowArchived = defineEntry({
  type: 'flow.archived',
  version: 1,
  summary: 'A flow was archived and its names were freed',
  payload: z.strictObject({ name: z.string() }),
});

export const flowTagged = defineEntry({
  type: 'flow.tagged',
  version: 1,
  summary: 'Tags of a flow were set or removed; only actual changes are listed',
  payload: z.strictObject({ name: z.string(), set: z.record(z.string(), z.string()), removed: z.array(z.string()) }),
});
