import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const PolicyAtVersion = z.strictObject({ id: z.string(), name: z.string(), version: z.number().int() });

export const policyAttached = defineEntry({
  type: 'policy.attached',
  version: 1,
  summary: 'Policies were attached to an environment, which is the subject; each with the version in force',
  payload: z.strictObject({ environment: z.string(), policies: z.array(PolicyAtVersion) }),
});

export const policyDetached = defineEntry({
  type: 'policy.detached',
  version: 1,
  summary: 'Policies were detached from an environment, which is the subject; each with the version in force',
  payload: z.strictObject({ environment: z.string(), policies: z.array(PolicyAtVersion) }),
});
