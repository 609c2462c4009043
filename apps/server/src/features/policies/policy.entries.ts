import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const PolicyAtVersion = z.strictObject({ id: z.string(), name: z.string(), version: z.number().int() });

export const policyCreated = defineEntry({
  type: 'policy.created',
  version: 1,
  summary: 'A policy was created; its first version is told by the next entry',
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
  summary: 'A policy got a version, which judges from now on; the digest is the SHA-256 of its text in UTF-8',
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
  summary: 'A policy that no environment used was archived, and its name was freed',
  payload: z.strictObject({ name: z.string() }),
});

export const policyAttached = defineEntry({
  type: 'policy.attached',
  version: 1,
  summary: 'Policies were attached to an environment, which is the subject; each with the version that judged first',
  payload: z.strictObject({ environment: z.string(), policies: z.array(PolicyAtVersion) }),
});

export const policyDetached = defineEntry({
  type: 'policy.detached',
  version: 1,
  summary: 'Policies were detached from an environment, which is the subject; each with the version that judged last',
  payload: z.strictObject({ environment: z.string(), policies: z.array(PolicyAtVersion) }),
});
