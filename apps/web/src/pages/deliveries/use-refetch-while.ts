import { useEffect } from 'react';

const AGAIN_MS = 2_500;

/** Refetches every few seconds while something is pending and the page is visible. */
export function useRefetchWhile(isSoon: boolean, refetch: () => unknown): void {
  useEffect(() => {
    if (!isSoon) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refetch();
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, [isSoon, refetch]);
}
