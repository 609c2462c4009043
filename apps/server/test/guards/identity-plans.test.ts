import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countSuspendedKeys } from '../../src/features/api-keys/api-key.reads.ts';
import { revokeJobKeys } from '../../src/features/api-keys/job-key.service.ts';
import { revokeAllOrgKeys } from '../../src/features/api-keys/org-key.service.ts';
import { findOrgByName, readOrgNames } from '../../src/features/orgs/org.reads.ts';
import * as groups from '../../src/features/scim/scim-group.store.ts';
import * as users from '../../src/features/scim/scim-user.store.ts';
import * as workload from '../../src/features/service-accounts/workload-identities/workload-identity.store.ts';
import { pruneJobCredentials } from '../../src/features/service-accounts/workload-identities/workload-identity.tasks.ts';
import { takeAttempt } from '../../src/features/sso/sign-in-attempt.store.ts';
import { pruneSignInAttempts } from '../../src/features/sso/sign-in-attempt.tasks.ts';
import * as sso from '../../src/features/sso/sso.store.ts';
import { endAllOrgSessions } from '../../src/features/users/sessions/org-session.service.ts';
import { findUserByEmail, readOwners, readPeople } from '../../src/features/users/user.reads.ts';
import { systemCtx } from '../../src/platform/ctx.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { noLog, startApi } from '../harness.ts';
import { costlyIn } from './plans/costly.ts';
import { openExplainer } from './plans/explained.ts';

/** People of one org, so that the org alone narrows nothing down, and as many of others. */
const PEOPLE = 20_000;
const GROUPS = 2_000;

const api = await startApi();
const explainer = openExplainer(api.ownerUrl);
afterAll(() => explainer.close());
const org = api.org.id;
const elsewhere = randomUUID();

const orgOf = sql`case when i % 2 = 0 then ${org}::uuid else ${elsewhere}::uuid end`;

beforeAll(async () => {
  const rows = sql`generate_series(1, ${2 * PEOPLE}) as i`;
  await sql`
    insert into org (id, name, kind, created_at)
    select case when i = 1 then ${elsewhere}::uuid else gen_random_uuid() end, 'org-' || i, 'shared', now()
    from ${rows}`.execute(api.db);
  await sql`
    insert into user_account (id, login, email, created_at, personal_org_id)
    select md5('user-' || i)::uuid, 'user-' || i, 'User-' || i || '@corp.test', now(), ${elsewhere} from ${rows}`.execute(
    api.db,
  );
  await sql`
    insert into sso_identity (org_id, id, issuer, subject, user_id, email, created_at)
    select ${orgOf}, gen_random_uuid(), 'https://idp.test', 'subject-' || i, md5('user-' || i)::uuid, '', now()
    from ${rows}`.execute(api.db);
  await sql`
    insert into sign_in_attempt (state_hash, browser_hash, org_id, setting_id, purpose, expires_at)
    select sha256(i::text::bytea), sha256(i::text::bytea), ${orgOf}, gen_random_uuid(), 'sign-in',
      now() + make_interval(mins => i) from ${rows}`.execute(api.db);
  await sql`
    insert into scim_user (org_id, id, user_id, user_name, external_id, active, name, emails, addresses, created_at,
      last_modified_at)
    select ${orgOf}, md5('scim-' || i)::uuid, md5('user-' || i)::uuid, 'User-' || i, 'external-' || i, true, '{}', '[]',
      array['user-' || i || '@corp.test'], now() + make_interval(secs => i), now() from ${rows}`.execute(api.db);
  await sql`
    insert into scim_group (org_id, id, display_name, external_id, role, created_at, last_modified_at)
    select ${org}, md5('group-' || i)::uuid, 'Group-' || i, 'external-' || i, 'member', now(), now()
    from generate_series(1, ${GROUPS}) as i`.execute(api.db);
  await sql`
    insert into scim_group_member (org_id, group_id, user_id)
    select ${org}, md5('group-' || 1 + (i / 2 + step) % ${GROUPS}::int)::uuid, md5('scim-' || i)::uuid
    from ${rows}, unnest(array[1, 7, 50]) as step where i % 2 = 0`.execute(api.db);
  await sql`
    insert into service_account (org_id, id, name, privilege, created_at, created_by)
    select ${orgOf}, md5('account-' || i)::uuid, 'account-' || i, 'member', now(), 'x' from ${rows}`.execute(api.db);
  await sql`
    insert into workload_identity (org_id, id, name, service_account_id, issuer, claims, created_at, created_by, removed_at)
    select ${orgOf}, md5('identity-' || i)::uuid, 'identity-' || i, md5('account-' || i)::uuid, 'https://ci-' || i % 500,
      '{}', now(), 'x', case when i % 3 = 0 then now() end from ${rows}`.execute(api.db);
  await sql`
    insert into used_token (issuer, jti, expires_at)
    select 'https://ci.test', 'jti-' || i, now() + make_interval(mins => i) from ${rows}`.execute(api.db);
  await sql`
    insert into api_key (id, hash, org_id, service_account_id, workload_identity_id, workload, description, created_at,
      expires_at)
    select gen_random_uuid(), sha256(i::text::bytea), ${orgOf}, md5('account-' || i)::uuid,
      md5('identity-' || i)::uuid, '{}', '', now(), now() + make_interval(mins => i) from ${rows}`.execute(api.db);
  await sql`
    insert into session (id, hash, user_id, only_org_id, method, address, user_agent, created_at, last_seen_at)
    select gen_random_uuid(), sha256(i::text::bytea), md5('user-' || i)::uuid, case when i % 100 = 0 then ${org}::uuid else
      ${elsewhere}::uuid end, 'sso', '', '', now(), now() from ${rows}`.execute(api.db);
  await sql`vacuum analyze`.execute(api.owner);
}, 600_000);

