import { useCallback, useState } from 'react';

/** A draft stays in this tab until it is saved or discarded: a reload loses nothing, and nobody else sees it. */

const keyOf = (org: string, policy: string) => `waymark-draft ${org}/${policy}`;

/** Stands in for the name of a policy that has none yet; no policy can be called this. */
export const UNNAMED = ' ';

export function storedDraft(org: string, policy: string): string | undefined {
  try {
    return sessionStorage.getItem(keyOf(org, policy)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function storeDraft(org: string, policy: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(keyOf(org, policy));
    else sessionStorage.setItem(keyOf(org, policy), text);
  } catch {
    // Then it lasts as long as the page is open.
  }
}

/** The draft; undefined while it does not differ from what is stored. */
export function useDraft(org: string, policy: string) {
  const key = keyOf(org, policy);
  const [shown, setShown] = useState({ key, text: storedDraft(org, policy) });
  // Another policy was opened without leaving the page.
  const text = shown.key === key ? shown.text : storedDraft(org, policy);
  const change = useCallback(
    (next: string | undefined) => {
      storeDraft(org, policy, next);
      setShown({ key: keyOf(org, policy), text: next });
    },
    [org, policy],
  );
  return [text, change] as const;
}
