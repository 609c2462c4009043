import type { ChangeControlMode } from './change-control-mode.ts';
import { atLeast, type Role } from './roles.ts';

/** The settings of an org that open a permission to every role. */
export interface OpeningSettings {
  readonly members_visible: boolean;
}

export interface PermissionRule {
  /** The description on the page on permissions. */
  readonly says: string;
  readonly least: Role;
  /** Callers below this role may only change their own resources. */
  readonly ownBelow?: Role;
  /** While this setting of the org is on, every role has the permission. */
  readonly openedBy?: keyof OpeningSettings;
  /** Changes here outlive a CI job by far, so a credential of a job can only read. */
  readonly jobsOnlyRead?: true;
}

/**
 * Who may do what in an org. The server, the API description, the page on permissions and the test that walks every
 * operation all read this table and no other.
 */
export const permissions = {
  read: {
    says: 'Read, search, and export everything in the org except members, settings, service accounts, and keys',
    least: 'reader',
  },
  report_environments: {
    says: 'Report environments; create them, or change their type and description',
    least: 'snapshotter',
  },
  record_evidence: { says: 'Flows, trails, artifacts, attestations, attestation types, tags', least: 'member' },
  manage_environments: {
    says: 'Policies and members of environments, renaming, archiving, waivers',
    least: 'member',
  },
  manage_policies: { says: 'Policies', least: 'member' },
  manage_notifications: { says: 'Notifications, their targets, and redelivery', least: 'member' },
  configure_notifications: { says: 'Recipients of key expiry warnings', least: 'admin', jobsOnlyRead: true },
  manage_controls: { says: 'Controls: create, edit, tag, archive', least: 'admin' },
  manage_org: {
    says: 'Org settings, trusted keys and identities, single sign-on, SCIM',
    least: 'admin',
    jobsOnlyRead: true,
  },
  manage_retention: {
    says: 'Retention, legal holds, and the erasure of evidence',
    least: 'admin',
    jobsOnlyRead: true,
  },
  approve_changes: {
    says: 'Approving and refusing change requests of others',
    least: 'admin',
    jobsOnlyRead: true,
  },
  withdraw_changes: { says: "Withdrawing one's own change requests", least: 'member' },
  read_members: { says: 'Read members and the membership log', least: 'admin', openedBy: 'members_visible' },
  manage_members: { says: 'Members and invitations', least: 'admin', jobsOnlyRead: true },
  manage_service_accounts: {
    says: 'Service accounts and their keys',
    least: 'member',
    ownBelow: 'admin',
    jobsOnlyRead: true,
  },
  restore_keys: { says: 'Restoring suspended keys of service accounts', least: 'admin', jobsOnlyRead: true },
  manage_workload_identities: {
    says: 'Workload identities: which CI jobs can act as a service account',
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

/** Says whether a role has a permission in an org with these settings; without them, in an org with none of them on. */
export function allows(role: Role, permission: Permission, settings?: OpeningSettings): boolean {
  const { openedBy }: PermissionRule = permissions[permission];
  return atLeast(role, leastRole(permission)) || (openedBy !== undefined && settings?.[openedBy] === true);
}

/** Whether the credential of a CI job may do this, if its role may. */
export function allowsJobs(permission: Permission, method: string): boolean {
  const rule: PermissionRule = permissions[permission];
  return method === 'GET' || rule.jobsOnlyRead !== true;
}

export type ControlledKind = 'policies' | 'attachments' | 'waivers' | 'trust' | 'change_control';

export interface ControlRule {
  readonly kind: ControlledKind;
  /** Limits change control to requests whose body has this field. */
  readonly onlyWith?: string;
}

/**
 * The operations under change control. Archiving or renaming an environment is among them, because a new environment
 * under its name would have no policies. So is changing change control itself: otherwise anyone could turn it off
 * first.
 */
const changeControl: Readonly<Record<string, ControlRule>> = {
  putPolicy: { kind: 'policies' },
  putNamedPolicy: { kind: 'policies' },
  archivePolicy: { kind: 'policies' },
  attachPolicies: { kind: 'attachments' },
  detachPolicies: { kind: 'attachments' },
  promotePolicies: { kind: 'attachments' },
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
 * `public` needs no credential, `signed_in` any valid one, `person` one of a user and not of a service account,
 * `session` a signed-in user and not a key, `scim` the one of the org's identity provider. All others depend on the
 * role in the org.
 */
export type Access = 'public' | 'signed_in' | 'person' | 'session' | 'scim' | Permission;

/** The part of a contract that the tables use. */
interface Operation {
  readonly id: string;
  readonly method: string;
  readonly access: Access;
}

/** Returns the change control rule of an operation, if there is one. */
export function controlRuleOf({ id }: Pick<Operation, 'id'>): ControlRule | undefined {
  return Object.hasOwn(changeControl, id) ? changeControl[id] : undefined;
}

/** Says whether a request is under change control by what its body has. On the wire null counts as absent. */
export function isControlled({ onlyWith }: ControlRule, body: unknown): boolean {
  return onlyWith === undefined || (body as Record<string, unknown> | null | undefined)?.[onlyWith] != null;
}

/** Says whether change control allows an operation to this role, if the table of permissions does. */
export function controlAllows(mode: ChangeControlMode, role: Role): boolean {
  return mode !== 'admins' || role === 'admin';
}

export type ScopeKind = 'evidence' | 'snapshot' | 'read';

/** Where requests of an operation name the flow or the environment that they are about. */
export type NamePlace = `path.${string}` | `query.${string}`;

export interface ScopeRule {
  /** The description of a scope on the page on permissions. */
  readonly says: string;
  /** The kind of names that limit the scope. */
  readonly limitedTo: 'flow' | 'environment' | null;
  /**
   * Every operation that it reaches, with the place of that name. For `read`, only its writes: it reaches all reads.
   */
  readonly reaches: Readonly<Record<string, NamePlace | null>>;
}

/**
 * The operations that a scope allows. An operation that is not listed is out of reach, so a new one must be added here;
 * only `read` reaches operations by method.
 */
export const scopes = {
  evidence: {
    says:
      'Create trails; report artifacts, attestations, and approvals; read verdicts, trails, artifacts, and ' +
      'attestations',
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
      attestVex: 'path.flow_name',
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
    says: 'Read what the role can read, except secrets; validate and back-test policies',
    limitedTo: null,
    reaches: { validatePolicy: null, simulatePolicy: null },
  },
} as const satisfies Record<ScopeKind, ScopeRule>;

export const scopeKinds = Object.keys(scopes) as ScopeKind[];

/** The identity and the orgs of a key. Clients ask for this first. */
const ALWAYS_REACHED = ['getOwnSession', 'getDefaultOrg'];

/** Reading secrets is as powerful as having permissions. */
const NEVER_READ = ['getTargetSecret'];

/** Says whether a scope reaches an operation, if the role does, whatever its names. */
export function scopeReaches(kind: ScopeKind, { id, method }: Pick<Operation, 'id' | 'method'>): boolean {
  const { reaches }: ScopeRule = scopes[kind];
  if (ALWAYS_REACHED.includes(id) || Object.hasOwn(reaches, id)) return true;
  return kind === 'read' && method === 'GET' && !NEVER_READ.includes(id);
}

/** Returns where an operation names the subject that a scope may be limited to; undefined where it has none. */
export function namePlaceIn(kind: ScopeKind, { id }: Pick<Operation, 'id'>): NamePlace | undefined {
  const { reaches }: ScopeRule = scopes[kind];
  return (Object.hasOwn(reaches, id) && reaches[id]) || undefined;
}

/** The scopes with which a key reaches an operation. None for operations without a key, or with one of its own kind. */
export function scopesReaching(contract: Operation): ScopeKind[] {
  if (['public', 'scim', 'session'].includes(contract.access)) return [];
  return scopeKinds.filter((kind) => scopeReaches(kind, contract));
}
