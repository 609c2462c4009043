import type { Contract, Reply, Role } from '@waymark/contract';
import type { z } from 'zod';
import { createKey } from '../../src/features/api-keys/api-key.service.ts';
import { setMembership } from '../../src/features/memberships/membership.service.ts';
import { type CreatedUser, createUser } from '../../src/features/memberships/sign-up.service.ts';
import { openSession } from '../../src/features/users/sessions/session.service.ts';
import { systemCtx } from '../../src/platform/ctx.ts';
import { csrfTokenOf, SESSION_COOKIE } from '../../src/platform/http/session-cookie.ts';
import { type Answer, noLog, type TestApi, type TestOrg } from '../harness.ts';

export interface Person extends CreatedUser {
  readonly email: string;
  /** A personal key. */
  readonly key: string;
}

/** Headers of a request from one of our pages, by somebody who has signed in. */
export interface Signed {
  readonly cookie: string;
  readonly 'x-csrf-token': string;
}

let count = 0;

/** A user with an address and a personal key, and with a role in the org if one is named. */
export async function givenPerson(
  api: TestApi,
  options: { org?: TestOrg; role?: Role; login?: string; email?: string; displayName?: string } = {},
): Promise<Person> {
  const login = options.login ?? `person-${++count}`;
  const email = options.email ?? `${login}@example.test`;
  const ctx = { ...systemCtx(api.db, '', 'tests', noLog), now: () => api.clock.now };
  const user = await createUser(ctx, { login, displayName: options.displayName ?? null, email });
  if (options.org) {
    await setMembership({ ...ctx, org: options.org.id }, user, options.role ?? 'member', 'script');
  }
  const owner = { kind: 'user' as const, id: user.id, name: login };
  const key = { owner, description: 'test', expiresAt: null, regionLetter: 'e' };
  const { text } = await createKey({ ...ctx, org: user.personalOrg }, key);
  return { ...user, email, key: text };
}

/** Signs somebody in without the pages. `onlyOrg` is the id of the org whose identity provider authenticated them. */
export async function givenSession(api: TestApi, user: CreatedUser, onlyOrg: string | null = null): Promise<Signed> {
  const ctx = { ...systemCtx(api.db, user.personalOrg, 'tests', noLog), now: () => api.clock.now };
  const { secret } = await openSession(ctx, {
    user,
    method: onlyOrg === null ? 'link' : 'sso',
    onlyOrg,
    address: '127.0.0.1',
    userAgent: 'tests',
  });
  return { cookie: `${SESSION_COOKIE}=${secret}`, 'x-csrf-token': csrfTokenOf(secret) };
}

/** Calls an operation by session alone. */
export function callSigned<C extends Contract>(
  api: TestApi,
  contract: C,
  signed: Partial<Signed>,
  call: { params?: Record<string, string>; body?: C['body'] extends z.ZodType ? z.input<C['body']> : unknown } = {},
): Promise<Answer<Reply<C>>> {
  return api.call(contract, { ...call, key: '', headers: { ...signed } } as Parameters<typeof api.call<C>>[1]);
}
