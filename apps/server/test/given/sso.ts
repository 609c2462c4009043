import { putSso, type SsoInput } from '@waymark/contract';
import { expect } from 'vitest';
import type { CreatedUser } from '../../src/features/memberships/sign-up.service.ts';
import { SESSION_COOKIE } from '../../src/platform/http/session-cookie.ts';
import type { TestApi, TestOrg } from '../harness.ts';
import type { OidcProvider } from '../oidc/start-provider.ts';
import type { Seen, Visitor } from '../visitor.ts';
import { givenSession } from './people.ts';

/** The org's people sign in at the provider. */
export async function givenSso(
  api: TestApi,
  org: TestOrg,
  provider: OidcProvider,
  more: Partial<SsoInput> = {},
): Promise<void> {
  const body = { issuer: provider.issuer, client_id: provider.clientId, ...more };
  expect(await api.call(putSso, { params: { org: org.name }, key: org.keys.admin, body })).toMatchObject({
    status: 200,
  });
}

/** Clicks through our page up to the identity provider; returns the URL there. */
export async function startSignIn(visitor: Visitor, org: string, next?: string): Promise<string> {
  const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`;
  const page = await visitor.get(`/sign-in/${org}${query}`);
  return follow(visitor, page, 'start');
}

/** The same for the test on the settings page. */
export async function startTest(visitor: Visitor, org: string): Promise<string> {
  return follow(visitor, await visitor.get(`/organizations/${org}/sso`), 'sso/test');
}

/** Returns from the identity provider with what it sent. */
export async function comeBack(visitor: Visitor, url: string): Promise<Seen> {
  const { pathname, search } = new URL(url);
  return visitor.get(pathname + search);
}

export async function signInThrough(
  visitor: Visitor,
  provider: OidcProvider,
  org: string,
  login: string,
  next?: string,
): Promise<Seen> {
  return comeBack(visitor, await provider.signIn(await startSignIn(visitor, org, next), login));
}

export async function testThrough(visitor: Visitor, provider: OidcProvider, org: string, login: string): Promise<Seen> {
  return comeBack(visitor, await provider.signIn(await startTest(visitor, org), login));
}

/** Signs the visitor in without the pages. */
export async function giveSession(
  api: TestApi,
  visitor: Visitor,
  user: CreatedUser,
  onlyOrg: string | null = null,
): Promise<void> {
  const { cookie } = await givenSession(api, user, onlyOrg);
  visitor.cookies.set(SESSION_COOKIE, cookie.slice(SESSION_COOKIE.length + 1));
}

/** The headers that the visitor's browser sends to the API. */
export function sessionOf(visitor: Visitor): { cookie: string } {
  return { cookie: `${SESSION_COOKIE}=${visitor.cookies.get(SESSION_COOKIE) ?? ''}` };
}

/** The text of a page, as a person reads it. */
export function shown({ html }: Seen): string {
  const text = html.slice(html.indexOf('<main')).replace(/<[^>]*>/g, '');
  return text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

async function follow(visitor: Visitor, page: Seen, part: string): Promise<string> {
  const href = new RegExp(`href="([^"]*/${part}[^"]*)"`).exec(page.html)?.[1];
  if (href === undefined) throw new Error(`the page answered ${page.status} and has no link to ${part}`);
  const { location } = await visitor.get(href.replaceAll('&amp;', '&'));
  return location ?? '';
}
