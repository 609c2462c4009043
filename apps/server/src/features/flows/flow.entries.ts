import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const Template = z.union([z.string(), z.array(z.string())]);

export const flowCreated = defineEntry({
  type: 'flow.created',
  version: 1,
  summary: 'A flow was created',
  payload: z.strictObject({
    name: z.string(),
    description: z.string(),
    visibility: z.string(),
    template: Template,
    repo_url: z.string(),
  }),
});

export const flowUpdated = defineEntry({
  type: 'flow.updated',
  version: 1,
  summary: 'A flow was changed; the payload has what was sent, absent keys were left as they were',
  payload: z.strictObject({
    name: z.string(),
    description: z.string().optional(),
    visibility: z.string().optional(),
    template: Template.optional(),
    repo_url: z.string().optional(),
  }),
});

export const flowRenamed = defineEntry({
  type: 'flow.renamed',
  version: 1,
  summary: 'A flow was renamed; the old name goes on resolving until another flow takes it',
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
  summary: 'Tags of a flow were set or removed; only real changes are listed',
  payload: z.strictObject({ name: z.string(), set: z.record(z.string(), z.string()), removed: z.array(z.string()) }),
});
