import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { COMMAND_KEY } from './command-key.ts';
import { paths } from './paths.ts';
import { useOrg } from './route.ts';

export interface Shortcut {
  readonly keys: string;
  readonly does: string;
}

const PLACES: readonly [key: string, does: string, to: (org: string) => string][] = [
  ['h', 'Home', paths.home],
  ['e', 'Environments', paths.environments],
  ['m', 'Matrix', paths.matrix],
  ['w', 'Where is it?', (org) => paths.trace(org)],
  ['d', 'Deployments', paths.deployments],
  ['f', 'Flows', paths.flows],
  ['p', 'Policies', paths.policies],
  ['c', 'Controls', paths.controls],
  ['a', 'Audit', (org) => paths.audit(org, 'activity')],
  ['n', 'Notifications', paths.notifications],
  ['l', 'Deliveries', paths.deliveries],
  ['s', 'Settings', (org) => paths.settings(org, 'members')],
];

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: `${COMMAND_KEY} K`, does: 'Search or jump to anything' },
  { keys: '/', does: 'Filter the list' },
  { keys: 'j', does: 'Next row' },
  { keys: 'k', does: 'Previous row' },
  { keys: '[', does: 'Previous snapshot' },
  { keys: ']', does: 'Next snapshot' },
  { keys: '?', does: 'Show keyboard shortcuts' },
  ...PLACES.map(([key, does]) => ({ keys: `g ${key}`, does: `Go to ${does}` })),
];

const SECOND_KEY_MS = 1_500;

function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role=dialog]') !== null
  );
}

/** The first link or button of the row after or before the one that has the focus. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-rows] tbody tr')];
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[current === -1 ? (step === 1 ? 0 : rows.length - 1) : current + step];
  next?.querySelector<HTMLElement>('a, button')?.focus();
}

/** Presses what carries `data-key` on the page, such as `[` for the snapshot before. */
function pressMarked(key: string): boolean {
  const marked = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  marked?.click();
  return marked !== null;
}

type Action = () => void;

/** `g` and a letter lead to a page; all other keys act at once. Returns whether the key was handled. */
function createKeyReader(goTo: (place: string) => boolean, actions: Readonly<Record<string, Action>>) {
  let goUntil = 0;
  return (key: string): boolean => {
    if (Date.now() < goUntil) {
      goUntil = 0;
      return goTo(key);
    }
    if (key === 'g') goUntil = Date.now() + SECOND_KEY_MS;
    const action = actions[key];
    action?.();
    return key === 'g' || action !== undefined || pressMarked(key);
  };
}

interface Openers {
  readonly onPalette: Action;
  readonly onSheet: Action;
}

/** Keyboard shortcuts. Ignored while something is typed. */
export function useShortcuts({ onPalette, onSheet }: Openers): void {
  const org = useOrg();
  const navigate = useNavigate();
  const open = useRef<Openers>({ onPalette, onSheet });
  open.current = { onPalette, onSheet };
  useEffect(() => {
    const goTo = (letter: string): boolean => {
      const place = PLACES.find(([key]) => key === letter);
      if (place) void navigate({ href: place[2](org) });
      return place !== undefined;
    };
    const take = createKeyReader(goTo, {
      j: () => moveRow(1),
      k: () => moveRow(-1),
      '?': () => open.current.onSheet(),
      '/': () => document.querySelector<HTMLElement>('[data-search]')?.focus(),
    });
    const onKey = (event: KeyboardEvent) => {
      const isCommand = event.metaKey || event.ctrlKey;
      if (isCommand && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        open.current.onPalette();
      } else if (!isCommand && !event.altKey && !isTyping(event) && take(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [org, navigate]);
}
