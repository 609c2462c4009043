import { lazyRouteComponent } from '@tanstack/react-router';
import { ChevronsUpDown, CircleUser } from 'lucide-react';
import { useOrg } from '../lib/route.ts';
import { useSession } from '../lib/session.ts';
import { LazyMenu } from './LazyMenu.tsx';

const AccountMenu = lazyRouteComponent(() => import('./AccountMenu.tsx'), 'AccountMenu');
const OrgSwitch = lazyRouteComponent(() => import('./OrgSwitch.tsx'), 'OrgSwitch');

export function OrgButton() {
  const org = useOrg();
  return (
    <LazyMenu
      menu={OrgSwitch}
      className="flex w-full min-w-0 cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-raised"
    >
      <span
        aria-hidden
        className="flex size-6 shrink-0 items-center justify-center rounded bg-accent text-[12px] font-semibold text-on-accent uppercase"
      >
        {org.slice(0, 1)}
      </span>
      <span className="min-w-0 flex-1 truncate font-semibold">
        <span className="sr-only">Org </span>
        {org}
        <span className="sr-only">, switch org</span>
      </span>
      <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-quiet" />
    </LazyMenu>
  );
}

export function AccountButton() {
  const session = useSession().data;
  const name = session?.display_name ?? session?.login ?? '';
  return (
    <LazyMenu
      menu={AccountMenu}
      className="flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 hover:bg-raised"
    >
      <CircleUser size={18} aria-hidden />
      <span className="max-w-36 truncate text-[13px] max-md:sr-only">
        {name}
        <span className="sr-only">, account and preferences</span>
      </span>
    </LazyMenu>
  );
}
