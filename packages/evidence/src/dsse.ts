import * as z from 'zod';
import { Base64 } from './base64.ts';
import { listOf } from './shape.ts';

export const MAX_SIGNATURES = 16;

/** A statement under its signatures, as https://github.com/secure-systems-lab/dsse has it. */
export const Envelope = z.object({
  payloadType: z
    .string()
    .max(200)
    .regex(/^application\/vnd\.in-toto(\.[A-Za-z0-9._-]+)?\+json$/, 'is not the type of an in-toto statement'),
  payload: Base64,
  signatures: z
    .array(z.unknown())
    .min(1, 'contains no signature')
    .max(MAX_SIGNATURES, `contains more than ${MAX_SIGNATURES} signatures`)
    .pipe(listOf(z.object({ sig: Base64, keyid: z.string().nullish() }))),
});
export type Envelope = z.infer<typeof Envelope>;
