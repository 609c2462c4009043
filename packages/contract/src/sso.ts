import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { EpochSeconds, text } from './primitives.ts';

/** The roles of first-time users. An admin grants more. */
const FirstRole = z.enum(['reader', 'snapshotter', 'member']);

const EmailDomain = z
  .string()
  .max(253)
  .regex(
    /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)+$/,
    'must be a domain such as example.com',
  );

export const Sso = z
  .object({
    issuer: z.string(),
    client_id: z.string(),
    has_client_secret: z.boolean(),
    email_domains: z.array(z.string()),
    default_role: FirstRole,
    redirect_uri: z.string().meta({ description: 'Register it with the identity provider' }),
    sign_in_url: z.string().meta({ description: 'Sign-in page for the people of the org' }),
    configured_at: EpochSeconds,
    configured_by: z.string(),
    tested_at: EpochSeconds.nullable().meta({ description: 'When the configuration was last tested since it changed' }),
    enforced: z.boolean(),
  })
  .meta({ id: 'Sso' });
export type Sso = z.infer<typeof Sso>;

export const SsoInput = z
  .strictObject({
    issuer: text(1024).meta({ description: 'URL of the OpenID Connect issuer, as the identity provider writes it' }),
    client_id: text(512).min(1),
    client_secret: text(1024)
      .min(1)
      .nullish()
      .meta({
        description:
          'Never shown again. Absent keeps the current secret, as long as issuer and client do not change; null ' +
          'is for a public client, which authenticates with PKCE only',
      }),
    email_domains: z
      .array(EmailDomain)
      .max(50)
      .optional()
      .meta({ description: 'Domains whose addresses can sign in for the first time; an empty list allows any' }),
    default_role: FirstRole.optional().meta({
      description: 'Role of people who sign in for the first time. Default: reader',
    }),
  })
  .meta({ id: 'SsoInput' });
export type SsoInput = z.infer<typeof SsoInput>;

export const getSso = contract({
  id: 'getSso',
  summary: 'Get the single sign-on settings of an org',
  tag: 'Organizations',
  method: 'GET',
  path: '/organizations/:org/sso',
  access: 'manage_org',
  params: OrgParams,
  status: 200,
  reply: Sso,
  errors: [400, 401, 403, 404, 429, 503],
});

export const putSso = contract({
  id: 'putSso',
  summary: 'Configure single sign-on for an org',
  description:
    "Uses OpenID Connect with the authorization code flow and PKCE. The issuer's configuration is read before " +
    'anything is stored. Every change must be tested again before single sign-on can be enforced. While single ' +
    'sign-on is enforced, issuer and client cannot change; a new issuer ends the sessions and personal keys that ' +
    'the old one issued.',
  tag: 'Organizations',
  method: 'PUT',
  path: '/organizations/:org/sso',
  access: 'manage_org',
  params: OrgParams,
  body: SsoInput,
  status: 200,
  reply: Sso,
  errors: [400, 401, 403, 413, 429, 503],
});

export const removeSso = contract({
  id: 'removeSso',
  summary: 'Remove single sign-on from an org',
  description: 'Ends the sessions and personal keys obtained through it. Not possible while it is enforced.',
  tag: 'Organizations',
  method: 'DELETE',
  path: '/organizations/:org/sso',
  access: 'manage_org',
  params: OrgParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 409, 429, 503],
});

export const enforceSso = contract({
  id: 'enforceSso',
  summary: 'Enforce single sign-on, or stop enforcing it',
  description:
    'While it is enforced, people can enter the org only with sessions and keys obtained through its identity ' +
    'provider; service accounts are not affected. The admin who enforces it must first test the current ' +
    'configuration on the page /organizations/{org}/sso.',
  tag: 'Organizations',
  method: 'POST',
  path: '/organizations/:org/sso/enforce',
  access: 'manage_org',
  params: OrgParams,
  body: z.strictObject({ enforced: z.boolean() }).meta({ id: 'SsoEnforcement' }),
  status: 200,
  reply: Sso,
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});
