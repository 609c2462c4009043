import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Problem } from '../errors.ts';
import { isFromOwnOrigin, requireOwnPage } from './csrf.ts';
import { csrfTokenOf, newSecret } from './session-cookie.ts';

const publicUrl = 'https://waymark.test/below/a/path';
const secret = newSecret();
const token = csrfTokenOf(secret);
const ownPage = { origin: 'https://waymark.test', 'sec-fetch-site': 'same-origin', 'x-csrf-token': token };

function isRefused(headers: IncomingHttpHeaders): boolean {
  try {
    requireOwnPage({ publicUrl }, secret, { headers });
    return false;
  } catch (error) {
    if (error instanceof Problem && error.code === 'forbidden') return true;
    throw error;
  }
}

describe('a request that changes something by session', () => {
  it('is accepted from our own pages, and from clients that send no origin', () => {
    expect(isRefused(ownPage)).toBe(false);
    expect(isRefused({ 'x-csrf-token': token })).toBe(false);
    expect(isRefused({ 'x-csrf-token': token, 'sec-fetch-site': 'none' })).toBe(false);
  });

  it.each<[string, IncomingHttpHeaders]>([
    ['another origin', { origin: 'https://elsewhere.test' }],
    ['a neighbouring host', { origin: 'https://a.waymark.test' }],
    ['a host that begins like ours', { origin: 'https://waymark.test.elsewhere.test' }],
    ['our host without TLS', { origin: 'http://waymark.test' }],
    ['our host on another port', { origin: 'https://waymark.test:8443' }],
    ['an origin that the browser hides', { origin: 'null' }],
    ['an empty origin', { origin: '' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour on our site', { 'sec-fetch-site': 'same-site' }],
    ['a site that is not said in any known word', { 'sec-fetch-site': 'Same-Origin' }],
  ])('is refused from %s, also with the token', (_, headers) => {
    expect(isRefused({ ...ownPage, ...headers })).toBe(true);
    expect(isFromOwnOrigin(publicUrl, { ...ownPage, ...headers })).toBe(false);
  });

  it.each<[string, string | string[] | undefined]>([
    ['no token', undefined],
    ['an empty token', ''],
    ["another session's token", csrfTokenOf(newSecret())],
    ["the session's secret itself", secret],
    ['two tokens', [token, token]],
    ['a cut token', token.slice(0, -1)],
  ])('is refused with %s, also from our page', (_, sent) => {
    expect(isRefused({ ...ownPage, 'x-csrf-token': sent })).toBe(true);
  });
});
