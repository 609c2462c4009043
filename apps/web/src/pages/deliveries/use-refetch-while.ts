import { useEffect } from 'react';

const AGAIN_MS = 2_500;

/** Asks again every few seconds as long as something is about to happen, and the page is looked at. */
export function useRefetchWhile(isSoon: boolean, refetch: () => unknown): void {
  useEffect(() => {
    if (!isSoon) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refetch();
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, [isSoon, refetch]);
}
