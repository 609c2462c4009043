import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const suspensionDelayChanged = defineEntry({
  type: 'org.suspension_delay_changed',
  version: 1,
  summary: "The number of hours between a SCIM departure and the suspension of the person's keys was changed",
  payload: z.strictObject({ hours: z.number().int() }),
});

export const changeControlChanged = defineEntry({
  type: 'org.change_control_changed',
  version: 1,
  summary: 'The change control mode of the org was changed',
  payload: z.strictObject({ mode: z.enum(['off', 'admins', 'two_people']) }),
});
