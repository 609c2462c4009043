import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

export const mailRefusalRecorded = defineEntry({
  type: 'mail_refusal.recorded',
  version: 1,
  summary: 'The owner of an address unsubscribed from a notification; waiting messages to the address were dropped',
  payload: z.strictObject({ notification: z.string().nullable(), address: z.string() }),
});

export const orgMailRefusalRecorded = defineEntry({
  type: 'org_mail_refusal.recorded',
  version: 1,
  summary: 'The owner of an address unsubscribed from all current and future notifications of the org',
  payload: z.strictObject({ address: z.string() }),
});
