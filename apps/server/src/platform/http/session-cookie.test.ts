import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BROWSER_COOKIE } from './page.ts';
import {
  cookie,
  cookieIn,
  csrfTokenOf,
  hashSecret,
  isCsrfTokenOf,
  newSecret,
  SESSION_COOKIE,
  SESSION_IDLE_MS,
  SESSION_MAX_MS,
} from './session-cookie.ts';

describe('a cookie of ours', () => {
  it('is for this host and all paths, over TLS, out of reach of scripts and of posts from other sites', () => {
    expect(cookie(SESSION_COOKIE, 'abc', 60)).toBe(
      '__Host-waymark=abc; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60',
    );
    expect(cookie(BROWSER_COOKIE, 'abc')).toBe('__Host-waymark-browser=abc; Path=/; Secure; HttpOnly; SameSite=Lax');
    expect(cookie(SESSION_COOKIE, '', 0)).toContain('Max-Age=0');
    expect(cookie(SESSION_COOKIE, 'abc', 60)).not.toMatch(/domain/i);
  });

  it('has a prefix that browsers hold to these rules', () => {
    for (const name of [SESSION_COOKIE, BROWSER_COOKIE]) expect(name).toMatch(/^__Host-/);
  });

  it('is read as it was written', () => {
    const secret = newSecret();
    const [pair = ''] = cookie(SESSION_COOKIE, secret).split(';');
    expect(cookieIn(pair, SESSION_COOKIE)).toBe(secret);
    expect(cookieIn(`theme=dark;${pair}`, SESSION_COOKIE)).toBe(secret);
    expect(cookieIn(`${SESSION_COOKIE}=a=b`, SESSION_COOKIE)).toBe('a=b');
  });

  it('does not count when it comes twice: one of them may be planted by a neighboring host', () => {
    expect(cookieIn(`${SESSION_COOKIE}=a; ${SESSION_COOKIE}=b`, SESSION_COOKIE)).toBeUndefined();
    expect(cookieIn(`${SESSION_COOKIE}=a; ${SESSION_COOKIE}=a`, SESSION_COOKIE)).toBeUndefined();
    expect(cookieIn(`${SESSION_COOKIE}=a; ${SESSION_COOKIE}=`, SESSION_COOKIE)).toBeUndefined();
  });

  it('is found in no header that does not hold it, whatever that is', () => {
    fc.assert(
      fc.property(fc.string(), (header) => header.includes(SESSION_COOKIE) || !cookieIn(header, SESSION_COOKIE)),
    );
    expect(cookieIn(undefined, SESSION_COOKIE)).toBeUndefined();
  });
});

describe('a secret', () => {
  it('has 256 random bits, in characters that a cookie and an address may hold', () => {
    const secrets = Array.from({ length: 100 }, newSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^[\w-]{43}$/);
      expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    }
  });

  it('is stored as a SHA-256 only', () => {
    expect(hashSecret('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('a CSRF token', () => {
  it('is that of its session and of no other', () => {
    const [ours, theirs] = [newSecret(), newSecret()];
    expect(isCsrfTokenOf(ours, csrfTokenOf(ours))).toBe(true);
    expect(isCsrfTokenOf(ours, csrfTokenOf(theirs))).toBe(false);
    for (const token of [undefined, null, '', ours, [csrfTokenOf(ours), 'x'], {}]) {
      expect(isCsrfTokenOf(ours, token)).toBe(false);
    }
  });

  it('does not tell the session', () => {
    const secret = newSecret();
    expect(csrfTokenOf(secret)).not.toContain(secret);
    expect(csrfTokenOf(secret)).not.toBe(hashSecret(secret).toString('base64url'));
  });
});

it('sessions end after half a day without use, and after a week', () => {
  expect([SESSION_IDLE_MS, SESSION_MAX_MS]).toEqual([43_200_000, 604_800_000]);
});
