import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

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
