import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const policyCreated = defineEntry({
  type: 'policy.created',
  version: 1,
  summary: 'A policy was created; its first version is in the next entry',
  payload: z.strictObject({ name: z.string(), description: z.string() }),
});

export const policyUpdated = defineEntry({
  type: 'policy.updated',
  version: 1,
  summary: 'The description of a policy was changed',
  payload: z.strictObject({ name: z.string(), description: z.string() }),
});

export const policyVersioned = defineEntry({
  type: 'policy.versioned',
  version: 1,
  summary: 'A version of a policy was created and is now in force; the digest is the SHA-256 of its text in UTF-8',
  payload: z.strictObject({
    name: z.string(),
    version: z.number().int(),
    comment: z.string(),
    policy_sha256: z.string(),
    policy_yaml: z.string(),
  }),
});

export const policyArchived = defineEntry({
  type: 'policy.archived',
  version: 1,
  summary: 'A policy that was not attached to any environment was archived, and its name was freed',
  payload: z.strictObject({ name: z.string() }),
});
