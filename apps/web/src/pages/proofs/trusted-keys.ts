import { useSyncExternalStore } from 'react';
import { BASE_PATH } from '../../lib/base-path.ts';

/** A trust policy that the user has compared with another copy, or says so. */
export interface TrustedKeys {
  readonly policy: string;
  /** In seconds since 1970. */
  readonly savedAt: number;
}

/** Several installations may be below paths of one host. */
const KEY = `waymark-trust-policy${BASE_PATH}`;
const listeners = new Set<() => void>();
let known: { readonly text: string | null; readonly keys: TrustedKeys | null } = { text: null, keys: null };

function read(): TrustedKeys | null {
  let text: string | null = null;
  try {
    text = localStorage.getItem(KEY);
  } catch {
    // A browser that stores nothing has saved no keys.
  }
  if (text !== known.text) known = { text, keys: parsed(text) };
  return known.keys;
}

function parsed(text: string | null): TrustedKeys | null {
  try {
    const { policy, savedAt } = JSON.parse(text ?? '{}') as Partial<TrustedKeys>;
    return typeof policy === 'string' && typeof savedAt === 'number' ? { policy, savedAt } : null;
  } catch {
    return null;
  }
}

/** Saves a policy in this browser, or forgets the saved one. Returns whether the browser has stored it. */
export function saveTrustedKeys(policy: string | null): boolean {
  try {
    if (policy === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify({ policy, savedAt: Math.floor(Date.now() / 1000) }));
  } catch {
    return false;
  }
  for (const listener of listeners) listener();
  return true;
}

/** The policy that was saved in this browser; null for none. */
export function useTrustedKeys(): TrustedKeys | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    // Another tab has saved or forgotten it.
    window.addEventListener('storage', listener);
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', listener);
    };
  }, read);
}
