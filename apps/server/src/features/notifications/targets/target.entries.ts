import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

export const targetSecretRotated = defineEntry({
  type: 'target.secret_rotated',
  version: 1,
  summary: 'The secret of a webhook was rotated; until the given time, messages are also signed with the previous one',
  payload: z.strictObject({ host: z.string(), previous_secret_until: z.number().nullable() }),
});
