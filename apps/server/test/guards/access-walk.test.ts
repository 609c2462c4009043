import {
  allows,
  type ChangeControlMode,
  type Contract,
  contracts,
  controlRuleOf,
  createServiceAccount,
  isPermission,
  listFlows,
  type PermissionRule,
  permissions,
  putFlow,
  type Role,
  roles,
  scopesReaching,
  toOpenApi,
} from '@waymark/contract';
import { expect, it } from 'vitest';
import { isFull, sample } from '../../../../tools/test-size.ts';
import { givenPerson } from '../given/people.ts';
import { startApi } from '../harness.ts';
import { givenCallers, givenScoped } from './access/callers.ts';
import type { Caller } from './access/expected.ts';
import { bodyFor, isAboutOne, makerFor } from './access/own-things.ts';
import { walk } from './access/walk.ts';

const api = await startApi();
const other = await api.givenOrg('stranger');
const walled = await api.givenOrg('walled');
await api.db.updateTable('org').set({ sso_enforced_at: api.clock.now }).where('id', '=', walled.id).execute();
const callers = await givenCallers(api, other, walled);
const orgs = [
  { name: api.org.name, isWalled: false },
  { name: walled.name, isWalled: true },
  { name: 'never-was', isWalled: false },
];
const own = orgs.slice(0, 1);

interface Described {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly 'x-permission'?: string;
  readonly 'x-scopes'?: readonly string[];
}

/** The operations in the API description, in the order of the contracts. */
function describedOperations(): Described[] {
  const { paths } = toOpenApi(contracts, { version: '2.0', serverUrl: '/api/v2' });
  return Object.values(paths as Record<string, Record<string, Described>>).flatMap((path) => Object.values(path));
}

it('every operation in the API description is walked, and the description says who may', () => {
  const described = new Map(describedOperations().map((operation) => [operation.operationId, operation]));
  for (const contract of contracts) {
    expect(described.get(contract.id)?.['x-scopes'] ?? [], contract.id).toEqual(scopesReaching(contract));
  }
  expect([...described.keys()].sort()).toEqual(contracts.map(({ id }) => id).sort());
  for (const { id, access, basicAuth } of contracts) {
    const { security, 'x-permission': permission } = described.get(id) ?? { security: [] };
    expect(permission, id).toBe(isPermission(access) ? access : undefined);
    expect(security.length === 0, id).toBe(access === 'public');
    expect(
      security.some((scheme) => 'basic' in scheme),
      id,
    ).toBe(basicAuth === true);
  }
});

it('permissions of a role need an org, and those of one’s own things do not', () => {
  const isOfAnOrg = ({ path }: Contract) => path.includes('/:org');
  for (const contract of contracts) {
    if (isPermission(contract.access) || contract.access === 'scim')
      expect(isOfAnOrg(contract), contract.id).toBe(true);
    if (['signed_in', 'person', 'session'].includes(contract.access))
      expect(isOfAnOrg(contract), contract.id).toBe(false);
  }
});

it('every operation is open to whom the table says, in every way to call it, and to nobody else', async () => {
  const { checks, differences } = await walk(api, contracts, callers, orgs);
  console.log(`access walk: ${checks} checks`);
  expect(differences).toEqual([]);
  expect(checks).toBeGreaterThan(contracts.length * callers.length);
}, 600_000);

it.each<ChangeControlMode>(['admins', 'two_people'])(
  'with change control set to %s, every operation is open to whom the page on permissions says',
  async (changeControl) => {
    const set = (mode: ChangeControlMode) =>
      api.db.updateTable('org').set({ change_control: mode }).where('id', '=', api.org.id).execute();
    const controlled = contracts.filter((contract) => controlRuleOf(contract));
    await set(changeControl);
    const { checks, differences } = await walk(api, [...controlled, putFlow, listFlows], callers, [
      { name: api.org.name, isWalled: false, changeControl },
    ]);
    await set('off');
    expect(differences).toEqual([]);
    expect(checks).toBeGreaterThan(controlled.length * callers.length);
  },
  600_000,
);

it('with members visible, every role can read them, and nothing else that it could not before', async () => {
  const set = (members_visible: boolean) =>
    api.db.updateTable('org').set({ members_visible }).where('id', '=', api.org.id).execute();
  const ofMembers = contracts.filter(({ access }) => access === 'read_members' || access === 'manage_members');
  await set(true);
  const { checks, differences } = await walk(api, [...ofMembers, putFlow, listFlows], callers, [
    { name: api.org.name, isWalled: false, settings: { members_visible: true } },
    { name: walled.name, isWalled: true },
  ]);
  await set(false);
  expect(differences).toEqual([]);
  expect(checks).toBeGreaterThan(ofMembers.length * callers.length);
}, 600_000);

/** In the short form, service accounts ask in their own org, and every thirteenth caller everywhere. */
it('no key reaches more or less than its role and its scope permit, in any org', async () => {
  const scoped = await givenScoped(api, walled);
  const walks = isFull
    ? [await walk(api, contracts, scoped, orgs)]
    : [
        await walk(api, contracts, scoped.filter(isOfAccount), own),
        await walk(api, contracts, sample(scoped, 23), orgs),
      ];
  console.log(`access walk with scopes: ${walks.map(({ checks }) => checks).join(' + ')} checks`);
  expect(walks.flatMap(({ differences }) => differences)).toEqual([]);
  expect(scoped.filter(isOfAccount)).toHaveLength(roles.length * 7);
}, 600_000);

