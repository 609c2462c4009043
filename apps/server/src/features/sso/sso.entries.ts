import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const Issuer = z.strictObject({ issuer: z.string() });

export const ssoConfigured = defineEntry({
  type: 'sso.configured',
  version: 1,
  summary:
    'Single sign-on was configured, or in another way than before; `changed_issuer` ended what came from the old one',
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
  summary: 'People enter the org through its identity provider alone',
  payload: Issuer,
});

export const ssoReleased = defineEntry({
  type: 'sso.released',
  version: 1,
  summary: 'People may enter the org in other ways than through its identity provider again',
  payload: Issuer,
});

export const ssoRemoved = defineEntry({
  type: 'sso.removed',
  version: 1,
  summary: 'The org has no single sign-on any more; sessions and keys that came from it have ended',
  payload: Issuer,
});

export const ssoIdentityLinked = defineEntry({
  type: 'sso.identity_linked',
  version: 1,
  summary: 'Whom the identity provider means by a subject; found by the address then, and by the subject ever after',
  payload: z.strictObject({ user_id: z.string(), issuer: z.string(), subject: z.string(), email: z.string() }),
});
