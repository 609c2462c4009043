import { lazyRouteComponent, useNavigate } from '@tanstack/react-router';
import { getDefaultOrg } from '@waymark/contract';
import { Suspense, useEffect } from 'react';
import { paths } from '../lib/paths.ts';
import { useRead } from '../lib/queries.ts';
import { isConfirmed, useSession } from '../lib/session.ts';
import { Loaded, Loading } from '../ui/States.tsx';

const FirstOrg = lazyRouteComponent(() => import('./FirstOrg.tsx'), 'FirstOrg');

/** Renders nothing: redirects to the current org. */
export function Start() {
  const session = useSession();
  return (
    <main className="mx-auto max-w-xl px-4 py-10">
      <Loaded of={session}>
        {(found) => {
          const shared = found.orgs.filter(({ kind }) => kind === 'shared');
          // They may have joined one since.
          if (shared.length === 0 && !isConfirmed(found)) return <Loading />;
          return shared.length === 0 ? (
            <Suspense>
              <FirstOrg />
            </Suspense>
          ) : (
            <ToOrg names={shared.map(({ name }) => name)} />
          );
        }}
      </Loaded>
    </main>
  );
}

function ToOrg({ names }: { readonly names: readonly string[] }) {
  const navigate = useNavigate();
  const { data, error } = useRead(getDefaultOrg, {});
  const isKnown = data !== undefined || error !== null;
  const preferred = data?.default_org_name;
  const chosen = preferred && names.includes(preferred) ? preferred : names[0];
  useEffect(() => {
    if (isKnown && chosen !== undefined) void navigate({ href: paths.home(chosen), replace: true });
  }, [isKnown, chosen, navigate]);
  return <Loading />;
}
