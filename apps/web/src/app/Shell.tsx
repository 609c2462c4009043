import { useIsFetching } from '@tanstack/react-query';
import { lazyRouteComponent, Outlet } from '@tanstack/react-router';
import { ApiError } from '@waymark/client';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { Suspense, useCallback, useState } from 'react';
import { withBase } from '../lib/base-path.ts';
import { COMMAND_KEY } from '../lib/command-key.ts';
import { useFollowEvents } from '../lib/live.ts';
import { useOrg, usePath } from '../lib/route.ts';
import { isConfirmed, useSession } from '../lib/session.ts';
import { useShortcuts } from '../lib/shortcuts.ts';
import { returnAfterSignIn } from '../lib/sign-in-again.ts';
import { Button } from '../ui/Button.tsx';
import { MenuDrawer } from '../ui/Dialog.tsx';
import { Link } from '../ui/Link.tsx';
import { Empty, Failure, Loading } from '../ui/States.tsx';
import { Toasts } from '../ui/Toasts.tsx';
import { LiveIndicator } from './LiveIndicator.tsx';
import { Navigation } from './Navigation.tsx';
import { AccountButton, OrgButton } from './TopMenus.tsx';

const Palette = lazyRouteComponent(() => import('./Palette.tsx'), 'Palette');
const ShortcutSheet = lazyRouteComponent(() => import('./ShortcutSheet.tsx'), 'ShortcutSheet');

/** The frame around every page of an org. */
export function Shell() {
  const org = useOrg();
  const session = useSession();
  const membership = session.data?.orgs.find(({ name }) => name === org);
  // What the tab knew of the session may be old: it lets people in, and never out.
  const isOld = session.data !== undefined && !isConfirmed(session.data);
  if (!session.data || (isOld && (!membership || membership.sso_required))) {
    const isLeaving = session.error instanceof ApiError && session.error.status === 401;
    return session.error && !isLeaving ? (
      <Failure error={session.error} retry={() => void session.refetch()} />
    ) : (
      <Loading />
    );
  }
  if (!membership) return <NotAMember org={org} />;
  if (membership.sso_required) {
    returnAfterSignIn(org);
    return <Loading />;
  }
  return <Inside />;
}

function NotAMember({ org }: { readonly org: string }) {
  return (
    <Empty title={`Org ‘${org}’ does not exist, or you are not a member of it`}>
      Ask an admin of the org to invite you. <Link href="/">Your orgs</Link> ·{' '}
      <a href={withBase('/account')}>Your account</a>
    </Empty>
  );
}

function Inside() {
  const [open, setOpen] = useState<'palette' | 'shortcuts' | 'navigation'>();
  const path = usePath();
  const fetching = useIsFetching();
  const close = useCallback(() => setOpen(undefined), []);
  useFollowEvents();
  useShortcuts({ onPalette: () => setOpen('palette'), onSheet: () => setOpen('shortcuts') });
  return (
    <div className="lg:grid lg:min-h-dvh lg:grid-cols-[13.5rem_minmax(0,1fr)] print:block">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:bg-panel focus:p-2"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh overflow-auto border-r border-line bg-panel no-print lg:block">
        <div className="px-3 pt-3">
          <OrgButton />
        </div>
        <Navigation />
      </aside>
      <div className="flex min-w-0 flex-col">
        <div className="sticky top-0 z-20 flex h-12 items-center gap-2 border-b border-line bg-panel px-3 sm:px-5 no-print">
          <Button
            variant="quiet"
            className="-ml-1 !p-1.5 lg:hidden"
            aria-label="Menu"
            aria-haspopup="dialog"
            aria-expanded={open === 'navigation'}
            onPress={() => setOpen('navigation')}
          >
            <MenuIcon size={18} aria-hidden />
          </Button>
          <div className="min-w-0 lg:hidden">
            <OrgButton />
          </div>
          <Button className="ml-auto text-quiet sm:ml-0 sm:w-72 sm:justify-start" onPress={() => setOpen('palette')}>
            <Search size={14} aria-hidden />
            <span className="max-sm:sr-only">Search or jump to …</span>
            <kbd aria-hidden className="ml-auto rounded border border-line px-1 text-[11px] max-sm:hidden">
              {COMMAND_KEY === '⌘' ? '⌘K' : 'Ctrl K'}
            </kbd>
          </Button>
          <div className="flex items-center gap-1 sm:ml-auto">
            <LiveIndicator />
            <AccountButton />
          </div>
        </div>
        <main
          id="content"
          data-busy={fetching > 0}
          key={path.split('/')[1]}
          tabIndex={-1}
          className="mx-auto w-full max-w-[88rem] flex-1 px-3 py-4 outline-none sm:px-6 sm:py-6 print:max-w-none print:p-0"
        >
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <Suspense>
        {open === 'palette' && <Palette onClose={close} />}
        {open === 'navigation' && (
          <MenuDrawer title="Menu" onClose={close}>
            <Navigation onFollow={close} />
          </MenuDrawer>
        )}
        {open === 'shortcuts' && <ShortcutSheet onClose={close} />}
      </Suspense>
      <Toasts />
    </div>
  );
}
