import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const trustKeyAdded = defineEntry({
  type: 'trust.key_added',
  version: 1,
  summary: 'A trusted key was added; the digest is that of its DER form',
  payload: z.strictObject({ name: z.string(), algorithm: z.string(), sha256: z.string(), public_key: z.string() }),
});

export const trustKeyRemoved = defineEntry({
  type: 'trust.key_removed',
  version: 1,
  summary: 'A trusted key was removed',
  payload: z.strictObject({ name: z.string(), sha256: z.string() }),
});

export const trustIdentityAdded = defineEntry({
  type: 'trust.identity_added',
  version: 1,
  summary: 'A trusted Sigstore identity was added, with the digest of its trusted root',
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
  summary: 'A trusted Sigstore identity was removed',
  payload: z.strictObject({ name: z.string(), issuer: z.string(), subject: z.string() }),
});
