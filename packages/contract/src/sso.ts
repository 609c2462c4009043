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
    redirect_uri: z.string().meta({ description: 'Has to be registered with the identity provider' }),
    sign_in_url: z.string().meta({ description: 'Where the people of the org sign in' }),
    configured_at: EpochSeconds,
    configured_by: z.string(),
    tested_at: EpochSeconds.nullable().meta({ description: 'When a test succeeded since the last change' }),
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
          'Never shown again. Absent keeps the one there is, as long as issuer and client stay; null is for a public ' +
          'client, which proves itself by PKCE alone',
      }),
    email_domains: z
      .array(EmailDomain)
      .max(50)
      .optional()
      .meta({ description: 'Whose addresses people may come with for the first time; none means any' }),
    default_role: FirstRole.optional().meta({
      description: 'Of people who come for the first time; reader unless given',
    }),
  })
  .meta({ id: 'SsoInput' });
export type SsoInput = z.infer<typeof SsoInput>;

export const getSso = contract({
  id: 'getSso',
  summary: 'Get the single sign-on of an org',
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
    'Through OpenID Connect, with the code flow and PKCE. The issuer is read before anything is stored. Any change has ' +
    'to be tested anew before it can be enforced. While single sign-on is enforced, issuer and client stay; a new issuer ' +
    'ends the sessions and personal keys that came from the old one.',
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
  summary: 'Remove the single sign-on of an org',
  description: 'Ends the sessions and personal keys that came from it. Not while it is enforced.',
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
  summary: 'Enforce single sign-on in an org, or release it',
  description:
    'While it is enforced, people enter the org only with sessions and keys that came from its identity provider; service ' +
    'accounts are not concerned. It takes a test of the present configuration by whoever enforces it, which is done on ' +
    'the page /organizations/{org}/sso.',
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
