import { useSyncExternalStore } from 'react';
import type { Zone } from './time.ts';

export type Theme = 'system' | 'light' | 'dark';

interface Preferences {
  readonly theme: Theme;
  readonly zone: Zone;
  /** Whether pages receive live updates. */
  readonly live: boolean;
}

const KEY = 'waymark-preferences';
const DEFAULTS: Preferences = { theme: 'system', zone: 'local', live: true };
const listeners = new Set<() => void>();

/** The defaults apply where the browser stores nothing, or something unreadable. */
function storedPreferences(): Preferences {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return { ...DEFAULTS, ...(found as Partial<Preferences>) };
  } catch {
    return DEFAULTS;
  }
}

let preferences = storedPreferences();

function apply({ theme }: Preferences): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
apply(preferences);

export function changePreferences(changes: Partial<Preferences>): void {
  preferences = { ...preferences, ...changes };
  apply(preferences);
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Then they apply until the page is closed.
  }
  for (const listener of listeners) listener();
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => preferences,
  );
}
