import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const Issuer = z.strictObject({ issuer: z.string() });

export const ssoConfigured = defineEntry({
  type: 'sso.configured',
  version: 1,
  summary:
    'Single sign-on was configured or its configuration was changed; `changed_issuer` ended the sessions ' +
    'and keys of the old issuer',
  payload: z.strictObject({
    issuer: z.string(),
    client_id: z.string(),
    has_client_secret: z.boolean(),
    email_domains: z.array(z.string()),
    default_role: z.string(),
    changed_issuer: z.boolean(),
  }),
});

export const ssoEnforced = defineEntry({
  type: 'sso.enforced',
  version: 1,
  summary: 'Single sign-on was enforced: people can enter the org only through its identity provider',
  payload: Issuer,
});

export const ssoReleased = defineEntry({
  type: 'sso.released',
  version: 1,
  summary: 'Single sign-on is no longer enforced',
  payload: Issuer,
});

export const ssoRemoved = defineEntry({
  type: 'sso.removed',
  version: 1,
  summary: 'Single sign-on was removed; sessions and keys obtained through it have ended',
  payload: Issuer,
});

export const ssoIdentityLinked = defineEntry({
  type: 'sso.identity_linked',
  version: 1,
  summary:
    'A subject of the identity provider was linked to a user; matched by email address once, and by the ' +
    'subject from then on',
  payload: z.strictObject({ user_id: z.string(), issuer: z.string(), subject: z.string(), email: z.string() }),
});
