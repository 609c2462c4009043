import {
  allows,
  allowsJobs,
  type ChangeControlMode,
  type Contract,
  isPermission,
  type KeyScope,
  leastRole,
  namePlaceIn,
  type OpeningSettings,
  type Role,
  scopeNames,
} from '@waymark/contract';
import { documentedControl } from './documented-control.ts';
import { documentedScopes } from './documented-scopes.ts';

export const ways = [
  'bearer',
  'basic',
  'session with its token',
  'session without its token',
  'session from another site',
] as const;
export type Way = (typeof ways)[number];

/** A caller, as far as it matters for their permissions. */
export interface Caller {
  readonly name: string;
  /** `good` may be any caller whom the server can know; credentials that it cannot know differ only in form. */
  readonly state: 'none' | 'mistyped' | 'not known' | 'good';
  readonly kind: 'user' | 'service_account';
  readonly purpose: 'api' | 'scim';
  readonly roles: Readonly<Record<string, Role>>;
  /** The name of the only org in which the credential is valid. */
  readonly onlyOrg: string | null;
  /** Whether the credential was given to a CI job. */
  readonly isJob?: true;
  /** What the key is limited to. */
  readonly scope?: KeyScope;
}

export interface Org {
  readonly name: string;
  /** Whether people get in only through its identity provider. */
  readonly isWalled: boolean;
  /** `off` unless given. */
  readonly changeControl?: ChangeControlMode;
  /** No setting is on unless given. */
  readonly settings?: OpeningSettings;
}

export type Outcome = 'let in' | { readonly status: 401 | 403; readonly message: string };

type Asked = Pick<Contract, 'id' | 'access' | 'basicAuth' | 'method'>;

/** The expected outcome of a request. Read from the contract and the table of permissions; the server is not asked. */
export function expected(contract: Asked, caller: Caller, way: Way, org: Org): Outcome {
  if (contract.access === 'public') return 'let in';
  return (
    refusedAsUnknown(contract, caller, way) ??
    refusedByPurpose(contract, caller, way) ??
    refusedAtTheDoor(contract, caller, org) ??
    refusedAsForged(contract, way) ??
    refusedByRole(contract, caller, org) ??
    refusedAsJob(contract, caller) ??
    refusedByControl(contract, caller, org) ??
    refusedByScope(contract, caller, way) ??
    'let in'
  );
}

export function isBySession(way: Way): boolean {
  return way !== 'bearer' && way !== 'basic';
}

function refusedAsUnknown({ basicAuth }: Asked, { state }: Caller, way: Way): Outcome | undefined {
  const no = (message: string) => ({ status: 401, message }) as const;
  if (way === 'basic' && !basicAuth) return no('Only "Authorization: Bearer <key>" is accepted here');
  if (state === 'good') return undefined;
  if (state === 'none' && way !== 'basic') {
    return no('An API key is required: send it as "Authorization: Bearer <key>"');
  }
  if (isBySession(way)) return no('The session is unknown or has ended. Sign in again');
  if (state === 'not known') return no('The API key is unknown, expired, or revoked');
  return no('Not a valid API key: it looks mistyped or truncated');
}

function refusedByPurpose({ access }: Asked, { purpose, kind }: Caller, way: Way): Outcome | undefined {
  const isForPeople = access === 'person' || access === 'session';
  if (isForPeople && purpose !== 'scim' && kind === 'service_account') {
    return { status: 403, message: 'Service accounts cannot do this. Sign in as a person' };
  }
  if (access === 'session' && purpose !== 'scim' && !isBySession(way)) {
    return { status: 403, message: 'API keys cannot do this. Sign in with a browser' };
  }
  if ((purpose === 'scim') === (access === 'scim')) return undefined;
  const message =
    purpose === 'scim' ? 'This key is only valid for SCIM' : 'SCIM accepts only the key that was created for it';
  return { status: 403, message };
}

function refusedAtTheDoor({ access }: Asked, caller: Caller, org: Org): Outcome | undefined {
  if (['signed_in', 'person', 'session'].includes(access)) return undefined;
  const isElsewhere = caller.onlyOrg !== null && caller.onlyOrg !== org.name;
  if (!caller.roles[org.name] || isElsewhere) {
    return { status: 403, message: 'There is no such org, or you are not a member of it' };
  }
  if (!org.isWalled || caller.kind === 'service_account' || caller.onlyOrg !== null) return undefined;
  const message = `This org requires single sign-on. Sign in at /sign-in/${org.name}`;
  return { status: 403, message };
}

function refusedAsForged({ method }: Asked, way: Way): Outcome | undefined {
  if (method === 'GET' || !isBySession(way) || way === 'session with its token') return undefined;
  const message =
    'Requests that change something with a session need its CSRF token in the X-CSRF-Token header, and must come from a page of this service';
  return { status: 403, message };
}

function refusedByRole({ access }: Asked, caller: Caller, org: Org): Outcome | undefined {
  const role = caller.roles[org.name];
  if (!isPermission(access) || !role || allows(role, access, org.settings)) return undefined;
  const hint =
    access === 'read_members'
      ? ". An admin can open it to every role with the setting 'members_visible' of the org"
      : '';
  return { status: 403, message: `This requires the ${leastRole(access)} role; yours is ${role}${hint}` };
}

function refusedAsJob({ access, method }: Asked, { isJob }: Caller): Outcome | undefined {
  if (!isJob || !isPermission(access) || allowsJobs(access, method)) return undefined;
  const message = 'A credential of a CI job cannot change this, because the change would outlive the job';
  return { status: 403, message };
}

function refusedByControl({ id }: Asked, caller: Caller, org: Org): Outcome | undefined {
  const kind = documentedControl(id);
  const role = caller.roles[org.name];
  if (org.changeControl !== 'admins' || !kind || role === 'admin') return undefined;
  const message = `Change control of this org allows only admins to change ${kind}; your role is ${role}`;
  return { status: 403, message };
}

/** According to the page on permissions. The walk sends every path parameter as `no-` and its name, and no query. */
function refusedByScope(contract: Asked, { scope }: Caller, way: Way): Outcome | undefined {
  if (!scope || isBySession(way)) return undefined;
  const no = (message: string) => ({ status: 403, message }) as const;
  const reaching = documentedScopes(contract.id);
  const needed = reaching.length > 0 ? `a key with the scope ${reaching.join(' or ')}, or without one` : undefined;
  const limits = { evidence: 'flow', snapshot: 'environment', read: '' };
  const names = scopeNames(scope)?.map((name) => `'${name}'`);
  const text = `the scope ${scope.kind}${names ? ` for the ${limits[scope.kind]} ${names.join(', ')}` : ''}`;
  if (!reaching.includes(scope.kind)) {
    return no(`This requires ${needed ?? 'a key without a scope'}; yours has ${text}`);
  }
  const [part, name] = namePlaceIn(scope.kind, contract)?.split('.') ?? [];
  if (!names || !part) return undefined;
  if (part === 'query') {
    return no(`This requires the ${limits[scope.kind]} in the query parameter '${name}'; your key has ${text}`);
  }
  if (names.includes(`'no-${name}'`)) return undefined;
  return no(`This requires a key whose scope includes the ${limits[scope.kind]} 'no-${name}'; yours has ${text}`);
}
