import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

export const mailAddressConfirmed = defineEntry({
  type: 'mail_address.confirmed',
  version: 1,
  summary: 'The owner of an address agreed to receive notifications of the org',
  payload: z.strictObject({ address: z.string() }),
});

export const mailAddressDeclined = defineEntry({
  type: 'mail_address.declined',
  version: 1,
  summary: 'The owner of an address declined notifications of the org, and is not asked again',
  payload: z.strictObject({ address: z.string() }),
});
