import { allows, getOwnSession, leastRole, type Permission, type Role } from '@waymark/contract';
import { useEffect } from 'react';
import { keepCsrfToken } from './client.ts';
import { useRead } from './queries.ts';
import { useOrg } from './route.ts';

/** Who has signed in. Without a session the page is left for the sign-in. */
export function useSession() {
  const session = useRead(getOwnSession, {}, { staleTime: 60_000 });
  const token = session.data?.csrf_token;
  useEffect(() => {
    if (token !== undefined) keepCsrfToken(token);
  }, [token]);
  return session;
}

function useOwnOrg() {
  const org = useOrg();
  return useSession().data?.orgs.find(({ name }) => name === org);
}

export function useRole(): Role | undefined {
  return useOwnOrg()?.role;
}

export function useOrgKind(): 'personal' | 'shared' | undefined {
  return useOwnOrg()?.kind;
}

/** Whether the caller's role permits it: what is not permitted is shown, switched off, with the reason. */
export function useMay(permission: Permission): boolean {
  const role = useRole();
  return role !== undefined && allows(role, permission);
}

/** Why the caller may not do it, for the control that is switched off; undefined when it is permitted. */
export function useWhyNot(permission: Permission): string | undefined {
  return useMay(permission) ? undefined : `Needs the role ${leastRole(permission)}`;
}
