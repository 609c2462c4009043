import { type KeyScope, type Role, roles } from '@waymark/contract';
import { sql } from 'kysely';
import { createKey } from '../../../src/features/api-keys/api-key.service.ts';
import { setMembership } from '../../../src/features/memberships/membership.service.ts';
import { ensureServiceAccount } from '../../../src/features/service-accounts/service-account.service.ts';
import { systemCtx } from '../../../src/platform/ctx.ts';
import { hashKey, newKeyText } from '../../../src/platform/http/key-text.ts';
import { cookieIn, hashSecret, newSecret, SESSION_COOKIE } from '../../../src/platform/http/session-cookie.ts';
import { givenPerson, givenSession, type Person } from '../../given/people.ts';
import { noLog, type TestApi, type TestOrg } from '../../harness.ts';
import type { Caller } from './expected.ts';

/** A caller with their credentials. Service accounts have no session. */
export interface Armed extends Caller {
  readonly key: string;
  readonly session?: string;
}

const DAY_MS = 24 * 3_600_000;
const NOBODY = { kind: 'user', purpose: 'api', roles: {}, onlyOrg: null } as const;

/** Every kind of caller: without a valid credential, of each role in the org, and from elsewhere. */
export async function givenCallers(api: TestApi, other: TestOrg, walled: TestOrg): Promise<Armed[]> {
  const good: Armed[] = [];
  for (const role of roles) {
    good.push(await personOf(api, `person, ${role}`, { [api.org.name]: role, [walled.name]: role }, [api.org, walled]));
    good.push(await accountOf(api, role), await jobOf(api, role));
  }
  good.push(await personOf(api, "other org's admin", { [other.name]: 'admin' }, [other]));
  good.push(await vouchedFor(api, 'admin by the identity provider of another org', api.org, other));
  good.push(await vouchedFor(api, "member by the org's own identity provider", walled, walled));
  good.push(await formerMember(api));
  good.push(await scimKeyOf(api, api.org, 'SCIM key'), await scimKeyOf(api, other, "other org's SCIM key"));
  const typo = newKeyText('e').replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
  return [
    { ...NOBODY, name: 'no credential', state: 'none', key: '', session: '' },
    { ...NOBODY, name: 'mistyped', state: 'mistyped', key: typo, session: 'mistyped' },
    { ...NOBODY, name: 'unknown', state: 'not known', key: newKeyText('e'), session: newSecret() },
    ...(await onceAdmins(api)),
    ...good,
  ];
}

/** With names as the walk sends them, with other names, and without. */
const scopesWalked: readonly KeyScope[] = [
  { kind: 'evidence' },
  { kind: 'evidence', flows: ['another', 'no-flow_name'] },
  { kind: 'evidence', flows: ['another'] },
  { kind: 'snapshot' },
  { kind: 'snapshot', environments: ['no-env_name'] },
  { kind: 'snapshot', environments: ['another', 'no-flow_name'] },
  { kind: 'read' },
];

/** Keys of every role with every scope: of service accounts, of jobs and of people. */
export async function givenScoped(api: TestApi, walled: TestOrg): Promise<Armed[]> {
  const callers: Armed[] = [];
  for (const role of roles) {
    for (const scope of scopesWalked) {
      const held = { [api.org.name]: role, [walled.name]: role };
      const person = await personOf(api, `person, ${role}`, held, [api.org, walled]);
      for (const { session: _, ...owner } of [await accountOf(api, role), await jobOf(api, role), person]) {
        const [text, { key }] = [JSON.stringify(scope), owner];
        await sql`update api_key set scope = ${text}::jsonb where hash = ${hashKey(key)}`.execute(api.db);
        callers.push({ ...owner, name: `${owner.name}, ${text}`, scope });
      }
    }
  }
  return callers;
}

async function personOf(
  api: TestApi,
  name: string,
  held: Readonly<Record<string, Role>>,
  orgs: readonly TestOrg[],
): Promise<Armed> {
  const person = await givenPerson(api);
  for (const org of orgs) await join(api, person, org, held[org.name] ?? 'reader');
  const base = { name, state: 'good', kind: 'user', purpose: 'api', roles: held, onlyOrg: null } as const;
  return { ...base, key: person.key, session: await sessionOf(api, person, null) };
}

async function accountOf(api: TestApi, role: Role): Promise<Armed> {
  const key = await accountKey(api, api.org, `walker-${role}`, role);
  const held = { [api.org.name]: role };
  return { ...NOBODY, name: `account, ${role}`, state: 'good', kind: 'service_account', roles: held, key };
}

