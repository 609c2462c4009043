import { atLeast, type Role, roles } from '@waymark/contract';

const ROLE_SAYS: Record<Role, string> = {
  reader: 'Reads, searches, and exports everything except members, settings, service accounts, and keys.',
  snapshotter: 'Reader permissions, plus reporting what runs in environments.',
  member: 'Snapshotter permissions, plus recording evidence and managing environments, policies, and notifications.',
  admin: 'Full access, including members, controls, sign-in, trust, and all service accounts.',
};

export function roleSays(role: Role): string {
  return ROLE_SAYS[role];
}

/** The role of a new service account, which usually is to record evidence: `member`, unless that is more than one's own. */
export function usualAccountRole(own: Role | undefined): Role {
  return rolesUpTo(own).includes('member') ? 'member' : 'reader';
}

/** Nobody grants more than their own role. */
export function rolesUpTo(own: Role | undefined): readonly Role[] {
  return roles.filter((role) => own !== undefined && atLeast(own, role));
}
