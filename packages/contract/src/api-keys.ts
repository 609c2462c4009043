import { z } from 'zod';
import { KeyScope, SCOPED } from './key-scopes.ts';
import { EpochSeconds, text } from './primitives.ts';

/** 2100-01-01. A later time was given in milliseconds. */
const LATEST_EXPIRY = 4_102_444_800;

/** Per person or service account, without revoked and expired keys. */
export const API_KEYS_MAX = 100;

export const GRACE_HOURS_MAX = 720;
export const GRACE_HOURS = 24;

const Expiry = z.int().min(0).max(LATEST_EXPIRY, `must be seconds since 1970, at most ${LATEST_EXPIRY}`).nullish();

export const ApiKeyInput = z
  .strictObject({
    description: text(256).min(1),
    expires_at: Expiry.meta({
      description:
        'Seconds since 1970-01-01 UTC, in the future; 0, null, or absent means never. If the request is ' +
        'authenticated with a key, "never" means until that key expires, and a later time is rejected',
    }),
    scope: KeyScope.nullish().meta({ description: 'Scope of the key; null or absent for no limit' }),
  })
  .meta({ id: 'ApiKeyInput' });
export type ApiKeyInput = z.infer<typeof ApiKeyInput>;

export const ApiKeyRotation = z
  .strictObject({
    grace_period_hours: z
      .int()
      .min(1)
      .max(GRACE_HOURS_MAX)
      .nullish()
      .meta({ description: `Hours for which the old key stays valid. Default: ${GRACE_HOURS}` }),
    expires_at: Expiry.meta({
      description:
        'When the new key expires; 0 means never. Absent or null: the new key gets the same lifetime as the old ' +
        'one, starting now, or no expiry if the old one had none. If the request is authenticated with a key, the ' +
        'new key expires no later than that key, and a later time is rejected',
    }),
  })
  .meta({ id: 'ApiKeyRotation' });
export type ApiKeyRotation = z.infer<typeof ApiKeyRotation>;

/** Describes the creator of a key. */
export const MADE_BY =
  'If a key of a service account created it, this is the person who created that key. Null if the operator created it';

const keyFields = {
  id: z.string(),
  description: z.string(),
  created_at: EpochSeconds,
  expires_at: z.number().meta({ description: 'Seconds since 1970-01-01 UTC; 0 if it never expires' }),
  scope: KeyScope.nullable().meta({
    description: 'Scope of the key; null if it has all permissions of the role',
  }),
};

const expiryLimited = {
  expiry_limited: z.boolean().meta({
    description: 'True if the key expires earlier than requested, together with the key that created it',
  }),
};

const keyState = {
  last_used_at: EpochSeconds.nullable().meta({ description: 'Accurate to the minute; null if never used' }),
  replaced_by: z
    .string()
    .nullable()
    .meta({
      description:
        'Id of the key that replaced this one by rotation. This key stops working at `expires_at` and cannot be ' +
        'rotated again. Null if there is none, or if that key was revoked',
    }),
  suspended_at: EpochSeconds.nullable().meta({
    description:
      'When the key was suspended because the person who created it left the org or has a lower role than its ' +
      'service account. An admin can restore it. Null if not suspended; personal keys never are',
  }),
  suspends_at: EpochSeconds.nullable().meta({
    description:
      'When the key will be suspended because the identity provider removed the person who created it or lowered ' +
      'their role. An admin can keep the key by restoring it before then. Otherwise null',
  }),
  made_by: z
    .string()
    .nullable()
    .meta({ description: `Login of the person who created it. ${MADE_BY}` }),
};

export const ApiKey = z.object({ ...keyFields, ...keyState }).meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

const onlyOrg = {
  only_org: z
    .string()
    .nullable()
    .meta({
      description:
        "The only org in which the key is valid, because that org's identity provider vouched " +
        'for its owner; otherwise null',
    }),
};

export const PersonalApiKey = z.object({ ...keyFields, ...keyState, ...onlyOrg }).meta({ id: 'PersonalApiKey' });
export type PersonalApiKey = z.infer<typeof PersonalApiKey>;

const keyText = { key: z.string().meta({ description: 'The key itself. It is shown only in this response' }) };

export const CreatedApiKey = z.object({ ...keyFields, ...expiryLimited, ...keyText }).meta({ id: 'CreatedApiKey' });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const RotatedApiKey = z
  .object({
    ...keyFields,
    ...expiryLimited,
    ...keyText,
    grace_period_expires_at: EpochSeconds.meta({ description: 'When the old key stops working' }),
  })
  .meta({ id: 'RotatedApiKey' });
export type RotatedApiKey = z.infer<typeof RotatedApiKey>;

/** An id of another form is just an unknown id. */
export const ApiKeyId = text(255);

/** Describes operations that return the text of a key. */
export const SHOWN_ONCE =
  'The key is shown only in this response: Waymark stores only its SHA-256. A repeated request with the same ' +
  '`Idempotency-Key` therefore does not return it again; it answers 400 with the id of the key that the first ' +
  'request created.';

/** Describes operations that create a key. */
export const KEY_BOUNDS =
  'A key cannot grant anything beyond its own expiry: whatever a key creates expires with it at the latest. A key ' +
  `with a scope cannot create keys. An owner can have at most ${API_KEYS_MAX} keys that are neither revoked nor ` +
  'expired; another one is rejected with 409.';

/** Describes operations that create a new key. */
export const KEY_SCOPE =
  `${SCOPED} A personal key that is limited to named flows or environments is limited to ` +
  'them in every org in which it is valid.';

export const ROTATION =
  'Creates a new key with the same description, scope, and (by default) lifetime. The old key stays valid for the ' +
  'grace period, but not beyond its own expiry. Either both changes happen or neither. If a rotation fails, no ' +
  'new key exists, and the error names the key and the cause. A key can be rotated once: of concurrent requests, ' +
  'one creates a key, and the others, like any later one, answer 400 with the id of that key, which can itself be ' +
  'rotated. If that key was revoked, the old one can be rotated again.';
