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
    last_seen_at: EpochSeconds.meta({ description: 'To about a minute' }),
    expires_at: EpochSeconds.meta({ description: 'When it ends if it is not used again' }),
    address: z.string().meta({ description: 'From where the user signed in' }),
    user_agent: z.string(),
    current: z.boolean().meta({ description: 'Whether this is the session of the request' }),
  })
  .meta({ id: 'Session' });

export const listSessions = contract({
  id: 'listSessions',
  summary: 'List where you are signed in',
  description:
    'Sessions that have not ended, the newest first. A credential that an org’s identity provider vouches for sees those ' +
    'of the same org alone. Service accounts have none.',
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
  description: 'It is refused from the next request on. One that has ended is not found.',
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
    csrf_token: z
      .string()
      .nullable()
      .meta({ description: 'To be sent as `X-CSRF-Token` with what changes something; null without a session' }),
    only_org: z
      .string()
      .nullable()
      .meta({ description: 'The one org that the credential is good for, if its identity provider vouches for it' }),
    scope: KeyScope.nullable().meta({ description: 'What the key of the request is limited to; null for nothing' }),
    orgs: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(['personal', 'shared']),
        role: Role,
        sso_required: z
          .boolean()
          .meta({ description: 'Whether the org wants another sign-in first, through its identity provider' }),
      }),
    ),
  })
  .meta({ id: 'OwnSession' });

export const getOwnSession = contract({
  id: 'getOwnSession',
  summary: 'Say who you are, and which orgs you are in',
  tag: 'Users',
  method: 'GET',
  path: '/user/session',
  access: 'signed_in',
  headers: z.object({
    cookie: z.string().optional().meta({ description: 'With the session, as browsers send it' }),
  }),
  status: 200,
  reply: OwnSession,
  errors: [400, 401, 403, 429, 503],
});
