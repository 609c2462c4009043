import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

export const mailRefusalRecorded = defineEntry({
  type: 'mail_refusal.recorded',
  version: 1,
  summary:
    'Whoever reads the mail of an address asked for no more of it from a notification; what waited for the address was dropped',
  payload: z.strictObject({ notification: z.string().nullable(), address: z.string() }),
});

export const orgMailRefusalRecorded = defineEntry({
  type: 'org_mail_refusal.recorded',
  version: 1,
  summary:
    'Whoever reads the mail of an address asked for no more of it from any notification of the org, now or later',
  payload: z.strictObject({ address: z.string() }),
});
