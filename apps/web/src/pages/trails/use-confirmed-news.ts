import { useEffect, useEffectEvent, useState } from 'react';
import { useNewCount } from '../../lib/live.ts';

const PATIENCE_MS = 2_000;

/**
 * The number of new items. The stream says that something of a kind happened somewhere in the org; `count` asks the
 * server whether it was here. In a busy org it asks only once in a while, not for each event.
 */
export function useConfirmedNews(kinds: readonly string[], since: number, count: () => Promise<number>): number {
  const heard = useNewCount(kinds, since);
  const [answered, setAnswered] = useState({ since, heard: 0, count: 0 });
  const confirmed = answered.since === since ? answered : { since, heard: 0, count: 0 };
  const ask = useEffectEvent(async () => ({ since, heard, count: await count().catch(() => 0) }));
  const hasMore = heard > confirmed.heard;
  // An event during the wait or the request neither restarts nor ends it: the next request covers it.
  useEffect(() => {
    if (!hasMore) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => void ask().then((answer) => isCurrent && setAnswered(answer)), PATIENCE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [hasMore, confirmed.heard, since]);
  return confirmed.count;
}
