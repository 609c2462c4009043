import { createKey } from '../../apps/server/src/features/api-keys/api-key.service.ts';
import { setMembership } from '../../apps/server/src/features/memberships/membership.service.ts';
import { createUser } from '../../apps/server/src/features/memberships/sign-up.service.ts';
import { createOrg } from '../../apps/server/src/features/orgs/org.service.ts';
import { findUserByLogin } from '../../apps/server/src/features/users/user.reads.ts';
import { systemCtx } from '../../apps/server/src/platform/ctx.ts';
import {
  acceptInvitation,
  createInvitation,
  createServiceAccount,
  createServiceAccountKey,
  putExperimentalFeatures,
  putFindingsThreshold,
  type Role,
} from '../../packages/contract/src/index.ts';
import type { DemoApi } from './demo-api.ts';
import { DAY, plus, type StoryTimes, secondsOf } from './moments.ts';
import type { DemoKeys } from './seeding.ts';
import { ORG } from './shop.ts';
import type { Words } from './words.ts';

export const PEOPLE = {
  ada: { login: 'ada', displayName: 'Ada Admin', email: 'ada@example.com' },
  bea: { login: 'bea', displayName: 'Bea Writer', email: 'bea@example.com' },
  carl: { login: 'carl', displayName: 'Carl Auditor', email: 'carl@example.com' },
  finn: { login: 'finn', displayName: 'Finn Former', email: 'finn@example.com' },
} as const;

/** The org with its admin, created as an operator does; an older demo may have created them already. */
export async function foundOrg(api: DemoApi, words: Words): Promise<{ orgId: string; ada: string }> {
  const ctx = operatorCtx(api);
  const known = await api.db.selectFrom('org').select('id').where('name', '=', ORG).executeTakeFirst();
  const orgId = known?.id ?? (await createOrg(ctx, { name: ORG, kind: 'shared' }));
  const ada = await personKey(api, PEOPLE.ada, words, orgId);
  await api.call(ada, putExperimentalFeatures, { body: { experimental_features_enabled: true } });
  await api.call(ada, putFindingsThreshold, { body: { fails_at: 'warning' } });
  return { orgId, ada };
}

function operatorCtx(api: DemoApi) {
  return { ...systemCtx(api.db, '', 'waymark-server', api.log), now: api.now };
}

type Person = (typeof PEOPLE)[keyof typeof PEOPLE];

/** Accounts begin with a link by mail, or with the operator, as here. */
async function personKey(api: DemoApi, person: Person, words: Words, adminOf?: string): Promise<string> {
  const ctx = operatorCtx(api);
  const displayName = words.text(person.displayName);
  const known = await findUserByLogin(api.db, person.login);
  const user = known ?? (await createUser(ctx, { ...person, displayName }));
  if (adminOf) await setMembership({ ...ctx, org: adminOf }, user, 'admin', 'script');
  const owner = { kind: 'user' as const, id: user.id, name: user.login };
  const key = { owner, description: words.text('laptop'), expiresAt: null, regionLetter: 'e' };
  return (await createKey({ ...ctx, org: user.personalOrg }, key)).text;
}

/** Invited by ada, and accepted. */
export async function givenMember(
  api: DemoApi,
  ada: string,
  who: keyof typeof PEOPLE,
  role: Role,
  words: Words,
): Promise<string> {
  const person = PEOPLE[who];
  const key = await personKey(api, person, words);
  const { id } = await api.call(ada, createInvitation, { body: { email: person.email, role } });
  await api.call(key, acceptInvitation, { params: { invitation_id: id }, body: {} });
  return key;
}

/** Service accounts with their keys: those that work, one that expires soon, and one that was revoked. */
export async function givenAccounts(
  api: DemoApi,
  ada: string,
  words: Words,
): Promise<Pick<DemoKeys, 'ci' | 'reporter'>> {
  const account = (name: string, privilege: Role, description: string) =>
    api.call(ada, createServiceAccount, { body: { name, privilege, description: words.text(description) } });
  await account('ci', 'member', 'CI pipelines of all services');
  await account('reporter', 'snapshotter', 'Reports running artifacts');
  return {
    ci: (await givenAccountKey(api, ada, 'ci', words.text('pipelines'))).key,
    reporter: (await givenAccountKey(api, ada, 'reporter', words.text('clusters'))).key,
  };
}

export function givenAccountKey(api: DemoApi, key: string, name: string, description: string, expiresAt?: Date) {
  const body = { description, ...(expiresAt && { expires_at: secondsOf(expiresAt) }) };
  return api.call(key, createServiceAccountKey, { params: { name }, body });
}

/** When the key of the pipelines that is about to expire does so. */
export function keyExpiry({ now }: StoryTimes): Date {
  return plus(now, 5 * DAY);
}
