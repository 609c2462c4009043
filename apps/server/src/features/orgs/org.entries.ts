import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const orgCreated = defineEntry({
  type: 'org.created',
  version: 1,
  summary: 'An org was created',
  payload: z.strictObject({ name: z.string(), kind: z.enum(['personal', 'shared']) }),
});

export const experimentalFeaturesChanged = defineEntry({
  type: 'org.experimental_features_changed',
  version: 1,
  summary: 'What is beta was turned on or off for the whole org',
  payload: z.strictObject({ enabled: z.boolean() }),
});

export const suspensionDelayChanged = defineEntry({
  type: 'org.suspension_delay_changed',
  version: 1,
  summary: 'How many hours after a departure by SCIM what the person made is suspended was changed',
  payload: z.strictObject({ hours: z.number().int() }),
});

export const changeControlChanged = defineEntry({
  type: 'org.change_control_changed',
  version: 1,
  summary: 'Who changes policies, attachments, waivers and trust was changed for the whole org',
  payload: z.strictObject({ mode: z.enum(['off', 'admins', 'two_people']) }),
});

export const findingsThresholdChanged = defineEntry({
  type: 'org.findings_threshold_changed',
  version: 1,
  summary: 'The level at which findings fail was changed for the whole org',
  payload: z.strictObject({ fails_at: z.enum(['error', 'warning', 'note']) }),
});
