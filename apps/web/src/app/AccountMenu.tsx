import { useNavigate } from '@tanstack/react-router';
import {
  Button,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  type Selection,
  Separator,
} from 'react-aria-components';
import { paths } from '../lib/paths.ts';
import { changePreferences, type Theme, usePreferences } from '../lib/preferences.ts';
import { useOrg } from '../lib/route.ts';
import type { Zone } from '../lib/time.ts';
import { MENU, MENU_ITEM } from '../ui/menu-look.ts';
import type { OpenedMenu } from './LazyMenu.tsx';

const THEMES: readonly [Theme, string][] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];
const ZONES: readonly [Zone, string][] = [
  ['local', 'Local time'],
  ['utc', 'UTC'],
];
/** What was chosen where one can be. */
function onlyOf(keys: Selection): unknown {
  return keys === 'all' ? undefined : keys.values().next().value;
}

const TITLE = 'px-2 pt-2 pb-1 text-[12px] text-quiet';

export function AccountMenu({ children, className }: OpenedMenu) {
  const { theme, zone } = usePreferences();
  const org = useOrg();
  const navigate = useNavigate();
  return (
    <MenuTrigger defaultOpen>
      <Button className={className}>{children}</Button>
      <Popover className={MENU} placement="bottom end">
        <Menu className="outline-none" aria-label="Account and preferences">
          <MenuItem className={MENU_ITEM} onAction={() => void navigate({ href: paths.settings(org, 'keys') })}>
            Your keys
          </MenuItem>
          <MenuItem className={MENU_ITEM} onAction={() => void navigate({ href: paths.settings(org, 'sessions') })}>
            Where you are signed in
          </MenuItem>
          <MenuItem className={MENU_ITEM} onAction={() => location.assign('/account')}>
            Your account, sign out
          </MenuItem>
          <Separator className="my-1 border-t border-line" />
          <MenuSection
            selectionMode="single"
            selectedKeys={[theme]}
            onSelectionChange={(keys) => changePreferences({ theme: onlyOf(keys) as Theme })}
          >
            <Header className={TITLE}>Appearance</Header>
            {THEMES.map(([id, label]) => (
              <MenuItem key={id} id={id} className={MENU_ITEM}>
                {({ isSelected }) => (
                  <>
                    <span aria-hidden className="w-3">
                      {isSelected && '✓'}
                    </span>
                    {label}
                  </>
                )}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuSection
            selectionMode="single"
            selectedKeys={[zone]}
            onSelectionChange={(keys) => changePreferences({ zone: onlyOf(keys) as Zone })}
          >
            <Header className={TITLE}>Times</Header>
            {ZONES.map(([id, label]) => (
              <MenuItem key={id} id={id} className={MENU_ITEM}>
                {({ isSelected }) => (
                  <>
                    <span aria-hidden className="w-3">
                      {isSelected && '✓'}
                    </span>
                    {label}
                  </>
                )}
              </MenuItem>
            ))}
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