function isOfAccount({ kind, isJob }: Caller): boolean {
  return kind === 'service_account' && !isJob;
}

it.each<[string, Contract]>([
  ['lets readers in where the server does not', { ...putFlow, access: 'read' }],
  ['wants an admin where the server does not', { ...listFlows, access: 'manage_org' }],
  [
    'lets jobs change what outlives them where the server does not',
    { ...createServiceAccount, access: 'record_evidence' },
  ],
  ['keeps jobs from what the server lets them do', { ...putFlow, access: 'manage_service_accounts' }],
  ['needs no credential', { ...listFlows, access: 'public' }],
  ['is for everybody who has signed in', { ...listFlows, access: 'signed_in' }],
  ['is for SCIM', { ...listFlows, access: 'scim' }],
  ['takes HTTP Basic where the server does not', otherBasic(listFlows)],
])('the walk notices a contract that %s', async (_, planted) => {
  expect((await walk(api, [planted], callers, own)).differences).not.toEqual([]);
});

function otherBasic({ basicAuth, ...contract }: Contract): Contract {
  return basicAuth ? contract : { ...contract, basicAuth: true };
}

it('the walk notices a credential that opens more, or less, than it should', async () => {
  const admin = callers.find(({ name }) => name === 'person, admin');
  if (!admin) throw new Error('there is no admin');
  const wrong = [
    { ...admin, state: 'not known' as const },
    { ...admin, roles: { [api.org.name]: 'reader' as const } },
    { ...admin, roles: {} },
    { ...admin, purpose: 'scim' as const },
    { ...admin, session: '' },
    { ...admin, scope: { kind: 'read' as const } },
  ];
  for (const caller of wrong) expect((await walk(api, [putFlow], [caller], own)).differences).not.toEqual([]);
});

/**
 * The walk sends broken bodies. Here no body is sent, and operations that need none really run: each in a separate org,
 * as they may change its members.
 */
const MAX_CONCURRENT_ORGS = 8;
const changing = contracts.filter(
  ({ method, access }) => method !== 'GET' && access !== 'public' && access !== 'session',
);

async function refusedInside(contract: Contract, role: Role, org: Awaited<ReturnType<typeof api.givenOrg>>) {
  const { key } = await givenPerson(api, { org, role });
  const { status, body } = await api.call(contract, { key, params: { org: org.name } });
  const isAllowed =
    ['signed_in', 'person'].includes(contract.access) ||
    (isPermission(contract.access) && allows(role, contract.access));
  const isRefused = status === 401 || status === 403 || status >= 500;
  return isAllowed === isRefused ? `${contract.id} by ${role}: ${status} ${JSON.stringify(body)}` : undefined;
}

async function refusalsInside(contract: Contract) {
  const org = await api.givenOrg(`of-${contract.id.toLowerCase()}`);
  return Promise.all(roles.map((role) => refusedInside(contract, role, org)));
}

it('an operation does not refuse inside whom the table lets in', async () => {
  const found: (string | undefined)[] = [];
  for (let first = 0; first < changing.length; first += MAX_CONCURRENT_ORGS) {
    const some = changing.slice(first, first + MAX_CONCURRENT_ORGS);
    found.push(...(await Promise.all(some.map(refusalsInside))).flat());
  }
  expect(found.filter((line) => line !== undefined)).toEqual([]);
  expect(await refusedInside({ ...putFlow, access: 'read' }, 'reader', api.org)).toBeDefined();
}, 600_000);

const ofOneOwner = contracts.filter((contract) => makerFor(contract) && isAboutOne(contract));
const [owner, another, admin] = await Promise.all(
  (['member', 'member', 'admin'] as const).map((role) => givenPerson(api, { org: api.org, role })),
);

/** The expected outcome when a caller acts on what the owner made. */
async function triedBy(key: string, contract: Contract) {
  const params = await makerFor(contract)?.(api, owner?.key ?? '');
  const body = bodyFor(contract);
  return api.call(contract, { key, ...(params && { params }), ...(body && { body }) });
}

it.each(ofOneOwner.map((contract) => [contract.id, contract] as const))(
  'what others made is out of reach for %s below the role that the table names',
  async (_, contract) => {
    expect((await triedBy(owner?.key ?? '', contract)).status).toBeLessThan(300);
    expect((await triedBy(admin?.key ?? '', contract)).status).toBeLessThan(300);
    expect(await triedBy(another?.key ?? '', contract)).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(/this requires the admin role; yours is member$/) as unknown },
    });
  },
);

it('there is something of one owner for each permission that knows owners', () => {
  const owned = Object.entries<PermissionRule>(permissions).filter(([, rule]) => rule.ownBelow);
  for (const [permission] of owned) expect(ofOneOwner.map(({ access }) => access)).toContain(permission);
  expect(owned).not.toEqual([]);
});
