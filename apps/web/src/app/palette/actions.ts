import { changePreferences, type Theme } from '../../lib/preferences.ts';
import type { Zone } from '../../lib/time.ts';
import type { Entry } from './places.ts';

const THEMES: Record<Theme, string> = {
  light: 'Appearance: light',
  dark: 'Appearance: dark',
  system: 'Appearance: system',
};

/** Actions that are available everywhere. Settings that already apply are not offered. */
export function actionsOf(now: {
  readonly theme: Theme;
  readonly zone: Zone;
  readonly live: boolean;
  /** Undefined until the session is read. */
  readonly signOut: (() => void) | undefined;
}): readonly Entry[] {
  const themes = (Object.keys(THEMES) as Theme[])
    .filter((theme) => theme !== now.theme)
    .map((theme) => ({ id: `theme ${theme}`, label: THEMES[theme], run: () => changePreferences({ theme }) }));
  const otherZone: Zone = now.zone === 'utc' ? 'local' : 'utc';
  return [
    {
      id: 'live',
      label: now.live ? 'Pause live updates' : 'Resume live updates',
      run: () => changePreferences({ live: !now.live }),
    },
    ...themes,
    {
      id: 'zone',
      label: otherZone === 'utc' ? 'Show times in UTC' : 'Show local times',
      run: () => changePreferences({ zone: otherZone }),
    },
    { id: 'print', label: 'Print this page', run: () => setTimeout(() => print()) },
    ...(now.signOut ? [{ id: 'sign out', label: 'Sign out', run: now.signOut }] : []),
  ];
}
