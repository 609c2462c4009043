import type { ChangeControlMode } from './change-control-mode.ts';
import { atLeast, type Role } from './roles.ts';

export interface PermissionRule {
  /** What may be done, as the page on permissions says it. */
  readonly says: string;
  readonly least: Role;
  /** Whoever is below this role may only touch what they made themselves. */
  readonly ownBelow?: Role;
  /** What is changed here outlives a CI job by far, so a credential that was given to one only reads it. */
  readonly jobsOnlyRead?: true;
}

/**
 * Who may do what in an org. The server, the API description, the page on permissions and the test that walks every
 * operation all read this table and no other.
 */
export const permissions = {
  read: {
    says: 'Read, search and export everything in the org but members, settings, service accounts and keys',
    least: 'reader',
  },
  report_environments: {
    says: 'Report environments; create them or change their type and description',
    least: 'snapshotter',
  },
  record_evidence: { says: 'Flows, trails, artifacts, attestations, attestation types, tags', least: 'member' },
  manage_environments: {
    says: 'Policies and included environments of an environment, renaming, archiving, the allow-list',
    least: 'member',
  },
  manage_policies: { says: 'Policies', least: 'member' },
  manage_notifications: { says: 'Notifications, their targets, and sending again', least: 'member' },
  configure_notifications: { says: 'Who is told of keys that expire', least: 'admin', jobsOnlyRead: true },
  manage_controls: { says: 'Controls: create, edit, tag, archive', least: 'admin' },
  manage_org: {
    says: 'Org settings, trusted keys and identities, single sign-on, SCIM',
    least: 'admin',
    jobsOnlyRead: true,
  },
  approve_changes: {
    says: 'Approving and refusing changes that others ask for',
    least: 'admin',
    jobsOnlyRead: true,
  },
  withdraw_changes: { says: 'Withdrawing changes that one asked for', least: 'member' },
  manage_members: { says: 'Members, invitations, the membership audit log', least: 'admin', jobsOnlyRead: true },
  manage_service_accounts: {
    says: 'Service accounts and their keys',
    least: 'member',
    ownBelow: 'admin',
    jobsOnlyRead: true,
  },
  restore_keys: { says: 'Restoring keys of service accounts that are suspended', least: 'admin', jobsOnlyRead: true },
  manage_workload_identities: {
    says: 'Which jobs of which CI system may act as a service account',
    least: 'admin',
    jobsOnlyRead: true,
  },
} as const satisfies Record<string, PermissionRule>;

export type Permission = keyof typeof permissions;

export function isPermission(access: string): access is Permission {
  return Object.hasOwn(permissions, access);
}

export function leastRole(permission: Permission): Role {
  return permissions[permission].least;
}

export function allows(role: Role, permission: Permission): boolean {
  return atLeast(role, leastRole(permission));
}

/** Whether a credential that was given to a CI job may do this, if its role may. */
export function allowsJobs(permission: Permission, method: string): boolean {
  const rule: PermissionRule = permissions[permission];
  return method === 'GET' || rule.jobsOnlyRead !== true;
}

export type ControlledKind = 'policies' | 'attachments' | 'waivers' | 'trust' | 'change_control';

export interface ControlRule {
  readonly kind: ControlledKind;
  /** The operation is under change control only if its body has this field. */
  readonly onlyWith?: string;
}

/**
 * The operations that change control is about. Archiving or renaming an environment is among them, because a new
 * environment under its name would have no policies. So is changing change control itself: else whoever must not change
 * a rule alone could turn it off first.
 */
const changeControl: Readonly<Record<string, ControlRule>> = {
  putPolicy: { kind: 'policies' },
  putNamedPolicy: { kind: 'policies' },
  archivePolicy: { kind: 'policies' },
  attachPolicies: { kind: 'attachments' },
  detachPolicies: { kind: 'attachments' },
  putEnvironment: { kind: 'attachments', onlyWith: 'policies' },
  patchEnvironment: { kind: 'attachments', onlyWith: 'policies' },
  renameEnvironment: { kind: 'attachments' },
  archiveEnvironment: { kind: 'attachments' },
  allowArtifact: { kind: 'waivers' },
  withdrawWaiver: { kind: 'waivers' },
  attestOverride: { kind: 'waivers' },
  addTrustedKey: { kind: 'trust' },
  removeTrustedKey: { kind: 'trust' },
  addTrustedIdentity: { kind: 'trust' },
  removeTrustedIdentity: { kind: 'trust' },
  putChangeControl: { kind: 'change_control' },
};

/**
 * `public` needs no credential, `signed_in` any that is good, `person` one of a user and no service account's, `session`
 * a user who signed in and no key, `scim` the one of the org's identity provider. All others are what a role in the org
 * permits.
 */
export type Access = 'public' | 'signed_in' | 'person' | 'session' | 'scim' | Permission;

/** What the tables know of a contract. */
interface Operation {
  readonly id: string;
  readonly method: string;
  readonly access: Access;
}

/** Returns what change control says of an operation; undefined for one that it is not about. */
export function controlRuleOf({ id }: Pick<Operation, 'id'>): ControlRule | undefined {
  return Object.hasOwn(changeControl, id) ? changeControl[id] : undefined;
}

