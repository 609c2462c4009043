import {
  type Access,
  allows,
  allowsJobs,
  type Beta,
  type ChangeControlMode,
  type Contract,
  type ControlRule,
  controlAllows,
  controlRuleOf,
  isControlled,
  isPermission,
  leastRole,
  type OpeningSettings,
  OrgName,
  type PermissionRule,
  permissions,
  type Role,
} from '@waymark/contract';
import type { Credential } from '../ctx.ts';
import { forbidden, unauthenticated } from '../errors.ts';
import type { SentCredential } from './credential.ts';
import type { CallerRow } from './find-caller.ts';
import { requireScope, type SentNames } from './key-scope.ts';
import { type FullStorage, fullStorageOf } from './storage-quota.ts';

export interface Caller {
  readonly credential: Credential;
  /** The org in the path, or the caller's own where the path has none. */
  readonly org: string;
  /** Whom the request counts for under load: a person with all orgs that they created, or an org. */
  readonly countsFor: string;
  /** Whether the org has enabled beta features. */
  readonly hasBetas: boolean;
  readonly changeControl: ChangeControlMode;
  /** The settings of the org that open permissions to every role. */
  readonly settings: OpeningSettings;
  readonly actor: {
    readonly kind: 'user' | 'service_account';
    readonly id: string;
    readonly name: string;
    readonly role: Role;
  };
  /** When this credential was last used, as far as recorded. */
  readonly usedAt: Date | null;
  /** Null unless the org has used up its storage quota. */
  readonly fullStorage: FullStorage | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The key is also accepted as the user name of HTTP Basic. */
    basicAuth?: boolean;
  }
}

/** Domain rule: an org that the caller may not enter and one that does not exist answer alike. */
const NO_ENTRY = 'There is no such org, or you are not a member of it';

export async function authenticate(
  findCaller: (credential: SentCredential, orgName: string) => Promise<CallerRow | undefined>,
  request: { credential: SentCredential; access: Access; orgName: string | undefined },
): Promise<Caller> {
  // PostgreSQL refuses some texts, such as U+0000, and requests share one query: what cannot be a name is replaced by
  // one that no org has.
  const orgName = OrgName.safeParse(request.orgName).success ? (request.orgName ?? '') : '';
  const row = await findCaller(request.credential, orgName);
  if (!row) throw unauthenticated(UNKNOWN[request.credential.kind]);
  if (row.is_suspended) throw unauthenticated(SUSPENDED[row.purpose]);
  requirePurpose(row, request.access, request.credential.kind);
  const { org, role } = isAtHome(request.access) ? atHome(row) : entered(row, orgName);
  return {
    credential: {
      kind: request.credential.kind,
      id: row.credential_id,
      onlyOrg: row.only_org_id,
      workload: row.workload,
      expiresAt: row.expires_at,
      madeBy: row.made_by,
      scope: row.scope,
    },
    org,
    countsFor: countsFor(row, org),
    hasBetas: row.has_betas === true,
    changeControl: row.change_control ?? 'off',
    settings: { members_visible: row.members_visible === true },
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name, role },
    usedAt: row.used_at,
    fullStorage: org === row.org_id ? fullStorageOf(row) : null,
  };
}

const UNKNOWN = {
  key: 'The API key is unknown, expired, or revoked',
  session: 'The session is unknown or has ended. Sign in again',
} as const;

const SUSPENDED = {
  api:
    'The API key is suspended because the person who created it left the org or has a lower role than its service ' +
    'account. An admin of the org can restore it',
  scim:
    'The SCIM key is suspended because the person who created it left the org or has a lower role now. An admin ' +
    'of the org can replace it',
} as const;

