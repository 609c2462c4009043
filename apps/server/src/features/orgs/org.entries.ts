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
  summary: 'Beta features were turned on or off for the whole org',
  payload: z.strictObject({ enabled: z.boolean() }),
});

export const refuseUnverifiedChanged = defineEntry({
  type: 'org.refuse_unverified_changed',
  version: 1,
  summary: 'Whether the org refuses signed evidence that does not verify was changed',
  payload: z.strictObject({ enabled: z.boolean() }),
});

export const membersVisibleChanged = defineEntry({
  type: 'org.members_visible_changed',
  version: 1,
  summary: 'Whether every role can read the members and the membership log was changed',
  payload: z.strictObject({ enabled: z.boolean() }),
});

export const waiverRulesChanged = defineEntry({
  type: 'org.waiver_rules_changed',
  version: 1,
  summary: 'What the org demands of waivers and overrides was changed; `waiver_max_days` is null if waivers may last',
  payload: z.strictObject({ waiver_max_days: z.number().int().nullable(), reason_min_length: z.number().int() }),
});

export const findingsThresholdChanged = defineEntry({
  type: 'org.findings_threshold_changed',
  version: 1,
  summary: 'The finding level that fails scans was changed for the whole org',
  payload: z.strictObject({ fails_at: z.enum(['error', 'warning', 'note']) }),
});
