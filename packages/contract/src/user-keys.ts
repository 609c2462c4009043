import { z } from 'zod';
import {
  ApiKeyId,
  ApiKeyInput,
  ApiKeyRotation,
  CreatedApiKey,
  KEY_BOUNDS,
  KEY_SCOPE,
  PersonalApiKey,
  ROTATION,
  RotatedApiKey,
  SHOWN_ONCE,
} from './api-keys.ts';
import { contract } from './contract.ts';

const KeyParams = z.strictObject({ key_id: ApiKeyId });

const FOR_PEOPLE = 'For people; a service account is answered 403.';
const BOUND =
  'Who signed in through the identity provider of an org, or comes with a key made in such a session, has to do with ' +
  'keys for that org alone.';

export const createUserKey = contract({
  id: 'createUserKey',
  summary: 'Create a personal API key',
  description:
    'The key may do what you may, in every org you are a member of. For people who have signed in: a request with an ' +
    `API key is answered 403. ${BOUND} Then the new key, too, is good in that org alone. ${KEY_SCOPE} ${KEY_BOUNDS} ${SHOWN_ONCE}`,
  tag: 'Personal API keys',
  method: 'POST',
  path: '/user/api-keys',
  access: 'session',
  body: ApiKeyInput,
  status: 201,
  reply: CreatedApiKey,
  shownOnce: 'key',
  errors: [400, 401, 403, 409, 413, 429, 503],
});

export const listUserKeys = contract({
  id: 'listUserKeys',
  summary: 'List your API keys, newest first',
  description:
    'Also those that have expired, but not those that were revoked. At most 10,000; a `Link` header with `rel="next"` ' +
    `leads to the rest. ${FOR_PEOPLE} ${BOUND}`,
  tag: 'Personal API keys',
  method: 'GET',
  path: '/user/api-keys',
  access: 'person',
  query: z.strictObject({
    after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
  }),
  status: 200,
  reply: z.array(PersonalApiKey),
  errors: [400, 401, 403, 429, 503],
});

export const getUserKey = contract({
  id: 'getUserKey',
  summary: 'Get one of your API keys',
  description: `A key that was revoked, or is not yours, is 404. ${FOR_PEOPLE} ${BOUND}`,
  tag: 'Personal API keys',
  method: 'GET',
  path: '/user/api-keys/:key_id',
  access: 'person',
  params: KeyParams,
  status: 200,
  reply: PersonalApiKey,
  errors: [400, 401, 403, 404, 429, 503],
});

export const revokeUserKey = contract({
  id: 'revokeUserKey',
  summary: 'Revoke one of your API keys',
  description: `It is refused from the next request on. Revoking it again is 404. ${FOR_PEOPLE} ${BOUND}`,
  tag: 'Personal API keys',
  method: 'DELETE',
  path: '/user/api-keys/:key_id',
  access: 'person',
  params: KeyParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});

export const rotateUserKey = contract({
  id: 'rotateUserKey',
  summary: 'Replace one of your API keys by a new one',
  description:
    `${ROTATION} ${FOR_PEOPLE} ${BOUND} A key for one org is rotated only by who comes with such a credential. ` +
    `${KEY_BOUNDS} ${SHOWN_ONCE}`,
  tag: 'Personal API keys',
  method: 'POST',
  path: '/user/api-keys/:key_id/rotate',
  access: 'person',
  params: KeyParams,
  body: ApiKeyRotation,
  status: 201,
  reply: RotatedApiKey,
  shownOnce: 'key',
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});