async function jobOf(api: TestApi, role: Role): Promise<Armed> {
  const account = await accountOf(api, role);
  const key = await accountKey(api, api.org, `walker-${role}`, role);
  await sql`update api_key set workload = '{}' where hash = ${hashKey(key)}`.execute(api.db);
  return { ...account, name: `job, ${role}`, isJob: true, key };
}

/** A person who is admin in both, with credentials that are valid in one org only. */
async function vouchedFor(api: TestApi, name: string, org: TestOrg, by: TestOrg): Promise<Armed> {
  const role: Role = by === org ? 'member' : 'admin';
  const person = await givenPerson(api);
  for (const joined of new Set([org, by])) await join(api, person, joined, role);
  await sql`update api_key set only_org_id = ${by.id} where hash = ${hashKey(person.key)}`.execute(api.db);
  const held = Object.fromEntries([org, by].map((joined) => [joined.name, role]));
  const base = { name, state: 'good', kind: 'user', purpose: 'api', roles: held, onlyOrg: by.name } as const;
  return { ...base, key: person.key, session: await sessionOf(api, person, by.id) };
}

async function formerMember(api: TestApi): Promise<Armed> {
  const person = await givenPerson(api, { org: api.org, role: 'admin' });
  await setMembership(ctxIn(api, api.org), person, null, 'script');
  const session = await sessionOf(api, person, null);
  return { ...NOBODY, name: 'former admin', state: 'good', key: person.key, session };
}

async function scimKeyOf(api: TestApi, org: TestOrg, name: string): Promise<Armed> {
  const key = await accountKey(api, org, 'walker-scim', 'reader');
  await sql`update api_key set purpose = 'scim' where hash = ${hashKey(key)}`.execute(api.db);
  const base = { state: 'good', kind: 'service_account', purpose: 'scim', onlyOrg: null } as const;
  return { ...base, name, roles: { [org.name]: 'reader' }, key };
}

/** Credentials that would allow everything, had they not expired. */
async function onceAdmins(api: TestApi): Promise<Armed[]> {
  const before = (ms: number) => new Date(api.clock.now.getTime() - ms);
  const ended = [
    ['expired', sql`expires_at = ${before(0)}`, sql`last_seen_at = ${before(DAY_MS / 2)}`],
    ['expired long ago', sql`expires_at = ${before(DAY_MS)}`, sql`created_at = ${before(7 * DAY_MS)}`],
    ['revoked', sql`revoked_at = ${before(0)}`, sql`revoked_at = ${before(0)}`],
  ] as const;
  const callers: Armed[] = [];
  for (const [name, endKey, endSession] of ended) {
    const person = await givenPerson(api, { org: api.org, role: 'admin' });
    const secret = await sessionOf(api, person, null);
    await sql`update api_key set ${endKey} where hash = ${hashKey(person.key)}`.execute(api.db);
    await sql`update session set ${endSession} where hash = ${hashSecret(secret)}`.execute(api.db);
    callers.push({ ...NOBODY, name, state: 'not known', key: person.key, session: secret });
  }
  const archived = await accountKey(api, api.org, 'walker-archived', 'admin');
  await api.db
    .updateTable('service_account')
    .set({ archived_at: api.clock.now })
    .where('org_id', '=', api.org.id)
    .where('name', '=', 'walker-archived')
    .execute();
  return [...callers, { ...NOBODY, name: 'key of an archived account', state: 'not known', key: archived }];
}

function ctxIn(api: TestApi, org: TestOrg) {
  return { ...systemCtx(api.db, org.id, 'tests', noLog), now: () => api.clock.now };
}

async function join(api: TestApi, person: Person, org: TestOrg, role: Role): Promise<void> {
  await setMembership(ctxIn(api, org), person, role, 'script');
}

async function accountKey(api: TestApi, org: TestOrg, name: string, privilege: Role): Promise<string> {
  const ctx = ctxIn(api, org);
  const { id } = await ensureServiceAccount(ctx, { name, privilege });
  const owner = { kind: 'service_account', id, name } as const;
  const { text } = await createKey(ctx, { owner, description: 'walk', expiresAt: null, regionLetter: 'e' });
  return text;
}

async function sessionOf(api: TestApi, person: Person, onlyOrg: string | null): Promise<string> {
  const { cookie } = await givenSession(api, person, onlyOrg);
  return cookieIn(cookie, SESSION_COOKIE) ?? '';
}
