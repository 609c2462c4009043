import { atLeast, type Role, roles } from '@waymark/contract';

const ROLE_SAYS: Record<Role, string> = {
  reader: 'Reads, searches and exports everything but members, settings, service accounts and keys.',
  snapshotter: 'As a reader, and reports what runs in environments.',
  member: 'As a snapshotter, and records evidence, manages environments, policies and notifications.',
  admin: 'Everything: members, controls, sign-in, trust, and all service accounts.',
};

export function roleSays(role: Role): string {
  return ROLE_SAYS[role];
}

/** Nobody grants more than their own role. */
export function rolesUpTo(own: Role | undefined): readonly Role[] {
  return roles.filter((role) => own !== undefined && atLeast(own, role));
}
