import { z } from 'zod';

/** From least to most; a role may do everything the ones before it may. */
export const roles = ['reader', 'snapshotter', 'member', 'admin'] as const;

export const Role = z.enum(roles).meta({ id: 'Role', description: 'Role of a user or service account in an org' });
export type Role = z.infer<typeof Role>;

export function atLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
