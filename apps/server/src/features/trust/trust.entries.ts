import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const trustKeyAdded = defineEntry({
  type: 'trust.key_added',
  version: 1,
  summary: 'A key became trusted; the digest is the one of its DER form',
  payload: z.strictObject({ name: z.string(), algorithm: z.string(), sha256: z.string(), public_key: z.string() }),
});

export const trustKeyRemoved = defineEntry({
  type: 'trust.key_removed',
  version: 1,
  summary: 'A key is no longer trusted',
  payload: z.strictObject({ name: z.string(), sha256: z.string() }),
});

export const trustIdentityAdded = defineEntry({
  type: 'trust.identity_added',
  version: 1,
  summary: 'An identity of Sigstore became trusted, under the trusted root with this digest',
  payload: z.strictObject({
    name: z.string(),
    issuer: z.string(),
    subject: z.string(),
    trusted_root_sha256: z.string(),
    trusted_root_source: z.string(),
  }),
});

export const trustIdentityRemoved = defineEntry({
  type: 'trust.identity_removed',
  version: 1,
  summary: 'An identity of Sigstore is no longer trusted',
  payload: z.strictObject({ name: z.string(), issuer: z.string(), subject: z.string() }),
});
