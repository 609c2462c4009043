import { z } from 'zod';
import { contract } from './contract.ts';
import { KeyScope } from './key-scopes.ts';
import { EpochSeconds } from './primitives.ts';
import { Role } from './roles.ts';

const Session = z
  .object({
    id: z.string(),
    method: z.enum(['link', 'sso', 'set_up']).meta({ description: 'How the user signed in' }),
    created_at: EpochSeconds,
    last_seen_at: EpochSeconds.meta({ description: 'Accurate to one minute' }),
    expires_at: EpochSeconds.meta({ description: 'When it ends if it is not used again' }),
    address: z.string().meta({ description: 'IP address from which the user signed in' }),
    user_agent: z.string(),
    current: z.boolean().meta({ description: 'Whether this request uses this session' }),
  })
  .meta({ id: 'Session' });

export const listSessions = contract({
  id: 'listSessions',
  summary: 'List your sessions',
  description:
    'Returns active sessions, newest first. A credential obtained through an org’s identity provider lists only ' +
    'the sessions of that org. Service accounts have none.',
  tag: 'Users',
  method: 'GET',
  path: '/user/sessions',
  access: 'signed_in',
  status: 200,
  reply: z.array(Session),
  errors: [401, 403, 429, 503],
});

export const revokeSession = contract({
  id: 'revokeSession',
  summary: 'End one of your sessions',
  description: 'It stops working with the next request. Answers 404 if it has already ended.',
  tag: 'Users',
  method: 'DELETE',
  path: '/user/sessions/:session_id',
  access: 'signed_in',
  params: z.strictObject({ session_id: z.uuid('must be the id of a session') }),
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});

const OwnSession = z
  .object({
    kind: z.enum(['user', 'service_account']),
    login: z.string(),
    display_name: z.string().nullable(),
    email: z.string().nullable(),
    csrf_token: z.string().nullable().meta({
      description: 'Send it as `X-CSRF-Token` with every request that changes something; null without a session',
    }),
    only_org: z.string().nullable().meta({
      description: "The only org the credential is valid in, if it was obtained through that org's identity provider",
    }),
    scope: KeyScope.nullable().meta({
      description: 'Scope of the key that authenticates the request; null for no limit',
    }),
    orgs: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(['personal', 'shared']),
        role: Role,
        members_visible: z.boolean().meta({ description: 'Whether every role can read the members of the org' }),
        sso_required: z
          .boolean()
          .meta({ description: 'Whether the org requires you to sign in again through its identity provider' }),
      }),
    ),
  })
  .meta({ id: 'OwnSession' });
export type OwnSession = z.infer<typeof OwnSession>;

export const getOwnSession = contract({
  id: 'getOwnSession',
  summary: 'Get the current user and their orgs',
  tag: 'Users',
  method: 'GET',
  path: '/user/session',
  access: 'signed_in',
  headers: z.object({
    cookie: z.string().optional().meta({ description: 'The session cookie, as browsers send it' }),
  }),
  status: 200,
  reply: OwnSession,
  errors: [400, 401, 403, 429, 503],
});
