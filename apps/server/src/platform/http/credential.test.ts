import { describe, expect, it } from 'vitest';
import { Problem } from '../errors.ts';
import { credentialOf } from './credential.ts';
import { hashKey, newKeyText } from './key-text.ts';
import { hashSecret, newSecret, SESSION_COOKIE } from './session-cookie.ts';

const key = newKeyText('e');
const secret = newSecret();
const cookie = `${SESSION_COOKIE}=${secret}`;
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const byKey = { kind: 'key', hash: hashKey(key) };
const bySession = { kind: 'session', hash: hashSecret(secret), secret };

const REQUIRED = 'An API key is required: send it as "Authorization: Bearer <key>"';
const NO_KEY = 'Not a valid API key: it looks mistyped or truncated';
const BEARER_ONLY = 'Only "Authorization: Bearer <key>" is accepted here';

function refusalOf(headers: Parameters<typeof credentialOf>[0], basicAllowed = true): unknown {
  try {
    return credentialOf(headers, basicAllowed);
  } catch (error) {
    return error instanceof Problem && error.code === 'unauthenticated' ? error.message : error;
  }
}

describe('a key', () => {
  it.each([`Bearer ${key}`, `bearer ${key}`, `BEARER ${key}`, basic(`${key}:`), basic(key), basic(`${key}:any:thing`)])(
    'is taken from %s',
    (authorization) => {
      expect(credentialOf({ authorization }, true)).toEqual(byKey);
    },
  );

  it('is taken as user name only where that is offered', () => {
    expect(refusalOf({ authorization: basic(`${key}:x`) }, false)).toBe(BEARER_ONLY);
  });

  it.each([
    ['', REQUIRED],
    ['Bearer', NO_KEY],
    ['Bearer ', NO_KEY],
    [`Bearer  ${key}`, NO_KEY],
    [`Bearer ${key.slice(0, -1)}`, NO_KEY],
    [`Bearer ${key}, Bearer ${key}`, NO_KEY],
    [key, BEARER_ONLY],
    [` Bearer ${key}`, BEARER_ONLY],
    [`Digest ${key}`, BEARER_ONLY],
    [`Basic, Bearer ${key}`, BEARER_ONLY],
    ['Basic', NO_KEY],
    [basic(`:${key}`), NO_KEY],
    [basic(''), NO_KEY],
    [`Basic ${key}`, NO_KEY],
    [`Basic Bearer ${key}`, NO_KEY],
  ])('is not found in "%s"', (authorization, message) => {
    expect(refusalOf({ authorization })).toBe(message);
  });

  it('never appears in error messages', () => {
    for (const authorization of [`Bearer ${key}x`, `Digest ${key}`, basic(`x${key}`), key]) {
      expect(String(refusalOf({ authorization }))).not.toContain(key);
    }
  });
});

describe('a session', () => {
  it('is the cookie, when there is no Authorization header', () => {
    expect(credentialOf({ cookie }, false)).toEqual(bySession);
    expect(credentialOf({ cookie: `a=1; ${cookie}; b=2` }, false)).toEqual(bySession);
  });

  it('is ignored when there is an Authorization header, valid or not', () => {
    expect(credentialOf({ authorization: `Bearer ${key}`, cookie }, false)).toEqual(byKey);
    expect(refusalOf({ authorization: '', cookie })).toBe(REQUIRED);
    expect(refusalOf({ authorization: 'Bearer nonsense', cookie })).toBe(NO_KEY);
    expect(refusalOf({ authorization: `Session ${secret}`, cookie })).toBe(BEARER_ONLY);
  });

  it.each([
    undefined,
    '',
    'other=1',
    `${SESSION_COOKIE}=`,
    `${cookie}; ${cookie}`,
    `${cookie}; ${SESSION_COOKIE}=planted`,
    `waymark=${secret}`,
    `${SESSION_COOKIE}-browser=${secret}`,
    `${SESSION_COOKIE.toLowerCase()}=${secret}`,
  ])('is not found in the cookies %s', (sent) => {
    expect(refusalOf({ cookie: sent })).toBe(REQUIRED);
  });
});
