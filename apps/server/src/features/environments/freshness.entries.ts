import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const environmentWentStale = defineEntry({
  type: 'environment.went_stale',
  version: 1,
  summary: 'An environment became stale because its report is overdue; recorded once for each stale period',
  payload: z.strictObject({ environment: z.string(), last_reported_at: z.number(), allowed_seconds: z.number() }),
});

export const environmentReportingAgain = defineEntry({
  type: 'environment.reporting_again',
  version: 1,
  summary: 'An environment reported again after being stale since the given time',
  payload: z.strictObject({ environment: z.string(), silent_since: z.number(), last_reported_at: z.number() }),
});