/** Says whether a request is under change control by what its body has. On the wire null counts as absent. */
export function isControlled({ onlyWith }: ControlRule, body: unknown): boolean {
  return onlyWith === undefined || (body as Record<string, unknown> | null | undefined)?.[onlyWith] != null;
}

/** Says whether change control leaves an operation to this role, if the table of permissions does. */
export function controlAllows(mode: ChangeControlMode, role: Role): boolean {
  return mode !== 'admins' || role === 'admin';
}

export type ScopeKind = 'evidence' | 'snapshot' | 'read';

/** Where requests of an operation name the flow or the environment that they are about. */
export type NamePlace = `path.${string}` | `query.${string}`;

export interface ScopeRule {
  /** What is left of a role, as the page on permissions says it. */
  readonly says: string;
  /** What the scope can be limited to by name. */
  readonly limitedTo: 'flow' | 'environment' | null;
  /** Every operation that it reaches, with the place of that name. Of `read` these are its writes: it also reads. */
  readonly reaches: Readonly<Record<string, NamePlace | null>>;
}

/**
 * What a scope leaves of a role. An operation that is not listed is out of reach, so that a new one has to be let in
 * here; only `read` reaches what it does by method.
 */
export const scopes = {
  evidence: {
    says: 'Begin trails; report artifacts, attestations and approvals; ask for verdicts, and read trails, artifacts and attestations',
    limitedTo: 'flow',
    reaches: {
      beginTrail: 'path.flow_name',
      reportArtifact: 'path.flow_name',
      attestGeneric: 'path.flow_name',
      attestJunit: 'path.flow_name',
      attestSnyk: 'path.flow_name',
      attestSonar: 'path.flow_name',
      attestJira: 'path.flow_name',
      attestPullRequest: 'path.flow_name',
      attestCustom: 'path.flow_name',
      attestDecision: 'path.flow_name',
      attestSystem: 'path.flow_name',
      attestSbom: 'path.flow_name',
      attestInToto: 'path.flow_name',
      recordApproval: 'path.flow_name',
      assertArtifact: 'query.flow_name',
      getFlow: 'path.flow_name',
      listTrails: 'query.flow',
      listFlowTrails: 'path.flow_name',
      getTrail: 'path.flow_name',
      explainTrail: 'path.flow_name',
      listArtifacts: 'query.flow_name',
      listFlowArtifacts: 'path.flow_name',
      getArtifact: 'path.flow_name',
      explainArtifact: 'path.flow_name',
      listCommitArtifacts: 'path.flow_name',
      getLatestCommit: 'path.flow_name',
      listAttestations: 'query.flow',
      listAttestationsForCriteria: 'query.flow_name',
      listFlowAttestations: 'path.flow_name',
      listTrailAttestations: 'path.flow_name',
      listArtifactAttestations: 'path.flow_name',
      listApprovals: 'path.flow_name',
      getApproval: 'path.flow_name',
      getRunningCommit: 'path.flow_name',
    },
  },
  snapshot: {
    says: 'Report what runs in environments, and read those environments and their snapshots',
    limitedTo: 'environment',
    reaches: {
      reportK8s: 'path.env_name',
      reportEcs: 'path.env_name',
      reportS3: 'path.env_name',
      reportLambda: 'path.env_name',
      reportServer: 'path.env_name',
      reportDocker: 'path.env_name',
      reportCloudxApps: 'path.env_name',
      reportAzureApps: 'path.env_name',
      reportCloudRun: 'path.env_name',
      getEnvironment: 'path.env_name',
      getSnapshot: 'path.env_name',
      listSnapshots: 'path.env_name',
    },
  },
  read: {
    says: 'Read what the role may read, without secrets; check and back-test policies',
    limitedTo: null,
    reaches: { validatePolicy: null, simulatePolicy: null },
  },
} as const satisfies Record<ScopeKind, ScopeRule>;

export const scopeKinds = Object.keys(scopes) as ScopeKind[];

/** Who a key is and where it is good. Clients ask this before anything else. */
const ALWAYS_REACHED = ['getOwnSession', 'getDefaultOrg'];

/** Secrets that are read are as good as rights. */
const NEVER_READ = ['getTargetSecret'];

/** Says whether a scope reaches an operation, if the role does, whatever it is limited to by name. */
export function scopeReaches(kind: ScopeKind, { id, method }: Pick<Operation, 'id' | 'method'>): boolean {
  const { reaches }: ScopeRule = scopes[kind];
  if (ALWAYS_REACHED.includes(id) || Object.hasOwn(reaches, id)) return true;
  return kind === 'read' && method === 'GET' && !NEVER_READ.includes(id);
}

/** Returns where an operation names what a scope may be limited to; undefined where it is not about that. */
export function namePlaceIn(kind: ScopeKind, { id }: Pick<Operation, 'id'>): NamePlace | undefined {
  const { reaches }: ScopeRule = scopes[kind];
  return (Object.hasOwn(reaches, id) && reaches[id]) || undefined;
}

/** The scopes with which a key reaches an operation. None for what needs no key, or one of its own kind. */
export function scopesReaching(contract: Operation): ScopeKind[] {
  if (['public', 'scim', 'session'].includes(contract.access)) return [];
  return scopeKinds.filter((kind) => scopeReaches(kind, contract));
}
