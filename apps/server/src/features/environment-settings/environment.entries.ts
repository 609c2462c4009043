import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

/** What can be changed about an environment besides its name, its tags and its members. */
const Settings = z.strictObject({
  description: z.string(),
  include_scaling: z.boolean(),
  require_provenance: z.boolean(),
  expected_report_interval_s: z.number().int().nullable(),
});

const Member = z.strictObject({ id: z.string(), name: z.string() });

export const environmentCreated = defineEntry({
  type: 'environment.created',
  version: 1,
  summary: 'An environment was created with these settings; its members, if any, are in the next entry',
  payload: Settings.extend({ name: z.string(), type: z.string() }),
});

export const environmentUpdated = defineEntry({
  type: 'environment.updated',
  version: 1,
  summary: 'Settings of an environment were changed; only changed settings are listed',
  payload: Settings.partial().extend({ name: z.string() }),
});

export const environmentMembersChanged = defineEntry({
  type: 'environment.members_changed',
  version: 2,
  summary:
    'Members of a logical environment were added, removed, or reordered; `order` contains the ids of all ' +
    'members, and is null if the remaining ones keep their order and the added ones follow',
  payload: z.strictObject({
    name: z.string(),
    added: z.array(Member),
    removed: z.array(Member),
    order: z.array(z.string()).nullable(),
  }),
});

export const environmentRenamed = defineEntry({
  type: 'environment.renamed',
  version: 1,
  summary: 'An environment was renamed; the old name keeps resolving until another environment uses it',
  payload: z.strictObject({ from: z.string(), to: z.string() }),
});

export const environmentArchived = defineEntry({
  type: 'environment.archived',
  version: 1,
  summary: 'An environment was archived and its names were freed',
  payload: z.strictObject({ name: z.string() }),
});

export const environmentTagged = defineEntry({
  type: 'environment.tagged',
  version: 1,
  summary: 'Tags of an environment were set or removed; only actual changes are listed',
  payload: z.strictObject({ name: z.string(), set: z.record(z.string(), z.string()), removed: z.array(z.string()) }),
});
