import { useEffect, useState } from 'react';
import { useNewCount } from '../../lib/live.ts';

const PATIENCE_MS = 2_000;

/**
 * How much is new of what is shown. The stream says that something of a kind happened somewhere in the org; whether it was
 * here, `count` asks. A busy org is asked about once in a while, and not with each event.
 */
export function useConfirmedNews(kinds: readonly string[], since: number, count: () => Promise<number>): number {
  const heard = useNewCount(kinds, since);
  const [confirmed, setConfirmed] = useState({ since, count: 0 });
  useEffect(() => {
    if (heard === 0) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      void count()
        .catch(() => 0)
        .then((found) => isCurrent && setConfirmed({ since, count: found }));
    }, PATIENCE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [heard, since]);
  return confirmed.since === since ? confirmed.count : 0;
}
