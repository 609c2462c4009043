import { leastRole, type Permission } from '@waymark/contract';
import { useMay } from '../../lib/session.ts';

/** Why the caller may not do it; undefined when that is permitted. */
export function useWhyNot(permission: Permission): string | undefined {
  return useMay(permission) ? undefined : `Needs the role ${leastRole(permission)}`;
}