const page = { startIndex: 1, count: 100 };
const md5 = async (text: string) =>
  (await sql<{ id: string }>`select md5(${text})::uuid as id`.execute(api.db)).rows[0]?.id ?? '';

const inOrg = (db: Db, id: string) => systemCtx(db, id, 'tests', noLog);

type Work = (db: Db) => Promise<unknown>;
const found =
  (attribute: string, value: string): Work =>
  async (db) =>
    expect((await users.listUsers(db, org, [{ attribute, value }], page)).total).toBe(1);

const hot: [string, Work][] = [
  [
    'somebody by issuer and subject',
    (db) => sso.findIdentity(db, org, { issuer: 'https://idp.test', subject: 'subject-8' }),
  ],
  [
    'whether somebody has a subject',
    async (db) => sso.findIdentityOfUser(db, org, 'https://idp.test', await md5('user-8')),
  ],
  [
    'an attempt that comes back',
    (db) => takeAttempt(db, { stateHash: Buffer.alloc(32), browserHash: Buffer.alloc(32), org }, new Date()),
  ],
  ['an account by its address', (db) => findUserByEmail(db, 'user-8@CORP.test')],
  ['sessions that an identity provider vouched for', (db) => endAllOrgSessions(inOrg(db, randomUUID()))],
  ['keys that an identity provider vouched for', (db) => revokeAllOrgKeys(inOrg(db, randomUUID()))],
  ['people by id', async (db) => readPeople(db, [await md5('user-8'), await md5('user-80')])],
  ['owners of addresses', (db) => readOwners(db, ['user-8@CORP.test', 'nobody@corp.test'])],
  ['names of orgs', (db) => readOrgNames(db, [org, elsewhere])],
  ['an org by name', (db) => findOrgByName(db, 'org-8')],
  ['suspended keys of accounts', async (db) => countSuspendedKeys(db, org, [await md5('account-8')])],
  ['attempts that nobody came back from', (db) => pruneSignInAttempts.run(db)],
  ['a user by name', found('username', 'uSER-8')],
  ['a user by the id of the provider', found('externalid', 'external-8')],
  ['a user by address', found('emails.value', 'User-8@corp.test')],
  [
    'a user who would be in the way',
    async (db) => users.findRival(db, org, { userName: 'user-8', userId: await md5('user-8') }),
  ],
  [
    'what gives some users their roles',
    async (db) => users.listMembers(db, org, [await md5('scim-8'), await md5('scim-80')]),
  ],
  ['which users there are', async (db) => users.listKnownIds(db, org, [await md5('scim-8')])],
  ['a group by name', (db) => groups.listGroups(db, org, [{ attribute: 'displayname', value: 'GROUP-8' }], page)],
  [
    'the groups of a user',
    async (db) => groups.listGroups(db, org, [{ attribute: 'members.value', value: await md5('scim-8') }], page),
  ],
  ['the members of a group', async (db) => groups.listMembers(db, org, [await md5('group-8')])],
  ['whom a group loses', async (db) => groups.deleteMembers(db, org, await md5('group-8'), [await md5('scim-8')])],
  ['what a token of an issuer may be', (db) => workload.listIdentitiesOfIssuer(db, org, 'https://ci-8')],
  ['a workload identity', async (db) => workload.lockIdentity(db, org, await md5('identity-8'))],
  [
    'whether a token was used',
    (db) => workload.insertUsedToken(db, { issuer: 'https://ci.test', jti: 'jti-8', expires_at: new Date() }),
  ],
  ['the keys of an identity', async (db) => revokeJobKeys(inOrg(db, org), await md5('identity-8'))],
  ['tokens and keys of jobs that are over', (db) => pruneJobCredentials.run(db)],
];

it.each(hot)('%s is found through an index', async (_, work) => {
  const plans = await explainer.explain(work);
  expect(plans.length).toBeGreaterThan(0);
  for (const { name, plan } of plans) expect(costlyIn(plan), name).toEqual([]);
});

it('a question without an index is noticed', async () => {
  const byName = [{ attribute: 'displayname', value: 'x' }];
  const [read] = await explainer.explain((db) => users.listUsers(db, org, byName, page));
  expect(costlyIn(read?.plan ?? {})).not.toEqual([]);
});
