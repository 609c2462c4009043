import { useSyncExternalStore } from 'react';

const KEY = 'waymark-columns';
const listeners = new Set<() => void>();

/** The keys of the hidden columns, by org and table. */
export type Hidden = Readonly<Record<string, readonly string[]>>;

/** Nothing is hidden where the browser stores nothing, or something unreadable. */
export function readHidden(text: string | null): Hidden {
  try {
    const found: unknown = JSON.parse(text ?? '{}');
    if (typeof found !== 'object' || found === null) return {};
    const isList = (keys: unknown) => Array.isArray(keys) && keys.every((key) => typeof key === 'string');
    return Object.fromEntries(Object.entries(found).filter(([, keys]) => isList(keys)));
  } catch {
    return {};
  }
}

/** Hides a column, or shows it again. */
export function toggled(hidden: Hidden, place: string, key: string): Hidden {
  const before = hidden[place] ?? [];
  const { [place]: _, ...others } = hidden;
  const after = before.includes(key) ? before.filter((other) => other !== key) : [...before, key];
  return after.length === 0 ? others : { ...others, [place]: after };
}

function stored(): Hidden {
  try {
    return readHidden(localStorage.getItem(KEY));
  } catch {
    return {};
  }
}

let hidden = stored();

function store(changed: Hidden): void {
  hidden = changed;
  try {
    localStorage.setItem(KEY, JSON.stringify(hidden));
  } catch {
    // Then it applies until the page is closed.
  }
  for (const listener of listeners) listener();
}

interface Titled {
  readonly key: string;
  readonly title: string;
}

export interface ColumnChoice {
  /** Those that can be hidden: the first column says what a row is. */
  readonly choices: readonly (Titled & { readonly isShown: boolean })[];
  toggle(key: string): void;
}

/** The columns that a person shows of a table, kept by this browser for each org. */
export function useColumnChoice<Column extends Titled>(
  org: string,
  table: string,
  columns: readonly Column[],
): ColumnChoice & { readonly columns: readonly Column[] } {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => hidden,
  );
  const place = `${org}/${table}`;
  const isShown = ({ key }: Titled, index: number) => index === 0 || !all[place]?.includes(key);
  return {
    columns: columns.filter(isShown),
    choices: columns.slice(1).map(({ key, title }, i) => ({ key, title, isShown: isShown({ key, title }, i + 1) })),
    toggle: (key) => store(toggled(hidden, place, key)),
  };
}
