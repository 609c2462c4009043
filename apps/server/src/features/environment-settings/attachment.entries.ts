import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const PolicyAtVersion = z.strictObject({ id: z.string(), name: z.string(), version: z.number().int() });
const Attachments = z.strictObject({ environment: z.string(), policies: z.array(PolicyAtVersion) });

export const policyAttached = defineEntry({
  type: 'policy.attached',
  version: 1,
  summary: 'Policies were attached to an environment, which is the subject; each with the version in force',
  payload: Attachments,
});

export const policyDetached = defineEntry({
  type: 'policy.detached',
  version: 1,
  summary: 'Policies were detached from an environment, which is the subject; each with the version in force',
  payload: Attachments,
});

export const reportOnlyAttached = defineEntry({
  type: 'policy.report_only_attached',
  version: 1,
  summary:
    'Policies were attached to an environment, which is the subject, as report-only; each with its newest version',
  payload: Attachments,
});

export const reportOnlyDetached = defineEntry({
  type: 'policy.report_only_detached',
  version: 1,
  summary: 'Report-only policies were detached from an environment, which is the subject; each with its newest version',
  payload: Attachments,
});

export const policyPromoted = defineEntry({
  type: 'policy.promoted',
  version: 1,
  summary:
    'Report-only policies of an environment, which is the subject, are no longer report-only; `policy.attached` follows, ' +
    'because they are enforced from now on',
  payload: Attachments,
});
