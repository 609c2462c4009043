import { useNavigate } from '@tanstack/react-router';
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { leaveFor } from '../lib/base-path.ts';
import { paths } from '../lib/paths.ts';
import { changePreferences, type Theme, usePreferences } from '../lib/preferences.ts';
import { useOrg } from '../lib/route.ts';
import { useSession } from '../lib/session.ts';
import { signOut } from '../lib/sign-out.ts';
import type { Zone } from '../lib/time.ts';
import { MENU, MENU_ITEM } from '../ui/menu-classes.ts';
import type { OpenedMenu } from './LazyMenu.tsx';

const THEMES: readonly [Theme, string][] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];
const ZONES: readonly [Zone, string][] = [
  ['local', 'Local time'],
  ['utc', 'UTC'],
];

export function AccountMenu({ children, className }: OpenedMenu) {
  const { theme, zone } = usePreferences();
  const org = useOrg();
  const csrfToken = useSession().data?.csrf_token;
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
            Your sessions
          </MenuItem>
          <MenuItem className={MENU_ITEM} onAction={() => leaveFor('/account')}>
            Account
          </MenuItem>
          {csrfToken != null && (
            <MenuItem className={MENU_ITEM} onAction={() => signOut(csrfToken)}>
              Sign out
            </MenuItem>
          )}
          <Separator className="my-1 border-t border-line" />
          <OneOf
            title="Appearance"
            among={THEMES}
            chosen={theme}
            onChoose={(next) => changePreferences({ theme: next })}
          />
          <OneOf title="Time zone" among={ZONES} chosen={zone} onChoose={(next) => changePreferences({ zone: next })} />
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function OneOf<Id extends string>({
  title,
  among,
  chosen,
  onChoose,
}: {
  readonly title: string;
  readonly among: readonly (readonly [Id, string])[];
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
}) {
  return (
    <MenuSection
      selectionMode="single"
      selectedKeys={[chosen]}
      onSelectionChange={(keys) => {
        const next = among.find(([id]) => keys !== 'all' && keys.has(id));
        if (next) onChoose(next[0]);
      }}
    >
      <Header className="px-2 pt-2 pb-1 text-[12px] text-quiet">{title}</Header>
      {among.map(([id, label]) => (
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
  );
}
