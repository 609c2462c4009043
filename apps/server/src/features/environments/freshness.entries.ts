import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const environmentWentStale = defineEntry({
  type: 'environment.went_stale',
  version: 1,
  summary: 'Nothing was heard of an environment for longer than is allowed; recorded once for each silence',
  payload: z.strictObject({ environment: z.string(), last_reported_at: z.number(), allowed_seconds: z.number() }),
});

export const environmentReportingAgain = defineEntry({
  type: 'environment.reporting_again',
  version: 1,
  summary: 'An environment reported again; it had counted as silent since the time given',
  payload: z.strictObject({ environment: z.string(), silent_since: z.number(), last_reported_at: z.number() }),
});
