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
        'Seconds since 1970-01-01 UTC, in the future; 0, null or absent for never. When a key makes the request, that ' +
        'means until that key expires, and a later time is refused',
    }),
    scope: KeyScope.nullish().meta({ description: 'What the key is limited to; null or absent for nothing' }),
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
      .meta({ description: `For how long the old key stays good; ${GRACE_HOURS} unless given` }),
    expires_at: Expiry.meta({
      description:
        'When the new key expires; 0 for never. Absent or null: the new key is valid for as long as the old one was, ' +
        'counted from now, and without an end if the old one had none. When a key makes the request, the new key expires ' +
        'no later than that key, and an explicit later time is refused',
    }),
  })
  .meta({ id: 'ApiKeyRotation' });
export type ApiKeyRotation = z.infer<typeof ApiKeyRotation>;

/** Describes the creator of a key. */
export const MADE_BY =
  'What a key of a service account makes counts as made by the person who made that key. Null when the operator did';

const keyFields = {
  id: z.string(),
  description: z.string(),
  created_at: EpochSeconds,
  expires_at: z.number().meta({ description: 'Seconds since 1970-01-01 UTC; 0 when it never expires' }),
  scope: KeyScope.nullable().meta({
    description: 'What the key is limited to; null when it has all rights of the role',
  }),
};

const expiryLimited = {
  expiry_limited: z.boolean().meta({
    description: 'True when the key expires earlier than asked for, together with the key that made it',
  }),
};

const keyState = {
  last_used_at: EpochSeconds.nullable().meta({ description: 'To the minute; null when it was not used yet' }),
  replaced_by: z
    .string()
    .nullable()
    .meta({
      description:
        'Id of the key that a rotation made in its place: this key is refused from `expires_at` on and is not rotated ' +
        'again. Null when there is none, or when that key was revoked',
    }),
  suspended_at: EpochSeconds.nullable().meta({
    description:
      'Since when the key is refused, because the person who made it left the org or has a lesser role than its ' +
      'service account. An admin can restore it. Null when it is not suspended, as personal keys never are',
  }),
  suspends_at: EpochSeconds.nullable().meta({
    description:
      'When it will be suspended, because the identity provider took away the person who made it, or part of their role. ' +
      'An admin who restores it before then keeps it. Else null',
  }),
  made_by: z
    .string()
    .nullable()
    .meta({ description: `Login of the person who made it. ${MADE_BY}` }),
};

export const ApiKey = z.object({ ...keyFields, ...keyState }).meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

const onlyOrg = {
  only_org: z
    .string()
    .nullable()
    .meta({ description: 'The one org in which the key is good, because that org vouched for its owner; else null' }),
};

export const PersonalApiKey = z.object({ ...keyFields, ...keyState, ...onlyOrg }).meta({ id: 'PersonalApiKey' });
export type PersonalApiKey = z.infer<typeof PersonalApiKey>;

const keyText = { key: z.string().meta({ description: 'The text of the key. It is shown now and never again' }) };

export const CreatedApiKey = z.object({ ...keyFields, ...expiryLimited, ...keyText }).meta({ id: 'CreatedApiKey' });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const RotatedApiKey = z
  .object({
    ...keyFields,
    ...expiryLimited,
    ...keyText,
    grace_period_expires_at: EpochSeconds.meta({ description: 'Until when the old key is good' }),
  })
  .meta({ id: 'RotatedApiKey' });
export type RotatedApiKey = z.infer<typeof RotatedApiKey>;

/** An id of another form is just an unknown id. */
export const ApiKeyId = text(255);

/** Describes operations that return the text of a key. */
export const SHOWN_ONCE =
  'The text of the key is in this answer alone: only its SHA-256 is kept. A repeat with the same `Idempotency-Key` ' +
  'therefore does not show it again but answers 400 with the id of the key that the first request made.';

/** Describes operations that create a key. */
export const KEY_BOUNDS =
  'A key grants nothing beyond its own expiry: what a key makes expires with it at the latest. A key with a scope makes ' +
  `no keys. An owner has at most ${API_KEYS_MAX} keys that are neither revoked nor expired; one more is refused with 409.`;

/** Describes operations that create a new key. */
export const KEY_SCOPE = `${SCOPED} A personal key with named flows or environments has them in every org that it is valid in.`;

export const ROTATION =
  'Makes a new key with the same description and scope, valid for as long as the old one was unless told otherwise, and lets the old one live for the grace period, at most until it would ' +
  'have expired anyway; both or neither. A rotation that fails leaves no new key, and its error names the key and the ' +
  'cause. A key is rotated once: of racing requests one makes a key, and the others, like any later one, answer 400 ' +
  'with the id of that key, which can be rotated itself. When that one was revoked, the old one can be rotated again.';
