import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const KEY = { name: z.string(), algorithm: z.string(), sha256: z.string(), public_key: z.string() };

export const trustKeyAdded = defineEntry({
  type: 'trust.key_added',
  version: 1,
  summary: 'A trusted key was added; the digest is that of its DER form',
  payload: z.strictObject(KEY),
});

/** Trusted in these flows only, by their IDs. */
const Flows = z.array(z.string());

export const trustKeyAddedForFlows = defineEntry({
  type: 'trust.key_added',
  version: 2,
  summary: 'A trusted key was added, for some flows only',
  payload: z.strictObject({ ...KEY, flows: Flows }),
});

export const trustKeyRemoved = defineEntry({
  type: 'trust.key_removed',
  version: 1,
  summary: 'A trusted key was removed',
  payload: z.strictObject({ name: z.string(), sha256: z.string() }),
});

const IDENTITY = {
  name: z.string(),
  issuer: z.string(),
  subject: z.string(),
  trusted_root_sha256: z.string(),
  trusted_root_source: z.string(),
};

export const trustIdentityAdded = defineEntry({
  type: 'trust.identity_added',
  version: 1,
  summary: 'A trusted Sigstore identity was added, with the digest of its trusted root',
  payload: z.strictObject(IDENTITY),
});

export const trustIdentityAddedLimited = defineEntry({
  type: 'trust.identity_added',
  version: 2,
  summary: 'A trusted Sigstore identity was added, for some flows only, or with a pattern for its subject',
  payload: z.strictObject({ ...IDENTITY, flows: Flows.nullable(), is_pattern: z.boolean() }),
});

export const trustIdentityRemoved = defineEntry({
  type: 'trust.identity_removed',
  version: 1,
  summary: 'A trusted Sigstore identity was removed',
  payload: z.strictObject({ name: z.string(), issuer: z.string(), subject: z.string() }),
});
