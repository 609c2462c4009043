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
