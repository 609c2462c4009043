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

const FOR_PEOPLE = 'For people; service accounts get 403.';
const BOUND =
  'People who signed in through the identity provider of an org, or use a key created in such a session, can ' +
  'manage only keys for that org.';

export const createUserKey = contract({
  id: 'createUserKey',
  summary: 'Create a personal API key',
  description:
    'The key has your permissions in every org you are a member of. Requires a browser session: a request with an ' +
    `API key gets 403. ${BOUND} The new key is then also valid only in that org. ${KEY_SCOPE} ${KEY_BOUNDS} ` +
    `${SHOWN_ONCE}`,
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
    'Includes expired keys, but not revoked ones. At most 10,000; a `Link` header with `rel="next"` points to the ' +
    `rest. ${FOR_PEOPLE} ${BOUND}`,
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
  description: `Answers 404 for a key that was revoked or is not yours. ${FOR_PEOPLE} ${BOUND}`,
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
  description: `The key stops working with the next request. Revoking it again answers 404. ${FOR_PEOPLE} ${BOUND}`,
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
  summary: 'Rotate one of your API keys',
  description:
    `${ROTATION} ${FOR_PEOPLE} ${BOUND} A key for one org can be rotated only with such a credential. ` +
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