/** The key of an identity provider is for SCIM only, and SCIM accepts no other key. */
function requirePurpose({ purpose, actor_kind }: CallerRow, access: Access, sent: SentCredential['kind']): void {
  if (purpose === 'scim' && access !== 'scim') throw forbidden('This key is only valid for SCIM');
  if ((access === 'person' || access === 'session') && actor_kind !== 'user') {
    throw forbidden('Service accounts cannot do this. Sign in as a person');
  }
  if (access === 'session' && sent !== 'session') throw forbidden('API keys cannot do this. Sign in with a browser');
  if (purpose !== 'scim' && access === 'scim') throw forbidden('SCIM accepts only the key that was created for it');
}

function countsFor({ actor_kind, actor_id, org_id, org_creator }: CallerRow, org: string): string {
  if (org === org_id) return org_creator ?? org;
  return actor_kind === 'user' ? actor_id : org;
}

function isAtHome(access: Access): boolean {
  return access === 'signed_in' || access === 'person' || access === 'session';
}

/** Everyone may manage their own account. */
function atHome(row: CallerRow): { org: string; role: Role } {
  return { org: row.home_org_id, role: row.home_role };
}

function entered(row: CallerRow, orgName: string): { org: string; role: Role } {
  const isElsewhere = row.only_org_id !== null && row.only_org_id !== row.org_id;
  if (!row.org_id || !row.role || isElsewhere) throw forbidden(NO_ENTRY);
  if (row.sso_enforced && row.actor_kind === 'user' && row.only_org_id === null) {
    throw forbidden(`This org requires single sign-on. Sign in at /sign-in/${orgName}`);
  }
  return { org: row.org_id, role: row.role };
}

/** Checks a request against the permissions of the caller's role and the scope of their key. */
export function authorise(caller: Caller, contract: Pick<Contract, 'id' | 'access' | 'method'>, sent: SentNames): void {
  requireRole(caller, contract);
  const rule = controlRuleOf(contract);
  if (rule && !rule.onlyWith) requireControl(caller, rule);
  const { scope } = caller.credential;
  if (scope) requireScope(scope, contract, sent);
}

function requireRole(
  { actor, credential, settings }: Caller,
  { access, method }: Pick<Contract, 'access' | 'method'>,
): void {
  if (!isPermission(access)) return;
  if (!allows(actor.role, access, settings)) {
    const { openedBy }: PermissionRule = permissions[access];
    const hint = openedBy && `. An admin can open it to every role with the setting '${openedBy}' of the org`;
    throw forbidden(`This requires the ${leastRole(access)} role; yours is ${actor.role}${hint ?? ''}`);
  }
  if (credential.workload !== null && !allowsJobs(access, method)) {
    throw forbidden('A credential of a CI job cannot change this, because the change would outlive the job');
  }
}

/** Called once the body has arrived, for operations that are under change control only with certain fields. */
export function authoriseBody(caller: Caller, contract: Pick<Contract, 'id'>, body: unknown): void {
  const rule = controlRuleOf(contract);
  if (rule?.onlyWith && isControlled(rule, body)) requireControl(caller, rule);
}

/** Whether another person has to approve the request. */
export function needsApproval({ changeControl }: Caller, contract: Pick<Contract, 'id'>, body: unknown): boolean {
  const rule = controlRuleOf(contract);
  return changeControl === 'two_people' && rule !== undefined && isControlled(rule, body);
}

function requireControl({ actor, changeControl }: Caller, { kind }: ControlRule): void {
  if (controlAllows(changeControl, actor.role)) return;
  throw forbidden(`Change control of this org allows only admins to change ${kind}; your role is ${actor.role}`);
}

/** Beta operations need an opt-in header on every request, unless the org has enabled them. */
export function requireBeta(beta: Beta, asked: string | string[] | undefined, hasBetas: boolean): void {
  const names = String(asked ?? '').split(',');
  if (hasBetas || names.some((name) => name.trim().toLowerCase() === beta)) return;
  throw forbidden(
    `This is a beta feature: send the header "Waymark-Beta: ${beta}", or ask an admin to turn on experimental ` +
      'features for the org with PUT /organizations/{org}/experimental_features',
  );
}
