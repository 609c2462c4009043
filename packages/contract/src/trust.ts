import { z } from 'zod';
import { contract } from './contract.ts';
import { FlowName, OrgParams } from './evidence.ts';
import { EpochSeconds, OrgName, ResourceName, text } from './primitives.ts';

export const PUBLIC_KEY_MAX_LENGTH = 16 * 1024;

/** Per kind, because every signed statement may have to be verified with all of them. */
export const TRUST_MAX = 100;

const TRUST_FLOWS_MAX = 50;

const TrustedFlows = z
  .array(FlowName)
  .min(1, 'must name at least one flow')
  .max(TRUST_FLOWS_MAX)
  .nullish()
  .meta({ description: 'Trusted in these flows only. Default: in every flow of the org' });

const FlowsShown = z
  .array(z.string())
  .nullable()
  .meta({ description: 'The flows in which it is trusted; null for every flow' });

const WITHDRAWAL =
  'Policies no longer count what it signed: environments with policies are re-evaluated. Recorded attestations stay.';

export const TrustedKey = z
  .object({
    id: z.string(),
    name: z.string(),
    public_key: z.string(),
    algorithm: z.enum(['ed25519', 'ecdsa-p256', 'ecdsa-p384', 'rsa']),
    sha256: z.string().meta({ description: 'SHA-256 of the key in DER form' }),
    flows: FlowsShown,
    created_at: EpochSeconds,
    created_by: z.string(),
  })
  .meta({ id: 'TrustedKey' });
export type TrustedKey = z.infer<typeof TrustedKey>;

export const addTrustedKey = contract({
  id: 'addTrustedKey',
  summary: 'Trust a key',
  description:
    'From now on, statements signed with this key count as verified. Supported keys: Ed25519, ECDSA on P-256 or ' +
    `P-384, and RSA with 2048 bits or more. At most ${TRUST_MAX} keys can be trusted at a time.`,
  tag: 'Trust',
  method: 'POST',
  path: '/organizations/:org/trust/keys',
  access: 'manage_org',
  dryRun: true,
  params: OrgParams,
  body: z
    .strictObject({
      name: ResourceName,
      public_key: text(PUBLIC_KEY_MAX_LENGTH).meta({ description: 'PEM public key, starting with BEGIN PUBLIC KEY' }),
      flows: TrustedFlows,
    })
    .meta({ id: 'TrustedKeyInput' }),
  status: 201,
  reply: TrustedKey,
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const listTrustedKeys = contract({
  id: 'listTrustedKeys',
  summary: 'List the trusted keys, by name',
  tag: 'Trust',
  method: 'GET',
  path: '/organizations/:org/trust/keys',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: z.array(TrustedKey),
  errors: [400, 401, 403, 429, 503],
});

export const removeTrustedKey = contract({
  id: 'removeTrustedKey',
  summary: 'Stop trusting a key',
  description: WITHDRAWAL,
  tag: 'Trust',
  method: 'DELETE',
  path: '/organizations/:org/trust/keys/:key_id',
  access: 'manage_org',
  dryRun: true,
  params: z.strictObject({ org: OrgName, key_id: z.uuid('must be the id of a trusted key') }),
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});

const Matching = z.enum(['exact', 'pattern']);

export const TrustedIdentity = z
  .object({
    id: z.string(),
    name: z.string(),
    issuer: z.string(),
    subject: z.string(),
    matching: Matching,
    trusted_root_sha256: z.string(),
    trusted_root_source: z
      .enum(['sent', 'installation'])
      .meta({ description: 'Whether the root was sent with the identity, or is that of the installation at the time' }),
    flows: FlowsShown,
    created_at: EpochSeconds,
    created_by: z.string(),
  })
  .meta({ id: 'TrustedIdentity' });
export type TrustedIdentity = z.infer<typeof TrustedIdentity>;

export const addTrustedIdentity = contract({
  id: 'addTrustedIdentity',
  summary: 'Trust a Sigstore identity',
  description:
    'From now on, statements signed with a certificate issued to this identity count as verified. Issuer and ' +
    'subject must match exactly, unless `matching` is `pattern`; forms that cannot occur in a certificate are ' +
    'rejected. At most ' +
    `${TRUST_MAX} identities can be trusted at a time.`,
  tag: 'Trust',
  method: 'POST',
  path: '/organizations/:org/trust/identities',
  access: 'manage_org',
  dryRun: true,
  params: OrgParams,
  body: z
    .strictObject({
      name: ResourceName,
      issuer: z
        .string()
        .max(2048)
        .regex(/^https:\/\/[!-~]+$/, 'must be an https URL')
        .refine((address) => URL.canParse(address), 'must be an https URL')
        .meta({ examples: ['https://token.actions.githubusercontent.com'] }),
      subject: text(2048)
        .min(1, 'must not be empty')
        .meta({ description: 'Subject alternative name of the certificate: an email address or a URI' }),
      matching: Matching.nullish().meta({
        description:
          'With `pattern`, the subject is a pattern for the whole name: `*` is any text within one part, which `/` ' +
          'and `@` end, and `**` any text. It must name the owner. Default: `exact`',
      }),
      trusted_root: z
        .record(z.string(), z.unknown())
        .nullish()
        .meta({ description: 'Content of a Sigstore trusted_root.json. Default: that of the installation' }),
      flows: TrustedFlows,
    })
    .meta({ id: 'TrustedIdentityInput' }),
  status: 201,
  reply: TrustedIdentity,
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const listTrustedIdentities = contract({
  id: 'listTrustedIdentities',
  summary: 'List the trusted identities, by name',
  tag: 'Trust',
  method: 'GET',
  path: '/organizations/:org/trust/identities',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: z.array(TrustedIdentity),
  errors: [400, 401, 403, 429, 503],
});

export const removeTrustedIdentity = contract({
  id: 'removeTrustedIdentity',
  summary: 'Stop trusting an identity',
  description: WITHDRAWAL,
  tag: 'Trust',
  method: 'DELETE',
  path: '/organizations/:org/trust/identities/:identity_id',
  access: 'manage_org',
  dryRun: true,
  params: z.strictObject({ org: OrgName, identity_id: z.uuid('must be the id of a trusted identity') }),
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});
