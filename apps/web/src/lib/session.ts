import { allows, getOwnSession, leastRole, type Permission, type Role } from '@waymark/contract';
import { useEffect } from 'react';
import { keepCsrfToken } from './client.ts';
import { useRead } from './queries.ts';
import { useOrg } from './route.ts';

/** The signed-in user. Without a session, redirects to the sign-in. */
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

/** Whether the caller's role permits it, or a setting of the org. Controls that are not permitted are shown disabled, with the reason. */
export function useMay(permission: Permission): boolean {
  const own = useOwnOrg();
  return own !== undefined && allows(own.role, permission, own);
}

/** Why the caller may not do it, for the disabled control; undefined when it is permitted. */
export function useWhyNot(permission: Permission): string | undefined {
  return useMay(permission) ? undefined : `Requires the ${leastRole(permission)} role`;
}
