import { useNavigate } from '@tanstack/react-router';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { paths } from '../lib/paths.ts';
import { useSession } from '../lib/session.ts';
import { MENU, MENU_ITEM } from '../ui/menu-classes.ts';
import type { OpenedMenu } from './LazyMenu.tsx';

export function OrgSwitch({ children, className }: OpenedMenu) {
  const navigate = useNavigate();
  const orgs = useSession().data?.orgs ?? [];
  return (
    <MenuTrigger defaultOpen>
      <Button className={className}>{children}</Button>
      <Popover className={MENU}>
        <Menu className="outline-none" onAction={(name) => void navigate({ href: paths.home(String(name)) })}>
          {orgs.map(({ name, role, kind }) => (
            <MenuItem key={name} id={name} textValue={name} className={MENU_ITEM}>
              <span className="min-w-0 truncate">{name}</span>
              <span className="ml-auto pl-4 text-[12px] text-quiet">{kind === 'personal' ? 'personal' : role}</span>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
