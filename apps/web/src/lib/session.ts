import { allows, getOwnSession, leastRole, type OwnSession, type Permission, type Role } from '@waymark/contract';
import { useEffect } from 'react';
import { keepCsrfToken } from './client.ts';
import { keepSession, knownSession } from './known-session.ts';
import { useRead } from './queries.ts';
import { useOrg } from './route.ts';

/** The signed-in user. Without a session, redirects to the sign-in. */
export function useSession() {
  const session = useRead(getOwnSession, {}, { staleTime: 60_000, initial: knownSession });
  const { data } = session;
  useEffect(() => {
    if (!data || data.csrf_token === null) return;
    keepCsrfToken(data.csrf_token);
    keepSession(data);
  }, [data]);
  return session;
}

/** Whether it came from the server, with its token. */
export function isConfirmed({ csrf_token }: OwnSession): boolean {
  return csrf_token !== null;
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
